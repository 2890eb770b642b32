#!/bin/sh
# contributing.sh SOURCE BUILD: CONTRIBUTING.md tells the truth where a script
# can see it. Each `./dev` command, preset and benchmark in it exists, each
# `ctest -L` and `ctest -R` selects a test, and its list of labels is the list
# of labels that the tests of BUILD have. The `./dev` commands of the workflow
# exist as well.
set -eu
cd "$1"
build=$2
page=CONTRIBUTING.md
status=0

fail() {
  echo "$page: $1" >&2
  status=1
}

has_line() {
  printf '%s\n' "$1" | grep -qx -- "$2"
}

# The commands are in code spans, or indented by four blanks.
commands=$(grep -o '`[^`]*`' "$page" | tr -d '`'
  sed -n 's/^    //p' "$page")
steps=$(python3 -c 'import sys, yaml
for job in yaml.safe_load(sys.stdin)["jobs"].values():
    for step in job["steps"]:
        print(step.get("run") or step["uses"])' <.github/workflows/ci.yml)

subcommands=$(sed -n '/^case /,/^esac/s/^  \([a-z]*\)).*/\1/p' dev)
for name in $(printf '%s\n' "$commands" "$steps" \
  | sed -n 's/^\.\/dev \([^ ]*\).*/\1/p')
do
  has_line "$subcommands" "$name" || fail "./dev has no command '$name'"
done

benchmarks=$(sed -n 's/^libpool_bench(\([a-z0-9_]*\).*/\1/p' \
  bench/CMakeLists.txt)
for name in $(printf '%s\n' "$commands" | sed -n 's/^\.\/dev bench //p'); do
  has_line "$benchmarks" "$name" || fail "there is no benchmark '$name'"
done

presets=$(sed -n 's/.*"name": "\([a-z]*\)".*/\1/p' CMakePresets.json)
for name in $(printf '%s\n' "$commands" \
    | sed -n 's/.*--preset \([a-z]*\).*/\1/p'
  tr '\n' ' ' <"$page" | sed -n 's/.*other presets are\([^.]*\)\..*/\1/p' \
    | grep -o '`[a-z]*`' | tr -d '`')
do
  has_line "$presets" "$name" || fail "there is no preset '$name'"
done

printf '%s\n' "$commands" | sed -n 's/^ctest --preset dev //p' \
  | { while read -r options; do
        # The options are several words.
        # shellcheck disable=SC2086
        ctest --test-dir "$build" -N $options \
          | grep -q '^Total Tests: [1-9]' \
          || fail "ctest $options selects no test"
      done
      exit $status; } || status=1

documented=$(tr '\n' ' ' <"$page" \
  | sed -n 's/.*a program and its label:\([^.]*\)\..*/\1/p' \
  | grep -o '`[a-z0-9]*`' | tr -d '`' | sort)
carried=$(ctest --test-dir "$build" --print-labels \
  | sed -n 's/^  *\([a-z0-9]*\)$/\1/p' | sort)
if [ "$documented" != "$carried" ]; then
  fail "labels differ; documented: $(echo $documented); \
carried by tests: $(echo $carried)"
fi
exit $status
