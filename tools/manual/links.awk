# Prints those links that lead to nothing in the tree, of lines "PAGE PATH#ANCHOR";
# exit 1 if there is any.

function has_anchor(path, mark,    line, is_code, seen) {
  if (!(path in is_read)) {
    is_read[path] = 1
    while ((getline line <path) > 0)
      if (line ~ /^ *(```|~~~)/)
        is_code = !is_code
      else if (!is_code && line ~ /^#+ /)
        anchors[path, anchor(line, seen)] = 1
    close(path)
  }
  return (path, mark) in anchors
}

{
  path = mark = $2
  sub(/#.*/, "", path)
  mark = substr(mark, length(path) + 2)
  if (!is_file(path) && !is_folder(path))
    what = "there is no " path
  else if (mark != "" && path ~ /\.md$/ && !has_anchor(path, mark))
    what = path " has no heading for #" mark
  else
    next
  print $1 ": " what
  dead = 1
}

END { exit dead }
