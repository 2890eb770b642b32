# Prints each link of a site, or picture in it, that leads to nothing, and which
# page has it; exit 1 if there is any.
#
#   find . -type f | awk -f dead_links.awk - ./*.html

# Value of the attribute that `tag` has under that name, or nothing.
function attribute(tag, name,    at) {
  if (!match(tag, "[ \t]" name "=\"[^\"]*\""))
    return ""
  at = RSTART + length(name) + 3
  return substr(tag, at, RSTART + RLENGTH - 1 - at)
}

function note(page, link) {
  gsub(/&amp;/, "\\&", link)
  if (link != "" && link !~ /^(https?|mailto|javascript|data):/ && !((page, link) in seen)) {
    seen[page, link] = 1
    from[++links] = page
    to[links] = link
  }
}

FILENAME == "-" || FILENAME == "" {
  exists[$0] = 1
  next
}

{
  line = $0
  while (match(line, /<[a-zA-Z][^>]*>/)) {
    tag = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    note(FILENAME, attribute(tag, "href"))
    note(FILENAME, attribute(tag, "src"))
    if ((mark = attribute(tag, "id")) != "")
      exists[FILENAME "#" mark] = 1
    if ((mark = attribute(tag, "name")) != "")
      exists[FILENAME "#" mark] = 1
  }
}

END {
  for (i = 1; i <= links; i++) {
    link = to[i] ~ /^#/ ? from[i] to[i] : "./" to[i]
    page = link
    sub(/#.*/, "", page)
    if (link !~ /#./)
      link = page
    if (!(page in exists) || !(link in exists)) {
      print substr(from[i], 3) ": leads to " to[i] ", which is nowhere"
      dead = 1
    }
  }
  exit dead
}
