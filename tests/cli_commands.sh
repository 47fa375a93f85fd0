#!/bin/sh
# cli_commands.sh - what the commands do, from a damaged picture to its score
. tests/lib.sh

photo=$PHOTOS/beach0.png

# psnr OPTION... RESULT - the PSNR of a result against the photograph
psnr () {
  run score "$photo" "$@" --json
  json psnr
}

# ---- damage, restore, score ----

expect "corrupt" 0 corrupt "$photo" --missing 0.5 --seed 1 -o damaged.png \
  --mask-out mask.png
ok "... says what it did" says "blacked out 32400 pixels (50.0 %)"
expect "inpaint" 0 inpaint damaged.png --mask mask.png -o mended.png
ok "... says what it did" says "filled 32400 pixels (50.0 %)"
ok "... where to" says "-> mended.png"
ok "... on standard error only" [ ! -s out ]
before=$(psnr damaged.png)
after=$(psnr mended.png)
echo "# PSNR $before dB before, $after dB after"
ok "... and mends the picture" is_more "$after" "$(perl -e "print $before + 12")"

expect "denoise finds the same pixels" 0 denoise damaged.png -o found.png \
  --mask-out found_mask.png --json
ok "... and about as many" is_more "$(json masked_pixels)" 32000
ok "... and mends them" is_more "$(psnr found.png)" \
  "$(perl -e "print $after - 0.5")"
expect "denoise by colour" 0 denoise damaged.png --missing-color 000000 \
  -o coloured.png
ok "... mends them too" is_more "$(psnr coloured.png)" \
  "$(perl -e "print $after - 0.5")"

expect "corrupt by blocks" 0 corrupt "$photo" --blocks 10x36 -o blocks.png \
  --mask-out block_mask.png --json
ok "... blacks out all of them" [ "$(json masked_pixels)" -eq 3600 ]
expect "inpaint finds blocks" 0 inpaint blocks.png -o unblocked.png --json
ok "... all of them" [ "$(json masked_pixels)" -ge 3600 ]
ok "... and mends the picture" is_more "$(psnr unblocked.png)" \
  "$(psnr blocks.png)"

run corrupt "$photo" --noise 20 --seed 1 -q -o noisy.png
expect "denoise removes noise" 0 denoise noisy.png -o smooth.png
ok "... and says how much" says "removed noise of "
ok "... which is for the better" is_more "$(psnr smooth.png)" \
  "$(perl -e "print $(psnr noisy.png) + 6")"
expect "denoise with a level" 0 denoise noisy.png --sigma 20 --json -o told.png
ok "... uses just that" [ "$(json sigma)" = 20.0 ]
expect "denoise of dead pixels only" 0 denoise noisy.png --sigma 0 --json \
  -o untouched.png
ok "... removes none" is_more 0.001 "$(json sigma)"
run score noisy.png untouched.png --json
ok "... and leaves the others" [ "$(json identical)" = true ]
expect "a level that is none" 2 denoise noisy.png --sigma -1 -o none.png

# ---- known pixels stay, missing ones do not matter ----

# A mask of all that is known.
make_png white.png 360 180 255
run corrupt white.png --missing 0.5 --seed 1 -q -o known.png
run score "$photo" mended.png --mask known.png --json
ok "known pixels are many" [ "$(json masked_pixels)" -eq 32400 ]
ok "... and stay as they were" [ "$(json psnr_masked)" = null ]
ok "... while the others do not" is_more 100 "$(json psnr)"
run score "$photo" found.png --mask known.png --json
ok "denoise leaves them, too, without noise" [ "$(json psnr_masked)" = null ]

# From here on the result counts, not how good it is.
fill () {
  run inpaint "$@" --quality fast --quiet
}

fill damaged.png --mask mask.png -o fast.png --mask-out used.png
fill "$photo" --mask mask.png -o from_clean.png
ok "what is painted under the mask has no influence" \
  cmp -s fast.png from_clean.png
fill damaged.png --mask-color 000000 --mask mask.png -o union.png
ok "masks may be combined" cmp -s fast.png union.png
run score mask.png used.png --json
ok "--mask-out is the mask that was used" [ "$(json identical)" = true ]

# ---- half-opaque marks ----

rough='(80 + ($x * $x * 31 + $y * $y * 17 + $x * $y * 7) % 97)'
line='($x > 30 && $x < 34)'
make_png rough.png 64 48 "$rough"
make_png veiled.png 64 48 "$line ? 0.5 * $rough + 110 : $rough"
make_png line.png 64 48 "$line * 255"
fill veiled.png --mask line.png -o filled.png
fill rough.png --mask line.png -o hidden.png
ok "what is below a mask is not looked at" cmp -s filled.png hidden.png
fill veiled.png --mask line.png --see-through -o seen.png \
  --mask-out seen_mask.png
run score rough.png filled.png --json
filled=$(json psnr)
run score rough.png seen.png --json
ok "--see-through looks at it" is_more "$(json psnr)" "$filled"
fill veiled.png --mask seen_mask.png -o again.png
ok "... and --mask-out says so in grey" cmp -s seen.png again.png
calm='(120 + 20 * sin ($x / 40) + 15 * cos ($y / 31) + ($x * 7 + $y * 13) % 5)'
make_png scratched.png 200 150 \
  "\$x > 90 && \$x < 94 ? 0.4 * $calm + 140 : $calm"
fill scratched.png --find scratches -o unveiled.png --mask-out marks.png
fill scratched.png --mask marks.png -o unveiled_again.png
ok "what was found and written is filled alike" cmp -s unveiled.png \
  unveiled_again.png
expect "--see-through without a mask" 2 inpaint veiled.png --see-through \
  -o none.png

# ---- threads, seeds, qualities ----

for threads in 1 2 4; do
  fill damaged.png --mask mask.png --threads $threads -o threads$threads.png
  ok "$threads threads give the same bytes" cmp -s fast.png \
    threads$threads.png
  run denoise blocks.png -q --threads $threads -o denoise$threads.png
  ok "... in denoise, too" cmp -s denoise1.png denoise$threads.png
  run denoise noisy.png -q --threads $threads -o smooth$threads.png
  ok "... and of noise" cmp -s smooth.png smooth$threads.png
done
run corrupt "$photo" --missing 0.5 --noise 10 --seed 7 -q -o seed7.png
run corrupt "$photo" --missing 0.5 --noise 10 --seed 7 -q --threads 1 \
  -o again7.png
run corrupt "$photo" --missing 0.5 --noise 10 --seed 8 -q -o seed8.png
ok "the same seed gives the same damage" cmp -s seed7.png again7.png
ok "... and another one another" not cmp -s seed7.png seed8.png

# Half of the pixels of one corner.
make_png corner.png 360 180 \
  '($x < 120 && $y < 100 && ($x * 7919 + $y * 104729) % 131 % 2) * 255'
before=0
for quality in fast normal best; do
  expect "--quality $quality" 0 inpaint "$photo" --mask corner.png \
    --quality $quality -q -o quality_$quality.png
  run score "$photo" quality_$quality.png --mask corner.png --json
  ok "... is better than the one before it" is_more "$(json psnr_masked)" "$before"
  before=$(json psnr_masked)
done
expect "--protocol paper" 0 inpaint damaged.png --mask mask.png \
  --protocol paper -o paper.png
ok "... restores" is_more "$(psnr paper.png)" 20
ok "... less than what is the default" is_more "$(psnr mended.png)" \
  "$(psnr paper.png)"
expect "--seed is taken everywhere" 0 inpaint blocks.png --seed 3 -q -o s.png
expect "--find names kinds" 0 inpaint blocks.png --find blocks,border -o f.png \
  --json
ok "... and counts them" [ "$(json found)" != "" ]
ok "... and their marks" [ "$(json marks)" != "" ]
expect "--find all" 0 inpaint blocks.png --find all --find-strength 0.5 \
  -o fa.png
expect "--find-strength out of range" 2 inpaint blocks.png --find all \
  --find-strength 9 -o f2.png
expect "--find of nothing known" 2 inpaint blocks.png --find rust -o f2.png
ok "... says what there is" says "border, dead, stamp, scratches, dust"
expect "nothing named: all kinds" 0 inpaint blocks.png -o fd.png
ok "... are looked for" says "found blacked-out blocks"
expect "nothing found" 0 inpaint fd.png --find border -o fu.png
ok "... is said" says "written unchanged"
expect "--find of nothing" 2 inpaint blocks.png --find "" -o f2.png

# ---- formats ----

expect "JPEG out" 0 inpaint damaged.png --mask mask.png -o mended.jpg
ok "... is near" is_more "$(psnr mended.jpg)" "$(perl -e "print $after - 0.5")"
fill damaged.png --mask mask.png -o small.jpg --jpeg-quality 50
judge "less quality" 0
ok "... is smaller" [ "$(wc -c <small.jpg)" -lt "$(wc -c <mended.jpg)" ]
fill - --mask mask.png -o - <mended.jpg
ok "a pipe keeps the format" [ "$(head -c 2 out | od -An -tx1 | tr -d ' ')" = ffd8 ]
expect "JPEG in" 0 corrupt "$PHOTOS/beach2.jpg" --blocks 8x5 -o from_jpeg.png

# ---- transparency ----

perl -e "$PNG"'
  my $rows = "";
  for my $y (0 .. 31) {
    $rows .= "\0";
    for my $x (0 .. 31) {
      my $hole = $x > 10 && $x < 20 && $y > 10 && $y < 20;
      $rows .= pack "C4", $x * 8, $y * 8, 99, $hole ? 0 : 255;
    }
  }
  print png (32, 32, 6, $rows);' >cutout.png
expect "--mask-alpha" 0 inpaint cutout.png --mask-alpha -o opaque.png --json
ok "... fills what is transparent" [ "$(json masked_pixels)" -eq 81 ]
run inpaint opaque.png --mask-alpha -o opaque2.png --json
ok "... and nothing is, afterwards" [ "$(json masked_pixels)" -eq 0 ]
expect "transparency in a JPEG" 2 inpaint cutout.png --mask-alpha -o cutout.jpg

# ---- score ----

expect "score" 0 score "$photo" mended.png --mask mask.png
for word in PSNR SSIM dB masked; do
  ok "... tells of $word" grep -q "$word" out
done
run score "$photo" mended.png --mask mask.png --json
for key in psnr ssim psnr_masked pixels masked_pixels identical; do
  ok "its JSON has $key" [ -n "$(json $key)" ]
done
ok "... and counts pixels" [ "$(json pixels)" -eq 64800 ]
run score "$photo" "$photo" --json
ok "the same picture is identical" [ "$(json identical)" = true ]
ok "... with no PSNR" [ "$(json psnr)" = null ]
ok "... and none of a mask" [ "$(json psnr_masked)" = null ]
expect "pictures of two sizes" 3 score "$photo" cutout.png

# ---- JSON of the others ----

run inpaint blocks.png -o json.png --json
for key in seconds masked_pixels patches dictionary sigma threads; do
  ok "the JSON of inpaint has $key" [ -n "$(json $key)" ]
done
ok "... no sigma" [ "$(json sigma)" = null ]
ok "... and no other words" [ ! -s err ]
run denoise cutout.png -o json2.png --json
ok "the JSON of denoise has a sigma" [ "$(json sigma)" != null ]

# ---- dictionaries ----

expect "dict builtin" 0 dict builtin --json
ok "... has atoms" [ "$(json atoms)" -eq 300 ]
ok "... of 10 x 10" [ "$(json patch)" -eq 10 ]
ok "... in colour" [ "$(json channels)" -eq 3 ]
expect "to numpy" 0 dict builtin -o atoms.npy
expect "to safetensors" 0 dict atoms.npy -o atoms.safetensors
expect "and back" 0 dict atoms.safetensors -o back.npy
ok "... is the same" cmp -s atoms.npy back.npy
expect "a mosaic" 0 dict atoms.npy --mosaic mosaic.png --zoom 3
expect "... is a picture" 0 score mosaic.png mosaic.png
"$TESSERA" dict atoms.npy -q -o - >piped.safetensors
ok "a dictionary in a pipe" cmp -s piped.safetensors atoms.safetensors
fill damaged.png --mask mask.png --dict atoms.npy -o by_file.png
judge "inpaint with a dictionary" 0
fill damaged.png --mask mask.png --dict atoms.safetensors -o by_other.png
ok "... is the same from both formats" cmp -s by_file.png by_other.png
fill damaged.png --mask mask.png --dict builtin -o by_name.png
judge "--dict builtin" 0
ok "... is the built-in one" cmp -s by_name.png fast.png

# A matrix of 192 x 256 floats, of which nobody can know what is an atom.
perl -e '
  my $header = "{\x27descr\x27: \x27<f4\x27, \x27fortran_order\x27: False, "
    . "\x27shape\x27: (192, 256), }";
  $header .= " " x (63 - (length ($header) + 10) % 64) . "\n";
  print "\x93NUMPY\1\0", pack ("v", length $header), $header,
    pack "f<*", map { 1 + $_ % 7 } 1 .. 192 * 256;' >matrix.npy
expect "a matrix that can be read both ways" 3 dict matrix.npy
ok "... says both" says "192 rows of 16x16x1 or 256 columns of 8x8x3"
expect "... but for --layout rows" 0 dict matrix.npy --layout rows --json
ok "... where atoms are rows" [ "$(json atoms)" -eq 192 ]
expect "... or columns" 0 dict matrix.npy --layout columns --json
ok "... where they are columns" [ "$(json patch)" -eq 8 ]
expect "... and nothing else" 2 dict matrix.npy --layout both

# ---- what is said ----

run inpaint blocks.png --quiet -o quiet.png
ok "--quiet says nothing" [ ! -s err ]
run inpaint blocks.png --verbose -o verbose.png
ok "--verbose says more" [ "$(wc -l <err)" -gt 2 ]
ok "no colour and no bar in a pipe" not grep -q "$(printf '\033')" err
ok "nothing unfinished was left" nothing_pending

finish
