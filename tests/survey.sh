#!/bin/sh
# survey.sh - many files through the program: how it ends, how long it takes,
# how much memory it needs
#
# usage: TESSERA=build/asan/tessera sh tests/survey.sh FOLDER...
#
# Every file is an input of "inpaint".  Prints the exit codes by count for each
# folder, the slowest file and the one with the largest memory; names every
# file that ends in another way than it should.  Fails if there is one.
set -u
TESSERA=${TESSERA:-$PWD/build/tessera}
export TESSERA

exec perl -e '
  use strict;
  use warnings;
  use File::Temp qw(tempdir);
  use Time::HiRes qw(time);
  use POSIX qw(uname);

  my %wait4 = (x86_64 => 61, aarch64 => 260);
  my $wait4 = $wait4{(uname)[4]} or die "survey: unknown machine\n";
  my $folder = tempdir (CLEANUP => 1);
  my (@slowest, @largest, $bad);
  @slowest = @largest = (0, "none");

  # Exit code, seconds and kilobytes of one run; its words are in err.
  sub run {
    my ($file) = @_;
    my $began = time;
    my $child = fork // die "survey: $!\n";

    if (!$child) {
      open STDERR, ">", "$folder/err";
      exec $ENV{TESSERA}, "inpaint", $file, "--mask-color", "000000",
        "--quality", "fast", "-q", "--force", "-o", "$folder/out.png";
      die;
    }
    my ($status, $usage) = (pack ("i", 0), "\0" x 256);
    syscall ($wait4, $child, $status, 0, $usage) == $child or die;
    $status = unpack "i", $status;
    # ru_maxrss comes after two times of two numbers each.
    return ($status & 127 ? "signal " . ($status & 127) : $status >> 8,
            time - $began, unpack "x32 q", $usage);
  }

  sub words { local $/; open my $in, "<", "$folder/err" or return ""; <$in> }

  for my $corpus (@ARGV) {
    my %codes;
    for my $file (sort glob "\Q$corpus\E/*") {
      next if !-f $file;
      my ($code, $seconds, $kilobytes) = run ($file);
      my $words = words ();
      $codes{$code}++;
      @slowest = ($seconds, $file) if $seconds > $slowest[0];
      @largest = ($kilobytes, $file) if $kilobytes > $largest[0];
      next if $code eq "0" && $words eq "";
      next if $code =~ /^[34]$/ && $words =~ /\Atessera: [^\n]*\n\z/;
      print "BAD $file: $code\n$words";
      $bad = 1;
    }
    print "$corpus: ", join (", ", map { "exit code $_: $codes{$_}" }
                                       sort keys %codes), "\n";
  }
  printf "slowest: %.2f s, %s\n", @slowest;
  printf "largest: %.1f MB, %s\n", $largest[0] / 1000, $largest[1];
  exit ($bad // 0);
' "$@"
