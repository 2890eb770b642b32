#!/usr/bin/perl
# names.pl DIR: fails if more than 5 in 1,000 lines of the product's code declare a
# parameter, a variable or a member that has the name of a preposition or a
# question: of, to, by, how, which, from, on, at.
use strict;
use warnings;
chdir $ARGV[0] or die "$ARGV[0]: $!\n";
my $most = 5; # in 1,000 lines

my ($lines, @found) = (0);
for my $file (split /\n/, qx(find actors apps examples libpool nodes observability policies tools -name '*.[ch]pp' | sort)) {
  open my $in, '<', $file or die "$file: $!\n";
  while (<$in>) {
    s/"(\\.|[^"\\])*"//g;
    s{//.*}{};
    next if !/\S/;
    $lines++;
    push @found, "$file:$.: $2\n" while
      /([\w>*&\]])[ ][&*]*(of|to|by|how|which|from|on|at)\s*(?=[,)=;{:\[]|$)/g
      && $` . $1 !~ /\b(return|throw|case|delete|else)$/;
  }
}
my $share = 1000 * @found / $lines;
printf "%d names in %d lines: %.1f in 1,000\n", scalar @found, $lines, $share;
exit 0 if $share <= $most;
print @found;
exit 1;
