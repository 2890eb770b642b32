#!/usr/bin/perl
# circles.pl DIR: prints each circle of includes among the units of the tree DIR. A
# unit is a header and the source file of the same name. Exit 1 if there is any.
use strict;
use warnings;
chdir $ARGV[0] or die "$ARGV[0]: $!\n";

my @folders = grep { -d } qw(actors apps examples libpool nodes observability
  policies tools);

my $failed = 0;
for my $port (qw(port_0_17 port_1)) {
  my $files = qx(find @folders -name '*.[ch]pp');
  my %is_file = map { $_ => 1 } grep { !m{/port_} || m{/$port/} } split /\n/, $files;
  my %uses;
  for my $file (keys %is_file) {
    open my $in, '<', $file or die "$file: $!\n";
    while (<$in>) {
      my ($name) = /^\s*#\s*include\s*"([^"]+\.hpp)"/ or next;
      $name =~ s{^libpool/simulator/}{tools/poolsim/};
      (my $inside = $name) =~ s{^libpool/}{};
      my ($found) = grep { $is_file{$_} } $name, $inside,
        map { s{(^|/)port/}{$1$port/}r } $name, $inside;
      # Other roots are folders inside.
      (my $ported = $inside) =~ s{(^|/)port/}{$1$port/};
      ($found) = grep { m{/(?:\Q$inside\E|\Q$ported\E)$} } sort keys %is_file if !$found;
      if (!$found && $name =~ m{^libpool/}) {
        print "$file: the linter does not find \"$name\"\n";
        $failed = 1;
      }
      next if !$found;
      my ($from, $to) = map { s/\.[ch]pp$//r } $file, $found;
      $uses{$from}{$to} = 1 if $from ne $to;
    }
  }
  for my $unit (sort keys %uses) {
    my @circle = circle_of($unit, \%uses) or next;
    print join(" <- ", @circle), "\n";
    $failed = 1;
  }
}

# circle_of UNIT USES: the shortest way on which the unit includes itself.
sub circle_of {
  my ($unit, $uses) = @_;
  my (%from, @open);
  @open = ($unit);
  while (defined(my $next = shift @open)) {
    for my $used (sort keys %{$uses->{$next} || {}}) {
      next if $from{$used};
      $from{$used} = $next;
      push @open, $used;
    }
  }
  return if !$from{$unit};
  my @way = ($unit);
  do { push @way, $from{$way[-1]} } until $way[-1] eq $unit;
  return @way;
}
exit $failed;
