#!/bin/sh
# The permissions of a durable queue, on the page and in the configuration of
# apps/farm, suffice for two fronts that serve in turn, a node and two clients.
# Nothing that a client sends, and no subject that it names for the reply, reads,
# takes, acknowledges or deletes what the queue has of others.
# shellcheck source-path=SCRIPTDIR disable=SC2016 # no expressions
. "$(dirname "$0")/secured.sh"

# configuration: that of the farm for the pool `squares`.
configuration() {
  sh "$root/apps/farm/nats_config" "$farm" agent rogue -- client writer \
    | sed 's/libpool\([._]\)farm/libpool\1squares/g; s/fronts[.]farm/fronts.squares/'
}

# documented: the subjects of the page, one a line.
documented() {
  awk '/^- (Fronts|Clients) with `[a-z]*_options::(durable|standby)`/ { is_inside = 1 }
    /^- Give each of/ { is_inside = 0 }
    is_inside' "$root/docs/operations/security.md" | grep -o '"[^"]*"'
}

# start_front NAME
start_front() {
  start "$1" pool --lease 2000 --durable --durable-retries 3 --standby 2000
}
# start_asker NAME
start_asker() {
  start "$1" ask --user "$1" --name "$1" --durable --ids --patience 100000
}

# attempts WORD: what `raw` tries as the user `client`, and how each ends. The
# server refuses what is not permitted. It takes a message with any subject for the
# reply, but that of an acknowledgement.
attempts() {
  results='$JS.API.DIRECT.GET.libpool_squares_results'
  for each in libpool.squares.work.writer.1 libpool.squares.result.client.1 \
    libpool.squares.result.writer.1 libpool.other.work.client.1 \
    libpool.squares.failed.client.1 \
    "$results" "$results.libpool.squares.result.writer.1" \
    "$results.libpool.squares.result.writer.>" \
    '$JS.API.DIRECT.GET.libpool_squares_work.libpool.squares.work.writer.1' \
    '$JS.API.INFO' '$JS.API.STREAM.INFO.libpool_squares_work' \
    '$JS.API.STREAM.DELETE.libpool_squares_work' \
    '$JS.API.STREAM.PURGE.libpool_squares_work' \
    '$JS.API.STREAM.MSG.GET.libpool_squares_results' \
    '$JS.API.STREAM.MSG.GET.libpool_squares_failed' \
    '$JS.API.STREAM.MSG.DELETE.libpool_squares_failed' \
    '$JS.API.DIRECT.GET.libpool_squares_failed' \
    '$JS.API.CONSUMER.CREATE.libpool_squares_results' \
    '$JS.API.CONSUMER.DURABLE.CREATE.libpool_squares_work.fronts' \
    '$JS.API.CONSUMER.MSG.NEXT.libpool_squares_work.fronts' \
    '$JS.ACK.libpool_squares_work.fronts.1.1.1.1.0'; do
    echo "publish $each: $1"
  done
  for each in 'libpool.squares.result.>' 'libpool.squares.result.writer.*' \
    'libpool.squares.work.>' 'libpool.squares.work.client.*' '_INBOX.>' \
    '_INBOX_writer.>' '$JS.>'; do
    echo "subscribe $each: $1"
  done
  nothing="$results.libpool.squares.result.client.nothing" # an empty answer
  for subject in "$nothing" libpool.squares.work.client.1; do
    for each in '$JS.API.STREAM.DELETE.libpool_squares_work' \
      '$JS.API.STREAM.PURGE.libpool_squares_work' \
      '$JS.API.STREAM.DELETE.libpool_squares_results' \
      '$JS.API.STREAM.DELETE.KV_libpool_fronts' \
      '$JS.API.CONSUMER.DELETE.libpool_squares_work.fronts' \
      libpool.squares.result.writer.1 libpool.squares.work.writer.1; do
      echo "request $subject $each: passed"
    done
    echo "request $subject \$JS.ACK.libpool_squares_work.fronts.1.1.1.1.0: refused"
  done
}

# attempt WORD
attempt() {
  attempts "$1" >"$scratch/wanted"
  sed 's/: [a-z]*$//' "$scratch/wanted" \
    | "$raw" client "$url" --folder "$farm" \
    | sed '/^connected/d; /^ready$/d' | diff "$scratch/wanted" - >&2 \
    || fail "not as wanted (<) but so (>)"
}

violations() { grep 'Violation' "$scratch/server.error"; }

make_certificates writer rogue
configuration >"$scratch/nats.conf"
[ "$(documented | wc -l)" -ge 20 ] || fail 'no permissions on the page'
for each in $(documented); do
  grep -qF -- "$each" "$scratch/nats.conf" \
    || fail "not in the configuration of the farm: $each"
done
start_secured_server
start_front first
said first serves
start_front second
said second 'waits: another program serves the pool'
start_node agent --slots 4
start_asker client
start_asker writer
squared client 1 2 3
squared writer 4

# The front is killed while a message runs, and the client asks again. The node that
# runs it answers the next front. Another one that claims to run it gets nothing.
start_raw rogue rogue
tell rogue subscribe 'libpool.squares.node.rogue.*'
tell writer hold 5
said agent 'began 5'
end first
end writer
said second serves
tell rogue claim 200 libpool.squares.work.writer.hold_205 libpool.squares rogue
said rogue 'sent 1'
await second nodes 2
start_asker writer
tell writer hold 5
tell agent release
said_once writer '5 = 25'
said_once agent 'began 5'
! grep -q task "$scratch/rogue.said" || fail 'a node is asked for what it has not got'
! violations >&2 || fail 'a program needs more permissions'

tell writer hold 6
said agent 'began 6'
attempt refused
[ "$(violations | wc -l)" -gt 20 ] || fail 'the attempts were not made'
tell agent release
said writer '6 = 36'
tell client square 7
said client '7 = 49'
start_front first
said first 'waits: another program serves the pool'

# The server reads its configuration again.
reload
squared client 8
squared writer 9
