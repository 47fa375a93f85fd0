#!/bin/sh
# cli_formats.sh - TIFF and WebP, judged by the tools of libtiff and libwebp
. tests/lib.sh

make_png photo.png 50 40 '128 + 60 * sin ($x / 5 + $c) * cos ($y / 7)'
make_png mask.png 50 40 '255 * ($x > 20 && $x < 28 && $y > 8 && $y < 16)'
"$TESSERA" --version >version

# copy FROM TO - the same pixels in another file: nothing is marked
copy () {
  make_png none.png 50 40 0
  run inpaint "$1" --mask none.png --quality fast -q -f -o "$2"
  judge "$1 to $2" 0
}

# same A B - whether two pictures are identical
same () {
  run score "$1" "$2" --json
  [ "$(json identical)" = true ]
}

if grep -q "without TIFF" version; then
  skip "TIFF" "this program was built without it"
  printf 'II*\0\010\0\0\0' >none.tif
  expect "TIFF is named" 3 score none.tif photo.png
elif ! command -v tiffcp >tools || ! command -v tiffinfo >tools; then
  skip "TIFF" "libtiff-tools are not installed"
else
  copy photo.png plain.tif
  ok "... is the same picture" same photo.png plain.tif
  tiffinfo plain.tif >info
  ok "... and a TIFF" grep -q "Image Width: 50" info
  for store in "-c none" "-c lzw" "-c lzw:2" "-c zip:2" "-c packbits" \
    "-t -w 16 -l 32 -c none" "-t -w 32 -l 16 -c zip" "-p separate -c lzw" \
    "-B -c none" "-L -c zip" "-8 -c zip" "-r 7 -c packbits"; do
    tiffcp $store plain.tif stored.tif
    copy stored.tif again.tif
    ok "tiffcp $store" same photo.png again.tif
    tiffcp -c none -s -r 40 again.tif a.tif 2>err
    tiffcp -c none -s -r 40 plain.tif b.tif 2>err
    ok "... tiffcmp agrees" tiffcmp a.tif b.tif
  done
  tiffcp -c zip plain.tif described.tif
  tiffset -s 270 "a description" described.tif
  tiffset -s 315 "an artist" described.tif
  tiffset -s 282 300.5 described.tif
  tiffset -s 283 150.25 described.tif
  copy described.tif kept.tif
  tiffinfo kept.tif >info
  ok "a text is kept" grep -q "ImageDescription: a description" info
  ok "... another one" grep -q "Artist: an artist" info
  ok "the resolution is kept" grep -q "Resolution: 300.5, 150.25" info
  expect "a restored TIFF" 0 inpaint plain.tif --mask mask.png --quality fast \
    -o mended.tif
  expect "... and PNG" 0 inpaint photo.png --mask mask.png --quality fast \
    -o mended.png
  ok "... are the same" same mended.tif mended.png

  copy described.tif kept.png
  copy kept.png kept2.tif
  tiffinfo kept2.tif >info
  ok "a text comes back from a PNG" grep -q "Artist: an artist" info
  perl -e "$PNG"'
    print "\x89PNG\r\n\x1a\n",
      chunk ("IHDR", pack ("NNC5", 50, 40, 8, 2, 0, 0, 0)),
      chunk ("tEXt", "Author\0me"), chunk ("tEXt", "Comment\0mine"),
      chunk ("IDAT", compress (("\0" . "\x40" x 150) x 40)),
      chunk ("IEND");' >text.png
  expect "a PNG with two texts" 0 inpaint text.png --mask mask.png \
    --quality fast -o text.tif
  ok "... of which a TIFF has one" grep -q "Artist: me" <<END
$(tiffinfo text.tif)
END
  ok "... and lacks one" says "left out of the result: texts"
  expect "... and a PNG has" 0 inpaint text.png --mask mask.png \
    --quality fast -o text2.png
  ok "... without a note" not grep -q "left out" err
  perl -e "$PNG"'
    print "\x89PNG\r\n\x1a\n",
      chunk ("IHDR", pack ("NNC5", 50, 40, 8, 2, 0, 0, 0)),
      chunk ("tRNS", pack ("nnn", 64, 64, 64)),
      chunk ("IDAT", compress (("\0" . "\x40" x 150) x 40)),
      chunk ("IEND");' >key.png
  expect "a transparent color" 2 inpaint key.png --mask mask.png -o key.tif
  ok "... is named" says "TIFF cannot hold a transparent color"
  tiffcp plain.tif mended.tif plain.tif pages.tif
  expect "three pages" 0 inpaint pages.tif --mask mask.png --quality fast \
    -o pages2.tif --json
  ok "... are counted" [ "$(json pages)" -eq 3 ]
  ok "... and written" [ "$(tiffinfo pages2.tif | grep -c 'Image Width')" -eq 3 ]
  tiffcp pages2.tif,2 third.tif
  ok "... each restored" same third.tif mended.png
  expect "... not as a PNG" 2 inpaint pages.tif --mask mask.png -o pages.png
  make_png none.png 50 40 0
  expect "three pages with nothing to fill" 0 inpaint pages.tif \
    --mask none.png -o pages4.tif
  ok "... are one note" [ "$(grep -c 'written unchanged' err)" -eq 1 ]
  copy none.png blank.tif
  copy mask.png marked.tif
  tiffcp blank.tif marked.tif blank.tif marks.tif
  expect "three pages of which one is filled" 0 inpaint pages.tif \
    --mask marks.tif --quality fast -o pages5.tif
  ok "... are not called unchanged" not grep -q "unchanged" err
  expect "... damaged" 0 corrupt pages.tif --noise 9 -o pages3.tif --json
  ok "... are counted" [ "$(json pages)" -eq 3 ]
  ok "... and written" [ "$(tiffinfo pages3.tif | grep -c 'Image Width')" -eq 3 ]
  tiffcp pages3.tif,0 first.tif
  tiffcp pages3.tif,2 third.tif
  ok "... each in another way" not same first.tif third.tif
  expect "... not with a mask, which is a PNG" 2 corrupt pages.tif \
    --missing 0.1 -o none.tif --mask-out masks.png
  ok "... and nothing is written" [ ! -e none.tif ]
  expect "the score of pages" 0 score pages.tif photo.png
  ok "... says which counts" says "has 3 pages; only the first is used"
fi

if grep -q "without WebP" version; then
  skip "WebP" "this program was built without it"
elif ! command -v cwebp >tools || ! command -v dwebp >tools; then
  skip "WebP" "the package webp is not installed"
else
  copy photo.png plain.webp
  ok "... is the same picture" same photo.png plain.webp
  ok "... webpinfo agrees" webpinfo -quiet plain.webp
  dwebp -quiet plain.webp -o back.png
  ok "... dwebp too" same photo.png back.png
  cwebp -quiet -q 70 photo.png -o lossy.webp
  dwebp -quiet lossy.webp -o lossy.png
  ok "a lossy one reads as dwebp does" same lossy.webp lossy.png
  copy lossy.webp again.webp
  ok "... and is written without loss" same lossy.webp again.webp
  cwebp -quiet -lossless photo.png -o lossless.webp
  ok "a lossless one" same photo.png lossless.webp
fi

# A PNG with a colour profile of 132 bytes that claims to have 808464432.
perl -e "$PNG"'
  print "\x89PNG\r\n\x1a\n", chunk ("IHDR", pack ("NNC5", 50, 40, 8, 2, 0, 0, 0)),
    chunk ("iCCP", "name\0\0" . compress ("0" x 132)),
    chunk ("IDAT", compress (("\0" . "\x40" x 150) x 40)),
    chunk ("IEND");' >icc.png
expect "a profile that lies about its length" 0 inpaint icc.png \
  --mask mask.png --quality fast -o icc2.png --json
ok "... is left out with a note" says "left out of the result: a broken color"
ok "... and in JSON" [ "$(json left_out)" = '"a broken color profile"' ]
expect "... and what was written is read" 0 inpaint icc2.png --mask mask.png \
  --quality fast -o icc3.png
ok "... without a note" not grep -q "left out" err
mkdir folder
expect "... in a folder too" 0 inpaint icc.png --mask mask.png --quality fast \
  -o folder
ok "... which says so" says "left out: a broken color profile"
expect "... and damaged" 0 corrupt icc.png --noise 5 -o icc4.png
ok "... with a note" says "a broken color profile"

printf '\0\0\0\030ftypheic' >x.heic
expect "HEIC" 3 score x.heic photo.png
ok "... names a program" says "heif-convert"
printf '\0\0\0\030ftypavif' >x.avif
expect "AVIF" 3 score x.avif photo.png
ok "... names a program" says "avifdec"
printf 'FUJIFILMCCD-RAW ' >x.raf
expect "raw data" 3 score x.raf photo.png
ok "... names a program" says "darktable-cli"

finish
