#!/bin/sh
# cli_restore.sh - the command restore: damage and noise in one go; and find,
# which only looks
. tests/lib.sh

photo=$PHOTOS/beach0.png
run corrupt "$photo" --blocks 10x9 --seed 1 -q -o blocked.png
run corrupt "$photo" --noise 15 --seed 1 -q -o noisy.png
run corrupt noisy.png --blocks 10x9 --seed 1 -q -o hidden_noisy.png

psnr () {
  run score "$photo" "$1" --json
  json psnr
}

# ---- what it does ----

expect "damage and noise" 0 restore hidden_noisy.png -o restored.png --json
ok "... the damage is found" [ "$(json masked_pixels)" -ge 900 ]
ok "... by its kind" perl -MJSON::PP -0ne '
  exit !(decode_json ($_)->{found}{blocks} >= 900)' out
ok "... and the noise" perl -MJSON::PP -0ne '
  my $json = decode_json ($_);
  exit !($json->{sigma} > 12 && $json->{sigma} < 18
         && $json->{noise}{kind} eq "white")' out
ok "... both are gone" is_more "$(psnr restored.png)" 28
expect "only the damage" 0 restore hidden_noisy.png --no-noise --json \
  --mask-out found.png -o filled.png
ok "... says no noise" [ "$(json sigma)" = 0.0 -a -z "$(json noise)" ]
run inpaint hidden_noisy.png --grain 1 -q -o inpainted.png
ok "... is what inpaint does, with its grain" cmp filled.png inpainted.png
run inpaint hidden_noisy.png --grain 1 --seed 2 -q -o other.png
ok "... which the seed decides on" not cmp -s filled.png other.png
run inpaint hidden_noisy.png -q -o smoother.png
ok "... and which it has only if asked to" not cmp -s smoother.png filled.png
expect "only the damage, smoothly" 0 restore hidden_noisy.png --no-noise \
  --grain 0 -q -o evened.png
ok "... is what inpaint does" cmp smoother.png evened.png
expect "too much grain" 2 inpaint hidden_noisy.png --grain 1.1 -o no.png
expect "only the noise" 0 restore noisy.png --no-damage -o smooth.png --json
ok "... looks for no damage" [ -z "$(json found)" -a "$(json masked_pixels)" = 0 ]
make_png empty.png 360 180 0
run denoise noisy.png --mask empty.png -q -o denoised.png
ok "... is what denoise does to undamaged pixels" cmp smooth.png denoised.png

# All that is known.
make_png white.png 360 180 255
run corrupt white.png --blocks 10x9 --seed 1 -q -o known.png
expect "damage without noise" 0 restore blocked.png --find blocks -q \
  -o mended.png
run score "$photo" mended.png --mask known.png --json
ok "... known pixels are many" [ "$(json masked_pixels)" -eq 63900 ]
ok "... and stay as they were" [ "$(json psnr_masked)" = null ]
ok "... while the others change" not cmp -s blocked.png mended.png
expect "neither" 0 restore "$photo" --find blocks -o same.png
ok "... is said" says "found no damage of these kinds and no noise"
run score "$photo" same.png --json
ok "... and nothing changes" [ "$(json identical)" = true ]

# ---- wider marks ----

# A bright disc with a dimmer rim that the mask leaves out.
make_png disc.png 80 80 '(($x-40)**2+($y-40)**2<=25)*200 +
  (($x-40)**2+($y-40)**2>25&&($x-40)**2+($y-40)**2<=40)*80 + 30'
make_png narrow.png 80 80 '(($x-40)**2+($y-40)**2<=25)*255'
make_png flat.png 80 80 30
for command in inpaint "restore --no-noise"; do
  expect "a narrow mask" 0 $command disc.png --mask narrow.png -q -o rim.png --force
  expect "... that grows" 0 $command disc.png --mask narrow.png --grow 2 -q \
    --mask-out broad.png -o level.png --force
  run score flat.png rim.png --json
  ok "... the rim was left" [ "$(json identical)" = false ]
  run score flat.png level.png --json
  ok "... and goes" [ "$(json identical)" = true ]
  expect "what was filled" 0 $command disc.png --mask broad.png -q -o anew.png --force
  ok "... is the mask that is written" cmp anew.png level.png
done
expect "found marks" 0 restore blocked.png --find blocks --no-noise --json \
  -o tight.png
narrow=$(json masked_pixels)
expect "... grow" 0 restore blocked.png --find blocks --no-noise --json \
  --grow 1 -o wide.png
ok "... on all sides" [ "$(json masked_pixels)" -gt "$narrow" ]
expect "too wide" 2 restore blocked.png --grow 17 -o no.png
expect "narrower" 2 inpaint blocked.png --grow -1 -o no.png
expect "marks that nobody looks for" 2 restore blocked.png --no-damage \
  --grow 2 -o no.png
expect "noise has no marks" 2 denoise noisy.png --grow 2 -o no.png
ok "none of them writes" [ ! -e no.png ]

# ---- the same, by other ways ----

run restore hidden_noisy.png -q -o one.png --threads 1
run restore hidden_noisy.png -q -o two.png --threads 2
ok "1 and 2 threads give the same bytes" cmp one.png two.png
ok "... those of the first run" cmp one.png restored.png
expect "a mask that was written" 0 restore hidden_noisy.png -q \
  --mask found.png -o again.png
ok "... leads to the same picture" cmp again.png restored.png
expect "a pipe" 0 restore - -o piped.png <hidden_noisy.png
ok "... too" cmp piped.png restored.png

# ---- options that make no sense, and what goes wrong ----

make_png small.png 24 24 '$x * 9 + $y * $c'

expect "nothing to do" 2 restore noisy.png --no-damage --no-noise -o no.png
expect "--no-damage with a mask" 2 restore noisy.png --no-damage \
  --mask empty.png -o no.png
expect "--no-damage with --find" 2 restore noisy.png --no-damage --find dust \
  -o no.png
expect "--no-noise with a level" 2 restore noisy.png --no-noise --sigma 5 \
  -o no.png
expect "... with --sigma 0, too" 2 restore noisy.png --no-noise --sigma 0 \
  -o no.png
expect "no such picture" 3 restore nowhere.png -o no.png
expect "a mask of another size" 3 restore small.png --mask empty.png -o no.png
expect "too large" 4 restore noisy.png --max-pixels 100 -o no.png
expect "an output that exists" 1 restore noisy.png -o one.png
ok "none of them writes" [ ! -e no.png ]

# ---- faded pictures ----

# One colour of a photograph, paler: grey, and toned.
make_png faded.png 120 90 '60 + ($x * 37 + $y * 91) % 97'
make_png toned.png 120 90 '(60 + ($x * 37 + $y * 91) % 97) * (10 - $c) / 10'
for way in --fading "--fading auto" --fading=auto; do
  # shellcheck disable=SC2086
  expect "$way" 0 restore $way faded.png --no-damage --no-noise -o bright.png \
    --force --json
  ok "... is done" perl -MJSON::PP -0ne '
    my $fading = decode_json ($_)->{fading};
    exit !($fading->{changed} && $fading->{strength} == 1
           && $fading->{span} < 0.45)' out
done
ok "... and changes the picture" not is_more "$(run score faded.png bright.png \
  --json; json psnr)" 20
expect "not asked for" 0 restore faded.png --no-noise --find blocks --json \
  -o unasked.png
ok "... it is not done" cmp faded.png unasked.png
ok "... nor said" not grep -q fading out
expect "a photograph that has its contrast" 0 restore "$photo" --no-damage \
  --no-noise --fading -o contrasty.png
ok "... is kept" cmp "$photo" contrasty.png
ok "... which is said" says "not certainly faded"
expect "in any picture" 0 restore "$photo" --no-damage --no-noise \
  --fading always -o always.png
ok "... it can be done" says "brought back contrast and colors"
ok "... and is" not cmp -s "$photo" always.png
expect "a tone" 0 restore toned.png --no-damage --no-noise --fading \
  -o tone.png --json
ok "... is seen" perl -MJSON::PP -0ne '
  exit !decode_json ($_)->{fading}{toned}' out
expect "... or removed" 0 restore toned.png --no-damage --no-noise \
  --fading neutral -o neutral.png
ok "... in another result" not cmp -s tone.png neutral.png
expect "no such way" 2 restore faded.png --fading=much -o no2.png
expect "a JPEG" 0 restore "$PHOTOS/beach2.jpg" --no-damage --no-noise \
  --fading always -o bright.jpg
run score "$PHOTOS/beach2.jpg" bright.jpg --json
ok "... changes, too" not is_more "$(json psnr)" 40
for threads in 1 3; do
  run restore hidden_noisy.png --fading always -q --threads $threads \
    -o by$threads.png
done
ok "1 and 3 threads give the same colours" cmp by1.png by3.png

# ---- folders ----

mkdir -p scans/deep
cp hidden_noisy.png scans/a.png
cp blocked.png scans/deep/b.png
expect "a folder" 0 restore scans -r -o done --json
ok "... has a line each" [ "$(grep -c '"status":"done"' out)" -eq 2 ]
ok "... with what was found" [ "$(grep -c '"found":{"blocks":[1-9]' out)" -eq 2 ]
ok "... and the same bytes as alone" cmp done/a.png restored.png
rm done/deep/b.png
expect "the same again" 0 restore scans -r -o done
ok "... makes what is missing" says "1 done, 1 skipped, 0 failed"
expect "other options" 0 restore scans -r -o done --no-noise
ok "... make all again" says "2 done, 0 skipped, 0 failed"
echo broken >scans/c.png
run restore scans -r -o done --no-noise
ok "a broken picture fails" [ $status -eq 3 ]
ok "... alone" says "0 done, 2 skipped, 1 failed"

# ---- nothing to do ----

jpeg=$PHOTOS/beach2.jpg
for file in "$jpeg" "$photo"; do
  ending=${file##*.}
  expect "a $ending with nothing to do" 0 inpaint "$file" \
    --mask-color 123456 -o unchanged.$ending
  ok "... is said to be unchanged" says "written unchanged"
  ok "... and is" cmp "$file" unchanged.$ending
  run inpaint - --mask-color 123456 -o - <"$file"
  ok "... in a pipe, too" cmp "$file" out
done
mkdir clean
cp "$jpeg" "$photo" clean
expect "a folder with nothing to do" 0 inpaint clean --mask-color 123456 -o same
ok "... is copied" cmp clean/beach2.jpg same/beach2.jpg
ok "... whole" cmp clean/beach0.png same/beach0.png
expect "another quality" 0 inpaint "$jpeg" --mask-color 123456 \
  --jpeg-quality 60 -o less.jpg
ok "... is compressed, which is said" says "only compressed anew"
ok "... and smaller" [ "$(wc -c <less.jpg)" -lt "$(wc -c <"$jpeg")" ]
expect "another format" 0 inpaint "$jpeg" --mask-color 123456 -o jpeg.png
run score "$jpeg" jpeg.png --json
ok "... has the same pixels" [ "$(json identical)" = true ]
head -c 40000 "$jpeg" >cut.jpg
expect "half a file" 0 inpaint cut.jpg --lenient --mask-color 123456 -o whole.jpg
expect "... becomes whole" 0 score whole.jpg whole.jpg

# ---- a JPEG with a small mark ----

trees=$PHOTOS/forest4.jpg
make_png dot.png 720 360 '255 * ($x > 300 && $x < 304 && $y > 144 && $y < 148)'
make_png far.png 720 360 '255 * ($x < 280 || $x > 330 || $y < 130 || $y > 180)'
expect "a small mark in a JPEG" 0 inpaint "$trees" --mask dot.png -v \
  -o dot.jpg
ok "... changes one block" says ": 1 of 4050 blocks of the JPEG change"
run score "$trees" dot.jpg --mask far.png --json
ok "... and no pixel far from it" [ "$(json psnr_masked)" = null ]
ok "... is filled" not cmp -s "$trees" dot.jpg
run inpaint "$trees" --mask dot.png -q -o dot.png.png
run score dot.png.png dot.jpg --mask dot.png --json
ok "... which are those of a PNG, nearly" is_more "$(json psnr_masked)" 25
run inpaint "$trees" --mask dot.png -q -o dot1.jpg --threads 1
ok "... with any number of threads" cmp dot.jpg dot1.jpg
expect "... or all, of another quality" 0 inpaint "$trees" --mask dot.png \
  --jpeg-quality 60 -o dot60.jpg
ok "... which is smaller" [ "$(wc -c <dot60.jpg)" -lt "$(wc -c <dot.jpg)" ]

# ---- why noise stays ----

unsure=$PHOTOS/city10.png
expect "a clean picture" 0 denoise "$photo" -o kept.png
ok "... looks clean" says "it looks clean (if it is not, give the level"
expect "what may be texture" 0 denoise "$unsure" -o kept2.png
ok "... stays" cmp "$unsure" kept2.png
ok "... and why" says "it may be texture (--strength 1 removes it)"
expect "... which is true" 0 denoise "$unsure" --strength 1 -o removed.png
ok "... and changes it" not cmp -s "$unsure" removed.png
mkdir mixed
cp "$photo" "$unsure" mixed
run denoise mixed -o mixed_out
ok "in a folder, too: clean" says "beach0.png: unchanged (looks clean)"
ok "... or perhaps not" \
  says "city10.png: unchanged (noise may be texture: --strength 1 removes it)"
run corrupt "$unsure" --blocks 10x4 --seed 1 -q -o unsure.png
expect "the same where something is filled" 0 restore unsure.png -o kept3.png
ok "... is said" says "noise that may be texture is kept (--strength 1"
expect "... unless it was asked for" 0 restore unsure.png --no-noise -o kept4.png
ok "... to keep it" not says "texture"

# ---- a truncated picture ----

run inpaint "$jpeg" --mask-color 123456 --jpeg-quality 95 -q -o baseline.jpg
head -c 30000 baseline.jpg >cut.jpg
head -c 60000 "$photo" >cut.png
for file in cut.png cut.jpg; do
  expect "the rest of $file" 0 restore $file --find blocks --lenient --json \
    -o rest.png
  ok "... is no damage" [ "$(json masked_pixels)" = 0 ]
  ok "... and named" says "ends early"
  rm rest.png
done

# ---- find ----

expect "find" 0 find hidden_noisy.png -o mask.png --json
ok "... counts" perl -MJSON::PP -0ne '
  my $json = decode_json ($_);
  exit !($json->{found}{blocks} >= 900 && $json->{marks}{blocks} == 9
         && !exists $json->{sigma})' out
ok "... is the mask of restore" cmp mask.png found.png
run find hidden_noisy.png -q -o mask1.png --threads 1
ok "... with any number of threads" cmp mask.png mask1.png
expect "find of one kind" 0 find blocked.png --find blocks -q -o kind.png
run score known.png kind.png --json
ok "... marks the blocks" [ "$(json psnr)" = 0.0 ] # each is the other's inverse
expect "find of nothing" 0 find "$photo" --find blocks -o none.png
ok "... is said" says "the mask is empty"
run score empty.png none.png --json
ok "... and black" [ "$(json identical)" = true ]
expect "a mask as JPEG" 2 find blocked.png -o mask.jpg
expect "... in a folder" 2 find scans -o masks --format jpg
ok "... is not made" [ ! -e masks ]
rm scans/c.png
expect "find in a folder" 0 find scans -r -o masks
ok "... writes masks by name" cmp masks/a.png found.png
expect "... again" 0 find scans -r -o masks
ok "... does nothing" says "0 done, 2 skipped, 0 failed"
expect "... and is given back" 0 restore scans -r --mask masks -o from_masks
ok "... for the same picture" cmp from_masks/a.png restored.png
run inpaint "$PHOTOS/beach2.jpg" --mask-color 000000 -q -o jpeg.jpg
expect "find in a JPEG" 0 find jpeg.jpg -q -o jpegs/
ok "... makes a PNG" [ -f jpegs/jpeg.png ]

finish
