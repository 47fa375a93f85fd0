#!/bin/sh
# Makes the pictures of docs/gallery.md and README.md: photographs of data/photos,
# damaged by "tessera corrupt" or tests/quality/pictures.py, and restored.
# usage: TESSERA=program docs/gallery.sh [NAME...]
# Needs nothing but Python.  Without names, all are made.
set -eu

TESSERA=${TESSERA:-build/tessera}
out=docs/images/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
wanted=" $* "

# Whether a picture is to be made; it then has a folder of its own.
begin () {
  name=$1
  [ "$wanted" != "  " ] && case $wanted in *" $name "*) ;; *) return 1 ;; esac
  folder=$work/$name
  mkdir -p "$folder"
}

# simulate KIND SEED PHOTO - leaves in.png (or in.jpg) and mask.png
simulate () {
  python3 tests/quality/pictures.py damage "$TESSERA" "$1" "$2" "$3" "$folder" >/dev/null
}

run () {
  "$TESSERA" "$@" --force --quiet
}

# show FILE SIDE - as a JPEG of full colours, which is enough to look at
show () {
  run corrupt "$1" --missing 1e-9 --jpeg-quality 90 -o "$out/$name-$2.jpg"
}

# enlarge FILE SIDE LEFT TOP - a part of 180 x 90 pixels at 200 %
enlarge () {
  python3 -c 'import sys
sys.path.insert (0, "tests/quality")
from pictures import read_png, write_png
source, target, left, top = sys.argv[1], sys.argv[2], int (sys.argv[3]), int (sys.argv[4])
rows = read_png (source)[3][top:top + 90]
write_png (target, [[v for x in range (left, left + 180) for _ in range (2)
                     for v in row[3 * x:3 * x + 3]] for row in rows for _ in range (2)])' \
    "$1" "$folder/part.png" "$3" "$4"
  show "$folder/part.png" "$2"
}

# both INPUT - shows what was damaged, and what was made of it
both () {
  show "$1" damaged
  show "$folder/out.png" restored
}

# ---- found and mended ----

if begin scratches; then
  simulate scratches busy data/photos/badlands8.png
  run restore "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin dust; then
  simulate dust dust data/photos/sky2.png
  run restore "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin text; then
  simulate text text data/photos/water0.png
  run restore "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

# ---- filled where a mask says ----

if begin pixels; then
  simulate pixels:0.8 pixels data/photos/beach0.png
  run inpaint "$folder/in.png" --mask "$folder/mask.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin blocks; then
  run corrupt data/photos/city10.png --blocks 10x36 --seed 1 -o "$folder/in.png"
  run inpaint "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin hole; then
  run corrupt data/photos/water0.png --blocks 90x1 --seed 1 -o "$folder/in.png" \
    --mask-out "$folder/mask.png"
  run inpaint "$folder/in.png" --mask "$folder/mask.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

# ---- noise ----

if begin noise; then
  run corrupt data/photos/fog4.png --noise 25 --seed 1 -o "$folder/in.png"
  run denoise "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin dead; then
  run corrupt data/photos/forest3.png --missing 0.3 --noise 15 --seed 1 -o "$folder/in.png"
  run denoise "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin camera; then
  simulate camera:100 camera data/photos/fields7.png
  run denoise "$folder/in.png" -o "$folder/out.png"
  enlarge "$folder/in.png" damaged 90 60
  enlarge "$folder/out.png" restored 90 60
fi

if begin jpeg; then
  simulate jpeg:15 jpeg data/photos/canyon7.png
  run denoise "$folder/in.jpg" -o "$folder/out.png"
  run corrupt "$folder/in.jpg" --missing 1e-9 -o "$folder/in.png"
  enlarge "$folder/in.png" damaged 90 60
  enlarge "$folder/out.png" restored 90 60
fi

# ---- failures ----

if begin unseen; then
  simulate hole unseen data/photos/beach4.png
  run restore "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin missed; then
  simulate scratches scratches data/photos/mountain5.png
  run restore "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin letters; then
  simulate text letters data/photos/fields5.png
  run restore "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin structure; then
  run corrupt data/photos/city11.png --blocks 110x1 --seed 3 -o "$folder/in.png" \
    --mask-out "$folder/mask.png"
  run inpaint "$folder/in.png" --mask "$folder/mask.png" -o "$folder/out.png"
  both "$folder/in.png"
fi

if begin fine; then
  run corrupt data/photos/snow4.png --noise 50 --seed 1 -o "$folder/in.png"
  run denoise "$folder/in.png" -o "$folder/out.png"
  both "$folder/in.png"
fi
