# Makes of a header what Doxygen reads: rows of a comment such as "Cost: ..." are
# items of a list, and specialisations of the standard library's templates, for which
# it finds no scope, are left out. Lines stay where they are.
/^ *\/\/\/ (Cost|Errors|Load|Order|Randomness|Source|Threads|Time): / {
  match($0, /\/\/\/ [A-Z][a-z]*: +/)
  row = substr($0, RSTART + 4, RLENGTH - 4)
  sub(/: *$/, "", row)
  print substr($0, 1, RSTART + 3) "- **" row ":** " substr($0, RSTART + RLENGTH)
  next
}
/^template <>$/ {
  held = $0 "\n"
  next
}
held != "" && /^struct std::.*\{\};$/ {
  held = ""
  print "\n"
  next
}
{
  printf "%s%s\n", held, $0
  held = ""
}
