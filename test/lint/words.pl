#!/usr/bin/perl
# words.pl DIR [ALLOWED]: what users read has none of the phrases below. Users
# read the pages of the manual, comments of headers, texts in quotes, the live
# page. A line of ALLOWED names a file and a phrase there that may stay, and why:
# FILE: PHRASE: REASON. It has at most ten lines, and each is needed.
use strict;
use warnings;
use File::Find;

my $refused = qr/\b(?:so\ many|(?:is|are)\ no\b(?!\ (?:longer|more)\b)|but\ for
  |whoever|nobody)\b/xi;
my $beginning = qr/(?:^|[.:;]\ )\K(?:Of|Since\ when|By\ which|Those\ that
  |For\ people)\b/x;

my ($root, $list) = @ARGV;
my (%allowed, $failed);
if (defined $list) {
  open my $lines, '<', $list or die "$list: $!\n";
  while (<$lines>) {
    next if /^(#|$)/;
    /^(\S+): (.+?): \S/ or die "$list:$.: not FILE: PHRASE: REASON\n";
    $allowed{"$1: $2"} = 0;
  }
  keys %allowed <= 10 or die "$list: more than ten exceptions\n";
}

# Texts of a file with the numbers of their first lines.
sub texts {
  my ($path, $lines) = @_;
  return paragraphs($lines, qr/^\s*(?:#+ |[-*] |\d+[.] |> |\|.*\|)?/)
    if $path =~ /[.]md$/;
  my @texts = $path =~ /[.]hpp$/ ? paragraphs($lines, qr{^\s*///?<? ?}) : ();
  for my $i (0 .. $#$lines) {
    next if $lines->[$i] =~ m{^\s*(?://|#)};
    push @texts, [$i + 1, $1] while $lines->[$i] =~ /"((?:[^"\\]|\\.)*)"/g;
  }
  push @texts, paragraphs($lines, qr/^\s*/) if $path =~ /[.]html$/;
  return @texts;
}

# Lines that begin as told, joined until one that does not, or an empty one.
sub paragraphs {
  my ($lines, $begin) = @_;
  my (@found, $open);
  my $is_code = 0;
  for my $i (0 .. $#$lines) {
    my $line = $lines->[$i];
    $is_code = !$is_code if $line =~ /^\s*(?:\/\/\/ ?)?```/;
    my $has_begun = !$is_code && $line =~ s/$begin//;
    my $begins_anew = $has_begun && $& =~ /[-*#|>\d]/;
    $line =~ s/\s+$//;
    if (!$has_begun || $line eq '') {
      $open = undef;
    } elsif (!defined $open || $begins_anew) {
      push @found, $open = [$i + 1, $line];
    } else {
      $open->[1] .= " $line";
    }
  }
  return @found;
}

sub check {
  my ($path, $name) = @_;
  open my $file, '<', $path or die "$path: $!\n";
  my @lines = <$file>;
  for my $text (texts($path, \@lines)) {
    while ($text->[1] =~ /$refused|$beginning/g) {
      my $key = "$name: $&";
      if (exists $allowed{$key}) {
        ++$allowed{$key};
      } else {
        print STDERR "$name:$text->[0]: '$&'\n";
        $failed = 1;
      }
    }
  }
}

chdir $root or die "$root: $!\n";
my @paths;
find({no_chdir => 1, wanted => sub {
  $File::Find::prune = 1 if m{^\./(?:build.*|test|bench|[.]git)$};
  push @paths, $_ if /[.](?:hpp|cpp|md|html)$/ && -f;
}}, '.');
check($_, s{^\./}{}r) for sort @paths;
for (grep { !$allowed{$_} } sort keys %allowed) {
  print STDERR "$list: not needed: $_\n";
  $failed = 1;
}
exit($failed ? 1 : 0);
