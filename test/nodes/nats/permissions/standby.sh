#!/bin/sh
# The permissions that security.md adds for fronts with a standby suffice for two
# fronts that serve in turn, and for nothing else of JetStream: neither can change
# or read what other pools have.
# shellcheck source-path=SCRIPTDIR disable=SC2016 # no expressions
. "$(dirname "$0")/secured.sh"

# added_permissions: those of the page, one a line, as "publish" or "subscribe",
# and the subject.
added_permissions() {
  awk '/^- Fronts with `serve_options::standby`/ { is_inside = 1; print; next }
    /^- / { is_inside = 0 }
    is_inside' "$root/docs/operations/security.md" | tr -d '\n' \
    | sed 's/`publish:/\npublish:/; s/`subscribe:/\nsubscribe:/' \
    | awk '/^(publish|subscribe):/ {
        verb = $1
        sub(":", "", verb)
        while (match($0, "\"[^\"]*\"")) {
          print verb, substr($0, RSTART, RLENGTH)
          $0 = substr($0, RSTART + RLENGTH)
        }
      }'
}

# configuration: with the added permissions of the user `front`.
configuration() {
  documented_configuration | awk -v added="$(added_permissions | tr '\n' ';')" '
    /user: "front"/ { is_front = 1 }
    is_front && /(publish|subscribe): \[/ {
      verb = $1
      sub(":", "", verb)
      count = split(added, all, ";")
      for (i = 1; i < count; ++i) {
        split(all[i], words, " ")
        if (words[1] == verb)
          sub("\\]$", ", " words[2] "]")
      }
    }
    /subscribe:/ { is_front = 0 }
    { print }
    /users = \[/ {
      print "{ user: \"watcher\", permissions:",
        "{ publish: \"none\", subscribe: \"$KV.>\" } }"
    }'
  echo "jetstream { store_dir: \"$scratch/store\" }"
}

start_front() { start "$1" pool --lease 2000 --standby 2000; }

make_certificates watcher
[ "$(added_permissions | wc -l)" -ge 5 ] || fail 'no permissions on the page'
configuration >"$scratch/nats.conf"
grep -q 'subscribe: .*_INBOX' "$scratch/nats.conf" || fail 'nothing was added'
start_secured_server
start_front first
said first serves
start_front second
said second 'waits: another program serves the pool'
start_node agent
start_client 2000 --retries 10
squared client 1 2 3

# attempts: what `raw` must not publish, and not subscribe to.
attempts() {
  for each in STREAM.UPDATE.KV_libpool_fronts STREAM.DELETE.KV_libpool_fronts \
    STREAM.PURGE.KV_libpool_fronts STREAM.MSG.DELETE.KV_libpool_fronts \
    STREAM.SNAPSHOT.KV_libpool_fronts STREAM.RESTORE.KV_libpool_fronts \
    STREAM.CREATE.other STREAM.NAMES STREAM.LIST \
    STREAM.MSG.GET.other DIRECT.GET.other \
    CONSUMER.CREATE.KV_libpool_fronts \
    CONSUMER.DURABLE.CREATE.KV_libpool_fronts.mine; do
    echo "publish \$JS.API.$each"
  done
  echo "publish \$KV.libpool_fronts.other"
  echo "publish \$KV.libpool_fronts.squares.more"
  echo "subscribe \$KV.>"
  echo "subscribe \$JS.>"
}

# try WORD: each attempt ends with it.
try() {
  attempts | "$raw" front "$url" --folder "$farm" \
    | sed '/^connected/d; /^ready$/d' >"$scratch/raw.said"
  attempts | sed "s/\$/: $1/" | diff - "$scratch/raw.said" >&2 \
    || fail "not as wanted (<) but so (>)"
}

try refused
squared client 4
end first
said second serves
squared client 5 6

# It renews its claim to the name, also with a new certificate of another CA.
renews_its_claim() {
  tell "$1" heard now
  grep -q '^now: heard [1-9]' "$scratch/$1.said"
}
end server
new_authority
renew server front agent client watcher
start_server
squared client 7
start_raw watcher watcher
tell watcher subscribe '$KV.libpool_fronts.squares'
until_true 'the front renews its claim' renews_its_claim watcher
end second
end client
configuration | loosened >"$scratch/nats.conf"
reload
try passed
