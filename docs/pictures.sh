#!/bin/sh
# Makes the pictures of the README: damaged and restored, by the program; and
# after "make comparison deps-browser" those of its report.
# usage: TESSERA=program docs/pictures.sh
# Needs Python with NumPy and Pillow, which PYTHON may name.
set -eu
PYTHON=${PYTHON:-python3}

out=docs/images
mkdir -p "$out"

# damage NAME PHOTO DAMAGE...
damage () {
  name=$1 photo=$2
  shift 2
  "$TESSERA" corrupt "$@" --seed 1 --force --quiet "data/photos/$photo.png" \
    -o "$out/$name-damaged.png" --mask-out "$out/mask.png"
}

# restore COMMAND OPTION...
restore () {
  "$TESSERA" "$@" --quality best --force --quiet "$out/$name-damaged.png" \
    -o "$out/$name-restored.png"
  rm "$out/mask.png"
}

damage pixels beach0 --missing 0.8
restore inpaint --mask "$out/mask.png"
damage blocks city10 --blocks 10x36
restore inpaint --mask "$out/mask.png"
damage hole water0 --blocks 90x1
restore inpaint --mask "$out/mask.png"
damage noise mountain5 --noise 25
restore denoise
damage both forest3 --missing 0.3 --noise 15
restore denoise

# A part of the noise of a camera at 200 %, where the two can be told apart.
enlarge () {
  "$PYTHON" -c 'import sys
from PIL import Image
picture = Image.open(sys.argv[1]).crop((80, 70, 280, 210))
picture.resize((400, 280), Image.NEAREST).save(sys.argv[2])' "$1" "$2"
}
"$PYTHON" docs/cameranoise.py data/photos/fields7.png "$out/noisy.png"
"$TESSERA" denoise --force --quiet "$out/noisy.png" -o "$out/clean.png"
enlarge "$out/noisy.png" "$out/camera-damaged.png"
enlarge "$out/clean.png" "$out/camera-restored.png"
rm "$out/noisy.png" "$out/clean.png"

if [ -d build/comparison ] && [ -d build/browser ]; then
  cp build/comparison/curves-time.svg "$out/compare-curves.svg"
  TESSERA_MODULES=$PWD/build/browser node tests/browser/picture.mjs \
    build/comparison summary 880 "$out/compare.png"
fi
