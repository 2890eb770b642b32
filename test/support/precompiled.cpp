// Compiled for its headers, which CMake adds.
