#!/bin/sh
# cli_crop.sh - inpaint and denoise on a part of a picture
. tests/lib.sh

cp "$PHOTOS/mountain5.png" clean.png
run corrupt clean.png --missing 0.3 --seed 2 -o damaged.png \
  --mask-out mask.png -q
run inpaint damaged.png --mask mask.png -o plain.png --quality fast --json
width=$(json width)
height=$(json height)

# ---- what is written wrongly ----

for text in 1,2 1,2,3 1,2,3x 1,2,3x4x 1,2,3x4,5 1,2,0x4 -1,2,3x4 a,b,cxd \
  1,2,3x99999999999 " 1,2,3x4" ""; do
  expect "--crop '$text'" 2 inpaint damaged.png --mask mask.png -o x.png \
    --crop "$text"
done
ok "the message says how it is written" grep -q "X,Y,WxH" err
expect "a part beyond the picture" 3 inpaint damaged.png --mask mask.png \
  -o x.png --crop "0,0,$((width + 1))x10"
ok "... names the size" grep -q "$width x $height pixels" err
expect "... of another picture" 3 denoise damaged.png -o x.png \
  --crop "0,$height,10x10"
ok "nothing is written" [ ! -e x.png ]

# ---- inpaint ----

part=40,30,60x50
expect "inpaint a part" 0 inpaint damaged.png --mask mask.png --crop $part \
  -o part.png --mask-out used.png --quality fast --json
# crop - the part that JSON names
crop () {
  perl -0ne 'print "$1,$2,$3x$4" if /"crop" : \{\s*"x" : (\d+),\s*"y" : (\d+),\s*"width" : (\d+),\s*"height" : (\d+)\s*\}/' out
}
ok "... named in JSON" [ "$(crop)" = $part ]
ok "... and that of the picture" [ "$(json width)" = "$width" ]
filled=$(json masked_pixels)
ok "pixels of the part are counted" [ "$filled" -gt 700 ]
ok "... and no others" [ "$filled" -lt 1100 ]
expect "in words" 0 inpaint damaged.png --mask mask.png --crop $part \
  -o part.png --force --quality fast
ok "... the part is named" grep -q "crop $part: filled $filled pixels" err

# The mask that was used is the one of the part: with it, nothing else changes,
# and the part comes out as before.
run inpaint damaged.png --mask used.png --crop $part -o again.png -q \
  --quality fast --json
ok "--mask-out has what was filled" [ "$(json masked_pixels)" = "$filled" ]
run score damaged.png part.png --mask used.png --json
ok "the part has changed" [ "$(json identical)" = false ]
run inpaint part.png --mask used.png -o back.png -q --quality fast
run inpaint damaged.png --mask used.png -o there.png -q --quality fast
run score back.png there.png --json
ok "nothing outside has changed" [ "$(json identical)" = true ]

expect "the whole picture as a part" 0 inpaint damaged.png --mask mask.png \
  --crop "0,0,${width}x$height" -o all.png -q --quality fast
run score all.png plain.png --json
ok "... gives the same" [ "$(json identical)" = true ]

expect "nothing missing in the part" 0 inpaint damaged.png --mask used.png \
  --crop 0,0,20x20 -o same.png --json
ok "... fills nothing" [ "$(json masked_pixels)" = 0 ]
run score damaged.png same.png --json
ok "... changes nothing" [ "$(json identical)" = true ]
expect "no damage to be found" 0 inpaint clean.png --crop $part -o x.png
run score clean.png x.png --json
ok "... changes nothing" [ "$(json identical)" = true ]

# ---- denoise ----

run corrupt clean.png --noise 20 -q -o noisy.png
expect "denoise a part" 0 denoise noisy.png --crop $part --sigma 20 \
  --quality fast -o calm.png --noise-out removed.png --json
ok "... named in JSON" [ "$(crop)" = $part ]
run score noisy.png calm.png --json
ok "... has changed" [ "$(json identical)" = false ]
run inpaint calm.png --mask-color 010203 --crop $part -o calm2.png -q
run score calm.png calm2.png --json
ok "a colour that is not there fills nothing" [ "$(json identical)" = true ]

# ---- folders, turned pictures ----

mkdir scans
cp damaged.png scans/a.png
run corrupt clean.png --missing 0.1 -q -o scans/b.png
expect "a folder" 0 inpaint scans --mask mask.png --crop $part -o folder \
  --quality fast --json
ok "... names the part of each" [ "$(grep -c '"crop"' out)" -eq 2 ]
run score part.png folder/a.png --json
ok "... works as on one picture" [ "$(json identical)" = true ]
run inpaint scans --mask mask.png --crop 40,30,60x51 -o folder --quality fast \
  --json
ok "another part is another result" [ "$(grep -c '"skipped"' out)" -eq 0 ]
run inpaint scans --mask mask.png --crop "0,0,9999x1" -o wide --quality fast
ok "a part beyond all of them" [ "$status" -eq 3 ]
ok "... is told for each" [ "$(grep -c 'not inside the picture' err)" -eq 2 ]
if command -v tiffset >/dev/null \
  && "$TESSERA" --version | grep -q libtiff; then
  run denoise clean.png --sigma 0 --crop 0,0,1x1 -o turned.tif -q
  tiffset -s 274 6 turned.tif
  expect "a turned picture" 0 denoise turned.tif --sigma 0 \
    --crop "0,$((width - 1)),${height}x1" -o seen.tif -q
  expect "... has the coordinates that people see" 3 denoise turned.tif \
    --sigma 0 --crop "$((width - 1)),0,1x$height" -o x.tif
else
  skip "a turned picture" "no tiffset"
fi

finish
