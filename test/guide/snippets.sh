#!/bin/sh
# snippets.sh DOCS FOLDER CONTEXTS... -- COMPILER FLAG...: each C++ snippet of the
# manual in DOCS compiles as it is printed. It is cut out into
# FOLDER/guide/HEADING_N.snippet, and its lines #include and #pragma into HEADING_N.headers; N
# counts the snippets below a heading, from 1. Each file of CONTEXTS declares names
# of the user's around snippets, includes these, and is compiled; together they
# include each snippet.
set -eu
docs=$1 folder=$2
shift 2
contexts=
while [ "$1" != -- ]; do
  contexts="$contexts $1"
  shift
done
shift

rm -rf "$folder/guide"
mkdir -p "$folder/guide"
awk -v folder="$folder/guide" '
  /^#/ && !is_code {
    name = tolower($0)
    gsub(/^#+ |[^a-z0-9 _]/, "", name)
    gsub(/ /, "_", name)
  }
  /^```/ {
    is_code = !is_code
    is_cpp = is_code && $0 == "```cpp"
    if (is_cpp) {
      file = folder "/" name "_" ++count[name]
      printf "" >(file ".headers")
      printf "#line %d \"%s\"\n", FNR + 1, FILENAME >(file ".snippet")
    }
    next
  }
  is_cpp { print >(file (/^#(include|pragma)/ ? ".headers" : ".snippet")) }
' "$docs"/*.md "$docs"/[!d]*/*.md

status=0
for snippet in "$folder"/guide/*.snippet; do
  name=guide/$(basename "$snippet")
  # shellcheck disable=SC2086 # a list of files
  grep -qx "# *include \"$name\"" $contexts || {
    echo "$docs: no file of test/guide includes $name" >&2
    status=1
  }
done
for context in $contexts; do
  "$@" "-I$folder" -std=c++17 -fsyntax-only "$context" || status=1
done
exit $status
