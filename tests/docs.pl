# docs.pl - what documents name: docs.pl links|files|names|quotes|commands DOCUMENT [HELP]
#
# Run from the root of the project.  Prints a line for each name that does not
# exist, and fails where there is one.
#
#   links     relative links and pictures lead to a file, and to a heading of it
#   files     files of the sources that are named in code exist
#   names     names of the library, and functions, written so(), are in the sources
#   quotes    code after "From `FILE`:" stands in that file
#   commands  goals of make exist, and "tessera COMMAND" has the options that are
#             named with it.  HELP is the folder with the help of each command; an
#             option that stands alone must be one of any command.  Also in pages of
#             the manual.
use strict;
use warnings;

my ($check, $document, $help) = @ARGV;
my $text = slurp ($document);
my $found = 0;

sub slurp
{
  my ($path) = @_;
  open my $file, "<", $path or die "$path: $!\n";
  local $/;
  return <$file>;
}

sub complain
{
  print "# $document: @_\n";
  $found = 1;
}

sub folder_of
{
  my ($path) = @_;
  return $path =~ m{^(.*)/[^/]*$} ? $1 : ".";
}

# Headings as GitHub names them in links.
sub anchors
{
  my %anchors;
  for (slurp ($_[0]) =~ /^#+ (.*)$/mg) {
    my $name = lc;
    $name =~ s/[^\w\- ]//g;
    $name =~ s/ /-/g;
    $anchors{$name} = 1;
  }
  return \%anchors;
}

# Pieces of code: fenced or indented blocks, line by line with continuations
# joined, and spans.
sub code
{
  my ($text) = @_;
  my @pieces;
  if ($text =~ /^\.Dd /) {
    return $text =~ s/\\e\n(?:\.Dl)?[\\ ]*/ /gr =~ /^(?:\.Dl )?\$ (.*)/mg;
  }
  $text =~ s/^[ \t]*```\w*\n(.*?)^[ \t]*```$/push @pieces, blocks ($1); ""/msge;
  $text =~ s/((?:^ {4,}\S.*\n)+)/push @pieces, blocks ($1); ""/mge;
  push @pieces, map { s{\s+}{ }gr } $text =~ /`([^`]+)`/g;
  return @pieces;
}

sub blocks
{
  my ($block) = @_;
  $block =~ s/\\\n\s*/ /g;
  return grep { /\S/ } split /\n/, $block;
}

# ---- links ----

if ($check eq "links") {
  (my $prose = $text) =~ s/^```.*?^```$//msg;
  for my $link ($prose =~ /\]\(([^)\s]+)\)/g) {
    next if $link =~ m{^[a-z]+:};
    my ($path, $anchor) = split /#/, $link, 2;
    my $file = $path eq "" ? $document : folder_of ($document) . "/" . $path;
    if (!-e $file) {
      complain "there is no $link";
    } elsif (defined $anchor && !anchors ($file)->{$anchor}) {
      complain "$file has no heading for $link";
    }
  }
}

# ---- files ----

if ($check eq "files") {
  my @all = split /\n/, `find . -path ./build -prune -o -path ./.git -prune -o -type f -print`;
  my %paths = map { s{^\./}{}r => 1 } @all;
  my %names = map { m{([^/]+)$}; $1 => 1 } @all;

  for my $piece (code ($text)) {
    for my $word ($piece =~ m%(?<![\w/.{*~-])((?:[\w.-]+/)*[\w.-]+)(?![\w/{*])%g) {
      $word =~ s/[.,]+$//;
      next if $word =~ /NAME|^\.\./;
      my $in_sources = $word =~ m{^(app|base|data|dictlearn|docs|imaging|include|omp|python|tests)/};
      next if !$in_sources && $word !~ /\w\.(c|h|inc|py|sh|pl|mk|mjs|trees)$/;
      next if $word =~ /^program\.c$/;
      my $here = folder_of ($document) . "/" . $word;
      next if $paths{$word} || -e $word || -e $here;
      next if $word !~ m{/} && $names{$word};
      next if $word =~ m{^tests/(test_\w+)$} && -e "$word.c";
      complain "there is no file $word";
    }
  }
}

# ---- names ----

if ($check eq "names") {
  my %known;
  for my $path (split /\n/, `find app base dictlearn imaging include omp python -name '*.[ch]' -o -name '*.py'`) {
    $known{$_} = 1 for slurp ($path) =~ /\w+(?= ?\()|T(?:ESSERA_|essera)\w+/g;
  }
  for my $name ($text =~ /\b(tessera_\w+|TESSERA_\w+|Tessera[A-Z]\w+|\w+(?=\(\)))/g) {
    complain "the sources have no $name" if !$known{$name} && $name !~ /NAME/;
  }
}

# ---- quotes ----

if ($check eq "quotes") {
  while ($text =~ /From\s+`([^`]+)`:\n+```\w+\n(.*?)^```$/msg) {
    my ($path, $quote) = ($1, $2);
    complain "$path has no such lines" if index (slurp ($path), $quote) < 0;
  }
}

# ---- commands ----

if ($check eq "commands") {
  my $makefiles = join "", map { slurp ($_) } "Makefile", glob "*/*.mk */*/*.mk";
  my (%options, %any);
  for my $path (glob "$help/*") {
    my ($command) = $path =~ m{([^/]+)$};
    $options{$command}{$_} = $any{$_} = 1 for slurp ($path) =~ /(--[a-z][a-z0-9-]*)/g;
  }

  # The macro Fl names options.
  for my $line ($text =~ /^\.(?:It |Op )?Fl (.*)/mg) {
    for ($line =~ /(?:^|\s)-([a-z][a-z0-9-]+)/g) {
      complain "no command has an option --$_" if !$any{"--$_"};
    }
  }

  for my $piece (code ($text)) {
    $piece =~ s/\s#.*//;
    for my $call (split /\||&&|;/, $piece) {
      if ($call =~ /^\s*(?:sudo )?make\s+(.*)/) {
        for my $goal (split " ", $1 =~ s/\w+="[^"]*"//gr) {
          next if $goal =~ /=|^-/;
          complain "make has no goal $goal"
            if $makefiles !~ /^(?:[\w-]+ )*\Q$goal\E(?: [\w-]+)*:(?!=)/m;
        }
      } elsif ($call =~ /(?:^|\s)(?:\$ )?(?:build\/)?tessera ([a-z]+)\b(.*)/) {
        my ($command, $rest) = ($1, $2);
        next if $rest =~ /^\.(?:c|h)\b/;
        if (!$options{$command}) {
          complain "there is no command $command";
          next;
        }
        for ($rest =~ /(?<![\w-])(--[a-z][a-z0-9-]*)/g) {
          complain "$command has no option $_" if !$options{$command}{$_};
        }
      } elsif ($call =~ /^\s*(--[a-z][a-z0-9-]*)/) {
        complain "no command has an option $1" if !$any{$1};
      } elsif ($call =~ /^\s*(\w+) (--[a-z][a-z0-9-]*)/ && $options{$1}) {
        complain "$1 has no option $2" if !$options{$1}{$2};
      }
    }
  }
}

exit $found;
