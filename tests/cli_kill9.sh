#!/bin/sh
# cli_kill9.sh - kill -9 at any moment leaves the whole old file or the whole
# new one
. tests/lib.sh

make_png photo.png 96 96 '128 + 100 * sin ($x / 9 + $c) * cos ($y / 7)'
make_png mask.png 96 96 '($x > 20 && $x < 30 && $y > 20 && $y < 30) * 255'
make_png old.png 96 96 '$x + $y * $c'
run inpaint photo.png --mask mask.png -q -o new.png
judge "an undisturbed run" 0

# Kills 200 runs, each at a random moment around what one usually takes, and
# says how often the file was old, new, or neither.
perl -MTime::HiRes=time,sleep -MFile::Copy -e '
  srand 20;
  my @command = (@ARGV, qw(inpaint photo.png --mask mask.png -q --force
                           -o victim.png));
  my ($old, $new) = map { content ($_) } "old.png", "new.png";
  my %count = (old => 0, new => 0, neither => 0);

  sub content { local $/; open my $in, "<:raw", $_[0] or return ""; <$in> }

  sub start { my $child = fork; exec @command if !$child; $child }

  sub duration { my $began = time; waitpid start (), 0; time - $began }

  my $usual = (sort { $a <=> $b } map { duration () } 1 .. 5)[2];

  for (1 .. 200) {
    copy "old.png", "victim.png";
    my $child = start ();
    sleep rand (1.5 * $usual);
    kill "KILL", $child;
    waitpid $child, 0;
    my $now = content ("victim.png");
    $count{$now eq $old ? "old" : $now eq $new ? "new" : "neither"}++;
  }
  print "$_ $count{$_}\n" for sort keys %count;
' "$TESSERA" >counts
sed 's/^/# /' counts

ok "200 killed runs left whole files only" grep -q '^neither 0$' counts
ok "... some of them old" grep -q '^old [1-9]' counts

# A run that is killed when all is written and before it has its name.
cat >kill.c <<'END'
#include <signal.h>
int fsync (int fd);
int fsync (int fd) { (void) fd; return raise (SIGKILL); }
END
if ! perl -e '
  use Fcntl; # O_TMPFILE
  sysopen my $file, ".", O_WRONLY | 020200000, 0600 or exit 1;'; then
  skip "a nameless file" "this file system has none"
elif ! ${CC:-cc} -shared -fPIC -o kill.so kill.c 2>/dev/null; then
  skip "a nameless file" "there is no compiler"
elif ! (ulimit -v 4000000 && "$TESSERA" --version >/dev/null 2>&1); then
  skip "a nameless file" "a sanitizer does not let us in"
else
  rm -f .tessera*
  for output in fresh.png victim.png; do
    LD_PRELOAD=$PWD/kill.so "$TESSERA" inpaint photo.png --mask mask.png -q \
      --force -o $output
    ok "killed before $output has its name" [ $? -eq 137 ]
    ok "... leaves nothing behind" nothing_pending
  done
fi

finish
