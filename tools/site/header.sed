s/^( *\/\/\/ )(Cost|Errors|Load|Order|Randomness|Source|Threads|Time): +/\1- **\2:** /
s/LIBPOOL_EXPORT //
/^template <>$/ {
  N
  s/^template <>\nstruct std::.*\{\};$/\n/
}
