#!/bin/sh
# layers.sh DIR: prints what in the tree DIR breaks the layering or the rules of
# its folders, one "file:line: what" each. Exit 1 if there is any.
#
# The compiler would not object: CAF is in the default include path, clocks,
# threads and entropy are in the standard library, and the rooms of actors/ have
# one include root. What depends on the version of CAF is in folders port_0_17 and
# port_1.
set -u

[ $# -eq 1 ] && [ -d "$1/libpool/core" ] || {
  echo "usage: layers.sh DIR, a source tree with libpool/core" >&2
  exit 2
}
cd "$1" || exit 2
breaches=$(mktemp)
trap 'rm -f "$breaches"' EXIT

# forbid WHAT PATTERN FOLDER...: no code of these folders matches the pattern.
# Comments do not count.
forbid() {
  what=$1 pattern=$2
  shift 2
  for folder in "$@"; do
    [ -d "$folder" ] || continue
    grep -rnP --include='*.hpp' --include='*.cpp' $ported \
      "^(?:(?!//).)*?(?:$pattern)" "$folder" \
      | sed -E "s/^([^:]*:[0-9]+):.*/\1: $what/" >>"$breaches"
  done
}

# laws_checked FOLDER: no statement of this folder is a call of rc::check, whose
# result nobody looks at: such a law cannot fail.
laws_checked() {
  [ -d "$1" ] || return 0
  find "$1" -name '*.[ch]pp' -exec awk '
    FNR == 1 { before = "" }
    /^ *(\/\/.*)?$/ { next }
    /(^|[};{]|\(void\)) *rc::check\(/ &&
      !(/^ *rc::check\(/ && before ~ /([(,=&|?:]|return)$/) {
      print FILENAME ":" FNR ": does not look at the result of a law"
    }
    { before = $0 }' {} + >>"$breaches"
}

# Names that CAF 0.17 or CAF 1.1 lacks, or that mean something else there.
of_one_version=$(tr -d '\n' <<'EOF'
\b(CAF_(MAJOR_|MINOR_|PATCH_)?VERSION(_STR)?|execution_unit|type_erased_tuple
|message_view|rtti_pair|monitorable_actor|on_destroy|on_unreachable
|make_mailbox_element|forwarding_stack|is_stream_message|(open_stream|stream_open)_msg
|(move|copy)_content_to_message|(make_)?type_token|atom_constant|atom_value
|set_request_timeout|cancel_timeouts|typed_mpi|output_tuple
|test_coordinator|module_factories|add_message_type|add_error_category
|type_id_v|CAF_ALLOW_UNSAFE_MESSAGE_TYPE|init_global_meta_objects|broken_promise
|actor_from_state_t)\b
|\bcaf::(upgrade_|detail\b|scheduler\b|meta::|telemetry::|atom\()
|_atom::value\b
|\bcaf/((detail|scheduler|meta|telemetry)/|(atom|type_nr|make_message|scheduler)\.hpp)
EOF
)
of_any_version='actors apps nodes observability policies test examples bench tools'

ported='--exclude-dir=port_*'
pure='libpool/core observability/timeline nodes/protocol \
  policies/order policies/placement policies/stealing policies/gather'
include='#\s*include\s*[<"][^>"]*'

# shellcheck disable=SC2086 # a list of folders
{
  forbid 'includes CAF' "$include\bcaf/" $pure libpool/sync tools \
    apps/support/console
  forbid 'reads a clock' \
    '::now\b|\bclock_gettime\b|\bgettimeofday\b|\bclock\s*\(\s*\)|(?<![\w.>])time\s*\(\s*(nullptr|NULL|0|&)' \
    $pure
  forbid 'starts a thread' \
    '\bstd::j?thread\b(?!::)|\bstd::async\b|\bpthread_create\b' $pure
  forbid 'draws entropy' \
    '\brandom_device\b|\bgetrandom\b|\bgetentropy\b|\bs?rand\s*\(|/dev/u?random' \
    $pure
  forbid 'includes prometheus-cpp' "$include\bprometheus/" \
    $pure libpool/sync actors nodes tools
  rooms='caf direct gate gather managed pipeline'
  for room in $rooms; do
    others=$(echo "$rooms" | sed "s/\b$room\b//; s/  */|/g; s/^|//; s/|$//")
    case $room in
      caf) ;;
      managed)
        others=$(echo "$others" \
          | sed 's/caf|//; s/gate|//; s/gather|//') ;;
      pipeline) others=$(echo "$others" | sed 's/caf|//; s/gate|//') ;;
      *) others=$(echo "$others" | sed 's/caf|//') ;;
    esac
    forbid "includes another room than it may" \
      "${include}libpool/actors/($others)/" "actors/$room"
    forbid 'includes what users make pools with' \
      "${include}libpool/(actors/(actor_pool|spawn_pool)|pool)\.hpp" \
      "actors/$room"
  done
  forbid 'includes another room than it may' \
    "${include}libpool/actors/($(echo "$rooms" | sed 's/caf //; s/ /|/g'))/" \
    nodes
  forbid 'includes another room than it may' "${include}libpool/nodes/actors/" \
    actors/caf actors/direct actors/gate actors/gather actors/pipeline
  forbid 'includes what users make pools with' \
    "${include}libpool/(actors/(actor_pool|spawn_pool)|pool)\.hpp" nodes/actors
  for folder in $of_any_version; do
    forbid 'depends on the version of CAF' "$of_one_version" "$folder"
  done
  forbid 'a test sleeps' '\bsleep_(for|until)\b|\b[un]?(nano)?sleep\s*\(' test
  laws_checked test
}

sort -u "$breaches"
[ ! -s "$breaches" ]
