# Makes of docs/index.md and of Doxygen's own layout that of the site: a group for
# each section of the index, with the pages that it links, and then the API. A
# section begins with a heading, or with the first words of a paragraph that is no
# list. Pages that the index does not link are in its last group.
#
#   awk -f names.awk -f layout.awk docs/index.md PAGES LAYOUT
#
# PAGES is a list of all pages.

function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/"/, "\\&quot;", text)
  return text
}

function tab(title, name) {
  return sprintf("<tab type=\"user\" title=\"%s\" url=\"%s.html\"/>\n",
    escaped(title), name)
}

function group(title, name) {
  return sprintf("<tab type=\"usergroup\" title=\"%s\" url=\"%s\">\n",
    escaped(title), name == "" ? "[none]" : name ".html")
}

# A page, or a folder with its pages, which are in the list in order.
function entry(path,    out, i) {
  if (path in is_shown)
    return ""
  is_shown[path] = 1
  if (!is_folder(path))
    return tab(title_of(path), page_name(path))
  out = group(folder_title(path), page_name(path))
  for (i = 1; i <= pages; i++)
    if (folder_of(page[i]) == path)
      out = out entry(page[i])
  return out "</tab>\n"
}

function add_links(text, section,    path) {
  while (match(text, /\]\([^)]*\)/)) {
    path = substr(text, RSTART + 2, RLENGTH - 3)
    text = substr(text, RSTART + RLENGTH)
    sub(/#.*/, "", path)
    gsub(/[ \n]/, "", path)
    if (path == "" || path ~ /^[a-z]+:/)
      continue
    path = resolved("docs", path)
    if (is_page(path) || is_folder(path))
      links[section] = links[section] path "\n"
  }
}

# Pages that are not in the index come before its last group is closed, so the
# groups are made when all is read.
function write_navigation(    i, j, n, paths) {
  printf "<navindex>\n<tab type=\"mainpage\" visible=\"yes\" title=\"Overview\"/>\n"
  is_shown["README.md"] = is_shown["docs/index.md"] = 1
  for (i = 1; i <= sections; i++) {
    n = split(links[i], paths, "\n")
    if (n < 2 && i < sections)
      continue
    printf "%s", group(name[i])
    for (j = 1; j < n; j++)
      printf "%s", entry(paths[j])
    if (i == sections)
      for (j = 1; j <= pages; j++)
        printf "%s", entry(page[j])
    print "</tab>"
  }
  print group("API") \
    "<tab type=\"classlist\" visible=\"yes\" title=\"Classes\"/>\n" \
    "<tab type=\"classindex\" visible=\"yes\" title=\"Classes by name\"/>\n" \
    "<tab type=\"hierarchy\" visible=\"yes\" title=\"Classes by base\"/>\n" \
    "<tab type=\"namespacemembers\" visible=\"yes\" title=\"Functions and types\"/>\n" \
    "<tab type=\"classmembers\" visible=\"yes\" title=\"Members\"/>\n" \
    "<tab type=\"filelist\" visible=\"yes\" title=\"Headers\"/>\n" \
    "<tab type=\"globals\" visible=\"yes\" title=\"Macros\"/>\n" \
    "</tab>\n" \
    "<tab type=\"examples\" visible=\"yes\" title=\"Examples\"/>\n" \
    "</navindex>"
}

FNR == 1 { file++ }

file == 1 && /^#+ / {
  if (file_has_title++)
    name[++sections] = plain($0)
  next
}

file == 1 && /^[A-Z[]/ && was_empty {
  text = $0
  match(text, /^(\[[^]]*\]\([^)]*\)|[^:,.[])*/)
  text = plain(substr(text, 1, RLENGTH))
  sub(/ +$/, "", text)
  name[++sections] = text
}

file == 1 {
  was_empty = /^ *$/
  if (sections)
    section_text[sections] = section_text[sections] $0 "\n"
}

file == 2 {
  if (!pages)
    for (i = 1; i <= sections; i++)
      add_links(section_text[i], i)
  page[++pages] = $0
}

file == 3 && /<navindex>/ {
  write_navigation()
  is_navigation = 1
}

file == 3 && !is_navigation

file == 3 && /<\/navindex>/ { is_navigation = 0 }
