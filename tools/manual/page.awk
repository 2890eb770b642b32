# Makes of a page of the manual what Doxygen 1.9 reads as GitHub reads the page:
# headings get the anchors that GitHub gives them, links to pages, folders, sources
# and pictures lead to those of the site, and what Doxygen would take for commands
# is text. Lines stay where they are.
#
# With -v targets=1 it prints instead which paths of the tree the page links, each
# with a # and the anchor, if the link has one.

# Link to a file of the tree, or to an anchor, in the site.
function site_link(target,    path, mark, at, front) {
  if (target ~ /^[a-z]+:/ || target ~ /^\/\//)
    return target
  at = index(target, "#")
  mark = at ? substr(target, at + 1) : ""
  path = at ? substr(target, 1, at - 1) : target
  path = path == "" ? page : resolved(folder, path)
  if (targets) {
    print path (mark == "" ? "" : "#" mark)
    return target
  }
  if (is_folder(path)) {
    front = front_page(path)
    path = front == "" ? path : front
    if (front == "")
      return page_name(path) ".html"
  }
  if (is_page(path))
    return page_name(path) ".html" \
      (mark == "" ? "" : "#" page_name(path) "_" mark)
  if (is_picture(path))
    return base_of(path)
  if (path in header)
    return "@ref " header[path]
  if (mark ~ /^L[0-9]+/)
    return source_name(path) ".html#" sprintf("l%05d", substr(mark, 2))
  return source_name(path) ".html"
}

function no_commands(text) {
  gsub(/[@#]/, "\\\\&", text)
  gsub(/ ::/, " \\::", text)
  return text
}

function picture(alt, target) {
  gsub(/"/, "\\&quot;", alt)
  return "<img src=\"" site_link(target) "\" alt=\"" alt "\"/>"
}

# A code span. One that names an example leads to it.
function code_span(span,    name) {
  if (is_label)
    return span
  name = span
  gsub(/^`+|`+$/, "", name)
  if (name ~ /^examples\/[a-z_\/]+[a-z_.]*$/ \
      && (is_folder(name) || is_file(name))) {
    if (targets) {
      print name
      return span
    }
    return "[" span "](" \
      (is_folder(name) ? page_name(name) : source_name(name)) ".html)"
  }
  return span
}

# A block of text, line ends included, with its links rewritten. Each link is on
# one line then; `lost` counts the ends of lines that were in links.
function rewritten(text,    out, run, rest, at, label, target) {
  out = ""
  while (match(text, /`+|!?\[|<[a-z\/!][^>]*>|https?:[^ \n)>]*/)) {
    out = out no_commands(substr(text, 1, RSTART - 1))
    run = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if (run ~ /^`/ && (at = index(text, run))) {
      out = out code_span(run substr(text, 1, at - 1 + length(run)))
      text = substr(text, at + length(run))
    } else if (run ~ /\[$/ \
        && match(text, /^([^][`]|`[^`]*`|!?\[[^][]*\](\([^()]*\))?)*\]\([^()]*\)/)) {
      label = substr(text, 1, RLENGTH)
      text = substr(text, RLENGTH + 1)
      match(label, /\]\([^()]*\)$/)
      target = substr(label, RSTART + 2, RLENGTH - 3)
      label = substr(label, 1, RSTART - 1)
      lost += gsub(/\n */, " ", label) + gsub(/[ \n]+/, "", target)
      if (run ~ /^!/)
        out = out picture(label, target)
      else
        out = out "[" rewritten_label(label) "](" site_link(target) ")"
    } else
      out = out run
  }
  return out no_commands(text)
}

# What is a link already is not made one.
function rewritten_label(label) {
  is_label++
  label = rewritten(label)
  is_label--
  return label
}

function sections_of(path,    line, n, is_code) {
  while ((getline line <path) > 0)
    if (line ~ /^ *(```|~~~)/)
      is_code = !is_code
    else if (!is_code && line ~ /^## /)
      n++
  close(path)
  return n
}

function flush_block() {
  if (block == "")
    return
  lost = 0
  block = rewritten(block)
  if (!targets) {
    printf "%s", block
    while (lost--)
      print ""
  }
  block = ""
}

BEGIN {
  page = ARGV[1]
  root = ENVIRON["PWD"] "/"
  if (index(page, root) == 1)
    page = substr(page, length(root) + 1)
  folder = folder_of(page)
  while (headers != "" && (getline line <headers) > 0) {
    split(line, words, " ")
    header[words[2]] = words[1]
  }
}

/^ *(```|~~~)/ {
  flush_block()
  is_code = !is_code
}

is_code || /^ *(```|~~~)/ {
  if (!targets)
    print
  next
}

/^#+ / {
  flush_block()
  if (targets) {
    rewritten($0)
    next
  }
  mark = page_name(page) "_" anchor($0, seen)
  match($0, /^#+ +/)
  level = substr($0, 1, RLENGTH)
  text = substr($0, RLENGTH + 1)
  if (!has_title++)
    print level no_commands(plain(text)) \
      (page == "README.md" ? "" : " {#" page_name(page) "}")
  else if (page == "README.md") # whose sections would be beside those of the site
    print level "<a id=\"" mark "\"></a>" rewritten(text)
  else
    print level rewritten(text) " {#" mark "}"
  wants_contents = has_title == 1 && sections_of(page) > 2 && page != "README.md"
  was_list = 0
  next
}

/^[ \t]*$/ {
  flush_block()
  if (!targets)
    print wants_contents ? "@tableofcontents{HTML:2}" : ""
  wants_contents = 0
  next
}

# Where the links of that name lead.
/^ ? ? ?\[[^]]+\]:[ \t]+[^ \t]+/ && block == "" {
  match($0, /\]:[ \t]+/)
  name = substr($0, 1, RSTART + RLENGTH - 1)
  text = substr($0, RSTART + RLENGTH)
  target = text
  sub(/[ \t].*/, "", target)
  text = name site_link(target) substr(text, length(target) + 1)
  if (!targets)
    print text
  next
}

# Code that is indented.
/^    / && block == "" && !was_list {
  if (!targets)
    print
  next
}

{
  if (block == "")
    was_list = /^ *([-*+]|[0-9]+\.) / || (was_list && /^  /)
  block = block $0 "\n"
}

END { flush_block() }
