# Names that the pages of the manual have on GitHub and in the site that Doxygen
# makes of them. Paths are relative to the root of the tree.

# What <path> from within the folder <folder> is.
function resolved(folder, path,    parts, n, i, kept, out) {
  if (path ~ /^\//)
    path = substr(path, 2)
  else if (folder != "")
    path = folder "/" path
  n = split(path, parts, "/")
  kept = 0
  for (i = 1; i <= n; i++) {
    if (parts[i] == "" || parts[i] == ".")
      continue
    if (parts[i] == ".." && kept && out[kept] != "..")
      kept--
    else
      out[++kept] = parts[i]
  }
  path = ""
  for (i = 1; i <= kept; i++)
    path = path (i > 1 ? "/" : "") out[i]
  return path
}

function folder_of(path) {
  return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : ""
}

function base_of(path) {
  sub(/.*\//, "", path)
  return path
}

function is_folder(path) {
  if (!(path in known_folder))
    known_folder[path] = system("test -d './" path "'") == 0
  return known_folder[path]
}

function is_file(path) {
  if (!(path in known_file))
    known_file[path] = system("test -f './" path "'") == 0
  return known_file[path]
}

# Text of a heading without its markup.
function plain(text) {
  sub(/^#+[ \t]+/, "", text)
  sub(/[ \t]+#*[ \t]*$/, "", text)
  while (match(text, /\[[^]]*\]\([^)]*\)/))
    text = substr(text, 1, RSTART - 1) \
      substr(text, RSTART + 1, index(substr(text, RSTART), "](") - 2) \
      substr(text, RSTART + RLENGTH)
  gsub(/[`*]/, "", text)
  return text
}

# Anchor that GitHub gives to a heading, the first with that text in its page.
function slug(heading) {
  heading = tolower(plain(heading))
  gsub(/[^a-z0-9_ \200-\377-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

# Anchor of a heading among those of its page; `seen` is empty at its beginning.
function anchor(heading, seen,    name) {
  name = slug(heading)
  return name (seen[name]++ ? "-" (seen[name] - 1) : "")
}

# Title of a page, from its first heading.
function title_of(path,    line, title) {
  title = base_of(path)
  while ((getline line <path) > 0)
    if (line ~ /^# /) {
      title = plain(line)
      break
    }
  close(path)
  return title
}

# Title of a folder that has no page of its own.
function folder_title(path) {
  if (path ~ /^docs\//) {
    sub(/.*\//, "", path)
    gsub(/_/, " ", path)
    path = toupper(substr(path, 1, 1)) substr(path, 2)
  }
  return path
}

# The page that GitHub shows for a folder, or nothing.
function front_page(folder) {
  if (is_file(folder "/README.md"))
    return folder "/README.md"
  if (is_file(folder "/index.md"))
    return folder "/index.md"
  return ""
}

# Name in the site of a page, or of a folder.
function page_name(path) {
  if (path == "README.md")
    return "index"
  if (path == "docs/index.md")
    return "manual"
  sub(/^docs\//, "", path)
  sub(/(\/(README|index))?\.md$/, "", path)
  gsub(/[^A-Za-z0-9_-]/, "_", path)
  return tolower(path)
}

# Name of the page with the source of a file.
function source_name(path) {
  if (path ~ /^examples\//) {
    sub(/^examples\//, "", path)
    gsub(/\//, "_2", path)
    gsub(/\./, "_8", path)
    return path "-example"
  }
  gsub(/[^A-Za-z0-9_-]/, "_", path)
  return "source_" path
}

function is_page(path) {
  return path ~ /^(docs\/([^\/]*\/)?)?[^\/]*\.md$/
}

function is_picture(path) {
  return path ~ /\.(png|svg|jpg|gif)$/
}
