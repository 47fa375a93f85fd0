#!/bin/sh
# cli_folders.sh - folders of pictures: what becomes what, what is made again,
# what is left alone, and a run that is killed
. tests/lib.sh

# A tree of small damaged pictures and their masks.
mkdir -p scans/a/deep scans/b marks/a/deep
make_png scans/one.png 40 30 '($x > 10 && $x < 18 && $y > 8 && $y < 16)
  ? 0 : 128 + 60 * sin ($x / 5 + $c)'
make_png scans/a/two.png 40 30 '($x > 20 && $x < 28 && $y > 8 && $y < 16)
  ? 0 : 128 + 60 * cos ($y / 5 + $c)'
make_png scans/a/deep/three.png 30 40 '($x > 8 && $x < 16 && $y > 8 && $y < 16)
  ? 0 : 100 + 3 * $x + $y'
make_png mask.png 40 30 '255 * ($x > 10 && $x < 18 && $y > 8 && $y < 16)'
cp mask.png marks/one.png
make_png marks/a/two.png 40 30 '255 * ($x > 20 && $x < 28 && $y > 8 && $y < 16)'
make_png marks/a/deep/three.png 30 40 \
  '255 * ($x > 8 && $x < 16 && $y > 8 && $y < 16)'
echo "no picture" >scans/b/notes.txt
FILL="inpaint --quality fast"

# lines - how many lines out has
lines () { wc -l <out; }

# sums FOLDER - what is in a folder, without records
sums () {
  (cd "$1" && find . -type f ! -path '*/.tessera/*' -exec cksum {} + | sort)
}

# counts DONE SKIPPED FAILED - whether the summary says so
counts () { says "$1 done, $2 skipped, $3 failed"; }

# ---- names ----

expect "a folder" 0 $FILL scans --mask marks -o flat
ok "... without --recursive is one level" [ "$(sums flat | wc -l)" -eq 1 ]
expect "a tree" 0 $FILL scans --mask marks -r -o tree
ok "... is kept" [ -f tree/one.png -a -f tree/a/two.png \
  -a -f tree/a/deep/three.png ]
ok "... with nothing else in it" [ "$(sums tree | wc -l)" -eq 3 ]
ok "... and a summary" counts 3 0 0
run $FILL scans/a/two.png --mask marks/a/two.png -q -o alone.png
ok "... the same bytes as one by one" cmp alone.png tree/a/two.png
expect "two files into a new folder" 0 \
  $FILL scans/one.png scans/a/two.png --mask mask.png -o "new folder"
ok "... by their names" [ -f "new folder/one.png" -a -f "new folder/two.png" ]
expect "one file into a folder" 0 $FILL scans/a/two.png --mask marks/a/two.png \
  -o flat
ok "... by its name" cmp flat/two.png alone.png
expect "a suffix and a format" 0 \
  $FILL scans -r --mask marks --suffix -clean --format jpg -o jpegs
ok "... change the names" [ -f jpegs/a/two-clean.jpg ]
mv marks/a/deep/three.png away.png
run $FILL scans -r --mask marks -o part
ok "a missing mask fails that picture" [ $status -eq 3 ]
ok "... says which" says "scans/a/deep/three.png: there is no mask"
ok "... and not the others" counts 2 0 1
mv away.png marks/a/deep/three.png

expect "several pictures into a file" 2 \
  $FILL scans/one.png scans/a/two.png --mask mask.png -o out.png
expect "several pictures to standard output" 2 \
  $FILL scans/one.png scans/a/two.png --mask mask.png -o -
expect "a folder without pictures" 3 $FILL scans/b --mask mask.png -o none
ok "... leaves none" [ ! -e none ]
expect "--recursive helps" 3 denoise scans/b -o none
ok "... and is named" says "--recursive"

# ---- masks of results ----

expect "masks of results" 0 $FILL scans --mask marks -r -o with --mask-out used
ok "... have the names of their inputs" [ "$(sums used | wc -l)" -eq 3 ]
for name in one a/two a/deep/three; do
  run score marks/$name.png used/$name.png --json
  ok "... are those of $name" [ "$(json identical)" = true ]
done
ok "... and change no result" [ "$(sums with)" = "$(sums tree)" ]
expect "... as JPEGs have them" 0 $FILL scans --mask marks -r --suffix -clean \
  --format jpg -o jpegs --mask-out used2
ok "... too" [ "$(sums used)" = "$(sums used2)" ]
expect "masks that were found" 0 $FILL scans --find blocks -r -o found_with \
  --mask-out found
expect "... can be given back" 0 $FILL scans --mask found -r -o given_back
ok "... for the same pictures" [ "$(sums found_with)" = "$(sums given_back)" ]
rm used/one.png
expect "a mask that is gone" 0 $FILL scans --mask marks -r -o with \
  --mask-out used
ok "... is made again, alone" counts 1 2 0
ok "... as it was" [ "$(sums used)" = "$(sums used2)" ]
rm with/one.png
expect "a result that is gone" 0 $FILL scans --mask marks -r -o with \
  --mask-out used
ok "... is made again, alone" counts 1 2 0
ok "... as it was" [ "$(sums with)" = "$(sums tree)" ]
echo "by hand" >used/one.png
expect "a mask that was changed" 0 $FILL scans --mask marks -r -o with \
  --mask-out used --seed 2
ok "... is kept" grep -q "by hand" used/one.png
ok "... and named" says "used/one.png exists"
expect "masks into one file" 2 $FILL scans --mask marks -o out --mask-out m.png
expect "masks over their results" 2 $FILL scans --mask marks -o outs \
  --mask-out outs
ok "... which is said" says "and its mask would both become"
expect "masks over their inputs" 2 $FILL scans --mask marks -o out \
  --mask-out scans
expect "masks over masks" 2 $FILL scans --mask marks -o out --mask-out marks
expect "masks in a folder of inputs" 0 $FILL scans --find blocks -r -o inside \
  --mask-out scans/masks
expect "... are no inputs" 0 $FILL scans --find blocks -r -o inside \
  --mask-out scans/masks
ok "... of the next run" counts 0 3 0
rm -r scans/masks
expect "a folder for the mask of one picture" 1 $FILL scans/one.png \
  --mask mask.png -o alone2.png --mask-out used

# ---- long names, and names that are nearly the same ----

long=$(printf '%0251d' 0)
mkdir long
for ending in .png 1png 2png; do cp scans/one.png "long/$long$ending"; done
mv "long/${long}1png" "long/1$(printf '%0250d' 0).png"
mv "long/${long}2png" "long/$(printf '%0246d' 0).jpg.png"
expect "names of 255 bytes" 0 $FILL long --mask mask.png -o longer
ok "... have results" [ "$(ls longer | wc -l)" -eq 3 ]
expect "... and records" 0 $FILL long --mask mask.png -o longer
ok "... that hold" counts 0 3 0
ok "... each its own" [ "$(ls longer/.tessera | wc -l)" -eq 3 ]
expect "... and are made again" 0 $FILL long --mask mask.png -o longer --seed 2
ok "... with other options" counts 3 0 0
run $FILL long --mask mask.png --suffix -clean -o longest
ok "a name that becomes too long fails" [ $status -eq 3 ]
ok "... which is said" says "File name too long"
ok "... and leaves nothing" [ "$(sums longest | wc -l)" -eq 0 ]

mkdir -p case/a case/A
for name in x.png X.png a/y.png A/y.png; do
  cp scans/one.png "case/$name"
done
expect "names that differ by case" 0 $FILL -r case --mask mask.png -o cases
ok "... have a result each" counts 4 0 0
ok "... and are noticed" says "differ only by case"
# A disk that takes .TESSERA for .tessera.
cat >fold.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
int
fstatat (int folder, const char *name, struct stat *info, int flags)
{
  int (*real) (int, const char *, struct stat *, int) =
    (int (*) (int, const char *, struct stat *, int)) dlsym (RTLD_NEXT,
                                                             "fstatat");

  return real (folder, strcmp (name, ".TESSERA") == 0 ? ".tessera" : name,
               info, flags);
}
END
if ! (ulimit -v 4000000 && "$TESSERA" --version >/dev/null 2>&1); then
  skip "a disk that ignores case" "a sanitizer does not let us in"
elif ! ${CC:-cc} -shared -fPIC -o fold.so fold.c -ldl 2>/dev/null; then
  skip "a disk that ignores case" "there is no compiler"
else
  LD_PRELOAD=$PWD/fold.so "$TESSERA" $FILL -r case --mask mask.png \
    -o cases2 >out 2>err
  status=$?
  judge "a disk that ignores case" 2
  ok "... is noticed before the first result" [ "$(sums cases2 | wc -l)" -eq 0 ]
  LD_PRELOAD=$PWD/fold.so "$TESSERA" $FILL scans --mask marks \
    -o cases3 >out 2>err
  status=$?
  judge "... and takes other names" 0
fi

# ---- originals are never replaced ----

before=$(sums scans)
expect "the folder of the inputs" 2 $FILL scans --mask marks --force -o scans
expect "... by another name" 2 $FILL scans --mask marks --force -o ./a/../scans/
mkdir linked
ln -s ../scans/one.png linked/one.png
expect "a result that is a link to an input" 2 \
  $FILL scans --mask marks --force -o linked
ok "... inputs are as they were" [ "$before" = "$(sums scans)" ]
mkdir twice
cp scans/a/two.png twice/one.png
expect "two pictures of one name" 2 \
  $FILL scans/one.png twice/one.png --mask mask.png -o both
expect "an output folder inside" 0 $FILL scans -r --mask marks -o scans/b/out
expect "... is no input" 0 $FILL scans -r --mask marks -o scans/b/out
ok "... of the next run" counts 0 3 0
rm -r scans/b/out
cp -r scans beside
expect "results beside the inputs" 0 \
  $FILL beside -r --mask marks --suffix .done -o beside
expect "... are no inputs" 0 \
  $FILL beside -r --mask marks --suffix .done -o beside
ok "... of the next run" counts 0 3 0

# ---- what is made again ----

old=$(sums tree)
expect "the same again" 0 $FILL scans --mask marks -r -o tree
ok "... does nothing" counts 0 3 0
expect "another option" 0 $FILL scans --mask marks -r -o tree --seed 3
ok "... makes all again" counts 3 0 0
expect "--skip-existing" 0 $FILL scans --mask marks -r -o tree --skip-existing
ok "... trusts names" counts 0 3 0
expect "options of manner" 0 $FILL scans --mask marks -r -o tree --seed 3 \
  --threads 1 --jobs 1 --verbose
ok "... change nothing" counts 0 3 0
cp scans/a/two.png two.png
make_png scans/a/two.png 40 30 '($x > 20 && $x < 28 && $y > 8 && $y < 16)
  ? 0 : 200 + 30 * cos ($y / 5 + $c)'
expect "another picture" 0 $FILL scans --mask marks -r -o tree --seed 3
ok "... is made again" counts 1 2 0
echo "by hand" >tree/one.png
expect "a result that was changed" 0 $FILL scans --mask marks -r -o tree
ok "... is kept" grep -q "by hand" tree/one.png
ok "... and named" says "tree/one.png exists"
expect "--force" 0 $FILL scans --mask marks -r -o tree --force
ok "... replaces it" counts 3 0 0
cp two.png scans/a/two.png
expect "back to the start" 0 $FILL scans --mask marks -r -o tree
ok "... is the same as before" [ "$old" = "$(sums tree)" ]

# ---- what is left out ----

mkdir mixed
cp scans/one.png mixed
printf '\0\0\0\030ftypheic\0\0\0\0' >mixed/phone.heic
printf 'GIF89a' >mixed/moving.gif
echo "words" >mixed/notes.txt
: >mixed/.hidden
expect "files that are no pictures for us" 0 $FILL mixed --mask mask.png \
  -o mixed_out
ok "... are named" says "mixed/phone.heic: left out: a HEIC picture; convert"
ok "... each" says "mixed/moving.gif: left out: a GIF picture"
ok "... also what is none at all" says "mixed/notes.txt: left out: its extension"
ok "... but for hidden ones" not says ".hidden"
ok "... and counted" says "1 done, 0 skipped, 0 failed, 3 other files left out"
run $FILL mixed --mask mask.png -o mixed_out --json
ok "... for programs, too" [ "$(grep -c '"status":"left_out"' out)" -eq 3 ]
ok "... with the reason" grep -q '"reason":"a HEIC picture; ' out
run $FILL mixed --mask mask.png -o mixed_out --strict
ok "--strict fails" [ $status -eq 3 ]
ok "... for that" says "3 files were left out"
ok "... after the work" says "0 done, 1 skipped, 0 failed"
expect "--strict with nothing left out" 0 $FILL scans --mask marks -o strict \
  --strict

# ---- failures ----

run $FILL scans --mask marks/a/deep/three.png -o sizes
ok "a mask of the wrong size fails" [ $status -eq 3 ]
ok "... and names picture and mask" \
  says "scans/one.png: its mask marks/a/deep/three.png: "
mkdir closed
chmod 555 closed
# Root, too, but without its privilege to write everywhere.
less_root () {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  else
    setpriv --bounding-set=-dac_override "$@"
  fi
}
if less_root true 2>/dev/null && not less_root touch closed/x 2>/dev/null; then
  less_root "$TESSERA" $FILL scans --mask marks -o closed >out 2>err
  status=$?
  judge "a folder that cannot be written to" 1
  ok "... is named" says "closed: cannot write into this folder"
  less_root "$TESSERA" $FILL scans --mask marks -o opened \
    --mask-out closed >out 2>err
  status=$?
  judge "... for masks" 1
else
  skip "a folder that cannot be written to" "root cannot be restrained"
fi


echo "broken" >scans/b/broken.png
head -c 100 scans/one.png >scans/cut.png
ln -s nowhere scans/b/dangling.png
cp mask.png marks/cut.png
mkdir marks/b
cp mask.png marks/b/broken.png
cp mask.png marks/b/dangling.png
run $FILL scans --mask marks -r -o tree2 --json
ok "broken pictures fail" [ $status -eq 3 ]
ok "... and the others do not" counts 3 0 3
ok "... each has one line" [ "$(lines)" -eq 8 ]
ok "... of JSON" perl -MJSON::PP -ne 'decode_json ($_)' out
ok "... with its state" [ "$(grep -c '"status":"failed"' out)" -eq 3 ]
ok "... input, output and size" grep -q '"input":"scans/one.png","output":"tree2/one.png","status":"done","width":40,"height":30' out
ok "... and the sum" grep -q '^{"error":"3 of 6 pictures failed","exit_code":3}$' out
ok "... leave no files" [ "$(sums tree2 | wc -l)" -eq 3 ]
run score nowhere.png mask.png --json
ok "errors are JSON" perl -MJSON::PP -0ne \
  'exit !(decode_json ($_)->{exit_code} == 3)' out
run score --json --what
ok "... of usage too" perl -MJSON::PP -0ne \
  'exit !(decode_json ($_)->{exit_code} == 2)' out
rm scans/cut.png scans/b/*.png

# ---- jobs ----

for jobs in 1 2 5; do
  run $FILL scans --mask marks -r -o jobs$jobs --jobs $jobs --threads 3
  judge "$jobs jobs" 0
  ok "... the same bytes" [ "$old" = "$(sums jobs$jobs)" ]
done

# ---- killed ----

# Twelve pictures; each run is killed at a random moment until one comes
# through.  What is there must always be whole.
mkdir many
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
  cp scans/one.png many/$i.png
done
run $FILL many --mask mask.png -o whole
judge "an undisturbed run" 0
perl -MTime::HiRes=time,sleep -e '
  srand 7;
  my ($kills, $odd) = (0, 0);
  my @command = (@ARGV, qw(many --mask mask.png -q -o killed));

  sub content { local $/; open my $in, "<:raw", $_[0] or return ""; <$in> }

  sub start { my $child = fork; exec @command if !$child; $child }

  my $began = time;
  system (@ARGV, qw(many --mask mask.png -q -o timed)) == 0 or die;
  my $usual = time - $began;

  for (1 .. 10) {
    my $child = start ();
    sleep rand (0.6 * $usual);
    kill "KILL", $child;
    waitpid $child, 0;
    $kills++ if $? == 9;
    $odd += content ($_) ne content ("whole/" . s,.*/,,r) for glob "killed/*";
  }
  waitpid start (), 0;
  print "status ", $? >> 8, "\nkills $kills\nodd $odd\n";
' "$TESSERA" $FILL >killed.txt
sed 's/^/# /' killed.txt
ok "killed runs leave whole files" grep -q '^odd 0$' killed.txt
ok "... the last one finishes" grep -q '^status 0$' killed.txt
ok "... with the same bytes" [ "$(sums whole)" = "$(sums killed)" ]
ok "... and nothing else" [ -z "$(find killed -name '*.tmp')" ]

finish
