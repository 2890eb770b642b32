# Adds the headings of the manual's pages to Doxygen's search, by each of their
# words, and the words of their texts, with the sections that have them: Doxygen
# itself finds names, and titles by their first word. A word that more sections
# have than `most_sections` is found in headings only; a word of the changelog or
# of a decision likewise.
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

# Notes the words of a line of a section.
function note_words(line, section, url,    words, n, i, word) {
  gsub(/\]\([^)]*\)?/, " ", line)
  n = split(tolower(line), words, /[^a-z0-9_]+/)
  for (i = 1; i <= n; i++) {
    word = words[i]
    if (length(word) < 4 || word !~ /^[a-z]/ || (word, url) in is_noted)
      continue
    is_noted[word, url] = 1
    places[word] = places[word] sprintf(",['../%s',1,'%s']", url, section)
    ++sections[word]
  }
}

function read_page(path,    line, is_code, seen, title, section, url, mark) {
  while ((getline line <path) > 0) {
    if (line ~ /^ *(```|~~~)/)
      is_code = !is_code
    if (is_code)
      continue
    if (line !~ /^#+ /) {
      if (title != "" && path !~ /^CHANGELOG|decisions/)
        note_words(line, section, url)
      continue
    }
    mark = anchor(line, seen)
    section = plain(line)
    if (title == "") {
      title = section
      url = page_name(path) ".html"
      add(title, title, url)
    } else {
      url = page_name(path) ".html#" page_name(path) "_" mark
      add(title, section, url)
      section = title ": " section
    }
    gsub(/'/, "\\'", section)
  }
  close(path)
}

# Adds the words that few sections have.
function add_words(    word, letter) {
  for (word in sections)
    if (sections[word] <= most_sections) {
      letter = substr(word, 1, 1)
      entries[letter] = entries[letter] sprintf(",\n  ['%s_w%d',['%s'%s]]",
        search_id(word), ++added, word, places[word])
    }
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
  most_sections = 12
  common = "^([Aa]nd|[Tt]he|[Ff]or|[Hh]as|[Tt]hat|[Ww]ith)$"
  for (i = 32; i < 127; i++)
    code[sprintf("%c", i)] = i
}

{ read_page($0) }

END {
  add_words()
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
