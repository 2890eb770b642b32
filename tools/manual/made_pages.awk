# Writes pages for what the manual links and what is no page itself, into the
# folder <out>: a page for each folder, which lists its files, and one with the
# source of each file. Examples have one in any case.
#
#   awk -f names.awk -f made_pages.awk -v out=FOLDER PAGES HEADERS EXAMPLES TARGETS

function write_folder(path,    file, command, line) {
  if (path in is_written)
    return
  is_written[path] = 1
  file = out "/" page_name(path) ".markdown"
  print "# " folder_title(path) " {#" page_name(path) "}\n" >file
  command = "find '" path "' -mindepth 1 -maxdepth 1 | sort"
  while ((command | getline line) > 0)
    if (is_folder(line)) {
      print "- [" folder_title(line) "](" page_name(line) ".html)" >file
      write_folder(line)
    } else if (line in is_in_manual)
      print "- [" title_of(line) "](" page_name(line) ".html)" >file
    else if (!is_picture(line)) {
      print "- [" base_of(line) "](" source_link(line) ")" >file
      write_source(line)
    }
  close(command)
  close(file)
}

function source_link(path) {
  return path in header ? "@ref " header[path] : source_name(path) ".html"
}

function write_source(path,    file) {
  if (path in is_written || path in header)
    return
  is_written[path] = 1
  if (path ~ /^examples\//) {
    file = path
    sub(/^examples\//, "", file)
    printf "/** @example{lineno} %s\n */\n", file >(out "/examples.dox")
  } else {
    file = out "/" source_name(path) ".markdown"
    printf "# %s {#%s}\n\n@include{lineno} %s\n", path, source_name(path), path >file
    close(file)
  }
}

FNR == 1 { list++ }
list == 1 { is_in_manual[$1] = 1 }
list == 2 { header[$2] = $1 }
list == 3 { write_source($1) }
list == 4 && !($1 in is_in_manual) && !is_picture($1) {
  if (is_folder($1)) {
    if (front_page($1) == "")
      write_folder($1)
  } else if (is_file($1))
    write_source($1)
}
