#!/bin/sh
# links_test.sh TOOLS: feeds links.sh a tree with links that are dead and links that
# are not: it has to tell these and no other ones.
set -u

lint=$(dirname "$0")/links.sh
tools=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree/docs/guide" "$tree/examples" "$tree/build"
cat >"$tree/README.md" <<'EOF'
# A library

[Guide](docs/guide/first.md), [folder](docs/guide), [below](#what-it-does-not),
![a picture](docs/dead1.png) and [a link
on two lines](
docs/dead2.md).

    [code](docs/not_read.md)

```cpp
auto f = [](docs/not_read.md) {};
```

`[](docs/not_read.md)` is code too, [CAF](https://www.actor-framework.org) is not here.

## What it does *not*
EOF
cat >"$tree/docs/guide/first.md" <<'EOF'
# First

- [up](../../README.md#a-library), [`code`, a *word*](#ab_c-d), [D](#a-b_c-d)
- [twice](#twice-1), [dead](#dead3), [dead](../../README.md#dead4)
- [source](../../examples/a.cpp#L1), [dead](../examples/dead5.cpp)
- [by name][name], [dead][other]

## `a::b_c()`, D

## A, b_c: D!

## Twice

## Twice

[name]: ../../README.md
[other]: dead6.md
EOF
echo 'int a;' >"$tree/examples/a.cpp"
echo '[dead](not_read.md)' >"$tree/build/made.md"

failures=0
found=$(sh "$lint" "$tree" "$tools")
[ $? -eq 1 ] || { echo 'does not say that there are dead links' >&2; failures=1; }
expected='1 2 3 4 5 6'
told=$(echo "$found" | sed -n 's/.*dead\([0-9]\).*/\1/p' | sort | tr '\n' ' ')
if [ "$told" != "$expected " ] || [ "$(echo "$found" | wc -l)" != 6 ]; then
  echo "tells: $found" >&2
  failures=1
fi

sed -i 's/.*dead.*//' "$tree/README.md" "$tree/docs/guide/first.md"
found=$(sh "$lint" "$tree" "$tools") \
  || { echo "objects to a tree without dead links: $found" >&2; failures=1; }
[ $failures -eq 0 ]
