# Adds the headings of the manual's pages to Doxygen's search, by each of their
# words: Doxygen itself finds names, and titles by their first word.
#
#   awk -f names.awk -f search_index.awk -v site=FOLDER PAGES

# What search.js makes of what is typed.
function search_id(text,    i, c, out) {
  text = tolower(text)
  out = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    out = out (c ~ /[a-z0-9\200-\377]/ ? c : sprintf("_%02x", code[c]))
  }
  return out
}

function add(title, heading, url,    words, n, i, rest, letter) {
  gsub(/'/, "\\'", heading)
  gsub(/'/, "\\'", title)
  rest = heading
  n = split(heading, words, " ")
  for (i = 1; i <= n; i++) {
    sub(/^[^A-Za-z0-9]+/, "", rest)
    letter = tolower(substr(rest, 1, 1))
    # Doxygen has the first word of titles.
    if ((i > 1 || heading != title) \
        && (i == 1 || (length(words[i]) > 2 && words[i] !~ common)))
      entries[letter] = entries[letter] sprintf(",\n  ['%s_m%d',['%s',['../%s',1,'%s']]]",
        search_id(rest), ++added, heading, url, heading == title ? "" : title)
    rest = substr(rest, index(rest, " ") + 1)
  }
}

function read_page(path,    line, is_code, seen, title) {
  while ((getline line <path) > 0) {
    if (line ~ /^ *(```|~~~)/)
      is_code = !is_code
    if (is_code || line !~ /^#+ /)
      continue
    mark = anchor(line, seen)
    if (title == "") {
      title = plain(line)
      add(title, title, page_name(path) ".html")
    } else
      add(title, plain(line), page_name(path) ".html#" page_name(path) "_" mark)
  }
  close(path)
}

# Appends what was found to the files of one kind of results.
function extend(kind, letters,    i, letter, file, text, line) {
  for (i = 1; i <= length(letters); i++) {
    letter = substr(letters, i, 1)
    if (entries[letter] == "")
      continue
    file = sprintf("%s/search/%s_%x.js", site, kind, i - 1)
    text = ""
    while ((getline line <file) > 0)
      if (line == "];")
        text = substr(text, 1, length(text) - 1) entries[letter] "\n];\n"
      else
        text = text line "\n"
    close(file)
    printf "%s", text >file
    close(file)
  }
}

BEGIN {
  common = "^([Aa]nd|[Tt]he|[Ff]or|[Hh]as|[Tt]hat|[Ww]ith)$"
  for (i = 32; i < 127; i++)
    code[sprintf("%c", i)] = i
}

{ read_page($0) }

END {
  file = site "/search/searchdata.js"
  while ((getline line <file) > 0)
    if (line ~ /^  [0-9]+: "/ && match(line, /"[^"]*"/)) {
      number = line
      gsub(/^ *|:.*/, "", number)
      value[number] = value[number] "\n" substr(line, RSTART + 1, RLENGTH - 2)
    }
  for (number in value) {
    n = split(value[number], parts, "\n") # letters, name, label
    if (parts[3] == "all" || parts[3] == "pages")
      extend(parts[3], parts[2])
  }
}
