#!/bin/sh
# cli_siege.sh - a tree of pictures of all kinds, killed again and again
#
# SIEGE_FILES pictures, of which three are broken and one cannot be read, and
# SIEGE_KILLS runs that end with kill -9 at random moments: the run that is left
# alone at last gives the same bytes as one that was never disturbed.  "make
# siege" has 500 and 10 of them, and prints memory and files per second.
. tests/lib.sh

files=${SIEGE_FILES:-40}
kills=${SIEGE_KILLS:-4}
export files kills

# ---- the tree ----

make_png colour.png 64 48 '128 + 100 * sin ($x / 9 + $c) * cos ($y / 7)'
make_png mask.png 64 48 '($x > 20 && $x < 30 && $y > 10 && $y < 20) * 255'
kinds="png jpg"
for format in tif webp; do
  "$TESSERA" corrupt colour.png --missing 0 -q -o probe.$format 2>/dev/null \
    && kinds="$kinds $format"
done
mkdir kinds
for seed in 1 2 3 4; do
  for kind in $kinds; do
    "$TESSERA" corrupt colour.png --noise 5 --seed $seed -q \
      -o kinds/colour$seed.$kind
  done
  perl -e '
    use strict; use warnings; use Compress::Zlib;
    my ($seed, $depth) = @ARGV;
    my ($w, $h, $raw) = (64, 48, "");
    for my $y (0 .. $h - 1) {
      $raw .= "\0";
      for my $x (0 .. $w - 1) {
        my $v = 0.5 + 0.4 * sin ($x / 7 + $seed) * cos ($y / 5);
        $raw .= $depth == 8 ? pack "C", 255 * $v : pack "n", 65535 * $v;
      }
    }
    sub chunk {
      my ($name, $data) = @_;
      pack ("N", length $data) . $name . $data . pack "N", crc32 ($name . $data);
    }
    print "\x89PNG\r\n\x1a\n",
      chunk ("IHDR", pack "NNCCCCC", $w, $h, $depth, 0, 0, 0, 0),
      chunk ("IDAT", compress ($raw)), chunk ("IEND", "");
  ' $seed $((seed % 2 ? 16 : 8)) >kinds/grey$seed.png
  for kind in $kinds; do
    [ $kind = jpg ] || "$TESSERA" corrupt kinds/grey$seed.png --missing 0 -q \
      -o kinds/deep$seed.$kind 2>/dev/null
  done
done
find kinds -type f -size 0 -exec rm {} +
perl -MFile::Copy -e '
  my @kinds = sort glob "kinds/*";
  mkdir "tree";
  for my $i (1 .. $ENV{files} - 4) {
    my $from = $kinds[$i % @kinds];
    my ($ending) = $from =~ /(\.\w+)$/;
    my $folder = sprintf "tree/%d", $i % 7;
    mkdir $folder;
    $folder .= "/deeper" if $i % 3 == 0;
    mkdir $folder;
    copy $from, sprintf ("%s/%03d%s", $folder, $i, $ending) or die;
  }'
head -c 300 kinds/colour1.png >tree/1/cut.png
echo "not a picture" >tree/2/words.jpg
: >tree/3/empty.png
ln -s nowhere.png tree/4/gone.png
ln -s .. tree/5/loop

fill () {
  "$TESSERA" inpaint tree --recursive --mask mask.png --quality fast "$@"
}

# ---- undisturbed ----

fill -o calm >out 2>err
ok "a run ends with 3" [ $? -eq 3 ]
ok "... and a sum" grep -q \
  "$files pictures: $((files - 4)) done, 0 skipped, 4 failed" err
grep 'pictures: ' err | sed 's|^|# |'
for name in cut.png words.jpg empty.png gone.png; do
  ok "... a line for $name" grep -q "^tessera: .*/$name: " err
done

# ---- killed ----

perl -MTime::HiRes=time,sleep -e '
  srand 15;
  my @command = (@ARGV, qw(inpaint tree --recursive --mask mask.png --quality
                           fast -q -o stormy));
  my $began = time;
  system "rm", "-rf", "timed";
  system "@ARGV inpaint tree --recursive --mask mask.png --quality fast -q "
    . "-o timed 2>/dev/null";
  my $usual = time - $began;
  my $killed = 0;
  for (1 .. $ENV{kills}) {
    my $child = fork;
    if (!$child) { open STDERR, ">", "/dev/null"; exec @command; }
    sleep rand (1.5 * $usual / $ENV{kills});
    kill "KILL", $child;
    waitpid $child, 0;
    $killed++ if $? == 9;
  }
  print "$killed\n";
' "$TESSERA" >killed
ok "runs were killed" [ "$(cat killed)" -gt 0 ]
echo "# $(cat killed) of $kills runs were killed," \
  "$(find stormy -type f ! -path '*/.tessera/*' 2>/dev/null | wc -l) results"
fill -o stormy >out 2>err
ok "the last run ends with 3" [ $? -eq 3 ]
ok "... and goes on where they were" grep -q \
  "$files pictures: [0-9]* done, [1-9][0-9]* skipped, 4 failed" err
grep 'pictures: ' err | sed 's|^|# |'
ok "the same bytes as undisturbed" diff -r -x .tessera calm stormy
ok "... and as timed" diff -r -x .tessera calm timed
fill -o stormy >out 2>err
ok "another run has nothing to do" grep -q \
  "$files pictures: 0 done, $((files - 4)) skipped, 4 failed" err
ok "no half file is left" [ -z "$(find stormy -name '.tessera?*' -type f)" ]

# ---- figures ----

if [ -n "${SIEGE_FIGURES:-}" ] && [ -x /usr/bin/time ]; then
  for jobs in 1 2; do
    /usr/bin/time -o figures -f "%e s, %U s of processors, %M kB" \
      "$TESSERA" inpaint tree --recursive --mask mask.png --quality fast -q \
      --jobs $jobs --threads $jobs -o figure$jobs 2>/dev/null
    echo "# $jobs at a time: $(tail -n 1 figures)"
    ok "$jobs at a time: the same bytes" diff -r -x .tessera calm figure$jobs
  done
fi

finish
