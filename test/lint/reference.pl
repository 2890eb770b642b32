#!/usr/bin/perl
# reference.pl DIR: docs/reference has every code of errc with its text, every
# option of the public structs of options, and quotes only errors that the sources
# have; docs/operations/statistics.md has every figure of pools with its metric.
use strict;
use warnings;
chdir $ARGV[0] or die "$ARGV[0]: $!\n";

my $failed = 0;
sub fail {
  print STDERR "@_\n";
  $failed = 1;
}
sub text_of {
  my ($path) = @_;
  open my $file, '<', $path or die "$path: $!\n";
  local $/;
  return scalar <$file>;
}

my $errors = text_of('docs/reference/errors.md');
my $options = text_of('docs/reference/options.md');

my ($codes) = text_of('libpool/core/errc.hpp') =~ /enum class errc[^{]*\{(.*?)\};/s;
my %text = text_of('libpool/core/errc.cpp') =~ /\{errc::(\w+), "\w+",\s*"([^"]*)"/g;
for my $code ($codes =~ /^  (\w+)(?: = 1)?,?$/mg) {
  fail("errors.md: no row for $code") if $errors !~ /^\| `$code` \| `\Q$text{$code}\E` \|/m;
}
fail('errc: no codes found') if keys %text < 20;

# Quotes of texts, one in each row.
my $sources = join '', map { text_of($_) } split /\n/,
  qx(find actors apps examples libpool nodes observability policies tools cmake -name '*.[ch]pp' -o -name '*.cmake*' -o -name poolcert);
$sources =~ s/"\s*\n\s*"//g;
my ($messages) = $errors =~ /^## Messages\n(.*?)^## /sm;
my @quotes = $messages =~ /^\| `(.*?)` \|/mg;
for my $quote (@quotes) {
  (my $written = $quote) =~ s/["\\]/\\$&/g;
  fail("errors.md: no source has '$quote'")
    if index($sources, $quote) < 0 && index($sources, $written) < 0;
}
fail('errors.md: fewer than forty messages') if @quotes < 40;

# Members of public structs whose names end in _options, _limits or _wants.
my $structs = 0;
for my $path (split /\n/, qx(ls actors/*.hpp policies/*.hpp policies/*/*.hpp observability/live/live_*.hpp nodes/*.hpp observability/metrics/metrics_collector.hpp libpool/core/*.hpp)) {
  my $header = text_of($path) =~ s/^namespace detail \{.*?^\} \/\/ namespace detail$//smgr;
  while ($header =~ /^struct (\w+_(?:options|limits|wants))\b[^{;]*\{(.*?)^\};/smg) {
    my ($struct, $members) = ($1, $2);
    ++$structs;
    $members =~ s{//.*}{}g;
    my @names = ($members =~ /^  [\w:][^;()]*?[\s>](\w+)(?:\s*=[^;]*|\{[^;]*\})?;/mg,
      $members =~ /^  std::function<[^;]*> (\w+)(?: = [^;]*)?;/mg);
    my ($section) = $options =~ /^### $struct\n(.*?)(?=^##|\z)/sm;
    for my $name (@names) {
      fail("options.md: no row for ${struct}::$name")
        if ($section // $options) !~ /^\|[^|]*(?:\|[^|]*){0,2}`$name`/m;
    }
  }
}
fail('no structs of options found') if $structs < 20;

# Figures of pools, which are described once, in rows | `field` | meaning | metric |.
my %section = (pool_figures => 'pool_stats', dispatcher_counts => 'pool_stats',
  all_workers_stats => 'worker_stats');
my $statistics = text_of('docs/operations/statistics.md');
my $figures = 0;
for my $path ('libpool/core/pool_figures.hpp', 'libpool/core/dispatcher_counts.hpp',
  'actors/pool_stats.hpp') {
  my $header = text_of($path);
  while ($header =~ /\b(?:counter|gauge|age)\(\s*"\w+",\s*&(\w+)::(\w+)(?:,\s*"(\w+)")?/g) {
    my ($struct, $field, $metric) = ($section{$1} // $1, $2, $3 // '');
    ++$figures;
    my ($rows) = $statistics =~ /^### $struct\n(.*?)(?=^##|\z)/sm;
    fail("statistics.md: no row for ${struct}::$field"
        . ($metric ? " with the metric $metric" : ''))
      if ($rows // '') !~ /^\| `$field` \|.*\|[^|]*$metric[^|]*\|$/m;
  }
}
fail('no figures of pools found') if $figures < 60;
exit $failed;
