#!/bin/sh
# cli_corpora.sh - files of others through the whole program
#
# PngSuite with a mask of nothing must come back; what fuzzers found must give
# a picture or one line of complaint.  The time limit only catches hangs.
. tests/lib.sh

corpora=$SHARED/corpora
[ -d "$corpora" ] || skip_all "there is no $corpora"

# size_of FILE - width and height of a PNG, "32x32"
size_of () {
  perl -e 'open my $in, "<:raw", $ARGV[0]; read $in, my $head, 24;
    printf "%dx%d", unpack "x16 NN", $head' "$1"
}

# restore FILE OPTION... - fills in $status and err
restore () {
  timeout 60 "$TESSERA" inpaint "$@" --quality fast -q --force -o result.png \
    2>err
  status=$?
}

# ---- PngSuite ----

changed=0 accepted=0
for file in "$corpora"/png/[!x]*.png; do
  size=$(size_of "$file")
  [ -f "mask$size.png" ] \
    || make_png "mask$size.png" "${size%x*}" "${size#*x}" 0
  restore "$file" --mask "mask$size.png"
  run score "$file" result.png --json
  if [ "$status" -ne 0 ] || [ "$(json identical)" != true ]; then
    echo "# $file"
    changed=$((changed + 1))
  fi
done
for file in "$corpora"/png/x*.png; do
  restore "$file" --mask-color 000000
  if [ "$status" -ne 3 ] || ! is_one_line; then
    echo "# $file: exit code $status"
    accepted=$((accepted + 1))
  fi
done
ok "every picture of PngSuite comes back" [ $changed -eq 0 ]
ok "every broken one is refused in one line" [ $accepted -eq 0 ]

# ---- what fuzzers found ----

for corpus in png-fuzz jpeg-fuzz; do
  bad=0
  for file in "$corpora/$corpus"/*; do
    restore "$file" --mask-color 000000
    case $status in
    0) continue ;;
    3 | 4) is_one_line && continue ;;
    esac
    echo "# $file: exit code $status"
    sed 's/^/# /' err
    bad=$((bad + 1))
  done
  ok "every file of $corpus gives a picture or one line" [ $bad -eq 0 ]
done

# ---- a dictionary whose numbers overflow ----

hostile=$corpora/hostile
if [ -f "$hostile/h2.safetensors" ]; then
  run denoise "$hostile/noi.png" --sigma 25 --dict "$hostile/h2.safetensors" \
    -q -o denoised.png
  judge "a dictionary with huge numbers is refused by denoise" 3
  run inpaint "$hostile/noi.png" --mask-color 000000 \
    --dict "$hostile/h2.safetensors" -q -o filled.png
  judge "... and by inpaint" 3
else
  skip "a dictionary with huge numbers" "there is no $hostile"
fi

# ---- orientation ----

# Blocks of 20 x 20 along the picture.  Pixels next to a block get new colours,
# as these files keep colours at half the size; all others are known.
photo=$corpora/exif/Landscape_1.jpg
perl -e "$PNG"'sub blocks { my ($name, $more, $in, $out) = @_;
    my @within = map { my $m = $_; [ map { my $d = abs ($_ % $m - $m / 2);
      $d < 10 + $more } 0 .. 1799 ] } (360, 600);
    open my $file, ">", $name; binmode $file;
    print $file png (1800, 1200, 0, join "", map { my $y = $_;
      "\0" . join "", map { $within[0][$_] && $within[1][$y] ? $in : $out }
        0 .. 1799 } 0 .. 1199) }
  blocks ("mask.png", 0, "\xff", "\0");
  blocks ("known.png", 3, "\0", "\xff")'

# The files are JPEGs of their own, and equal only up to coding noise.
for number in 1 2 3 4 5 6 7 8; do
  file=$corpora/exif/Landscape_$number.jpg
  restore "$file" --mask mask.png
  run score "$photo" result.png --json
  ok "orientation $number is upright" is_more "$(json psnr)" 25
  ok "... is filled" [ "$(json identical)" = false ]
  run score "$file" result.png --mask known.png --json
  ok "... where the mask says" [ "$(json psnr_masked)" = null ]
done

finish
