#!/bin/sh
# links.sh DIR TOOLS: prints each link of the Markdown pages in DIR that leads to
# nothing on GitHub: to no file or folder of the tree, or to no heading of a page.
# Exit 1 if there is any. TOOLS is tools/manual, which reads the links.
set -eu
cd "$1"
tools=$2

find . -path './build*' -prune -o -name '.?*' -prune -o -name '*.md' -print \
  | sed 's|^\./||' | sort | while read -r page; do
    awk -f "$tools/names.awk" -f "$tools/page.awk" -v targets=1 "$page" \
      | sed "s|^|$page |"
  done | awk -f "$tools/names.awk" -f "$tools/links.awk"
