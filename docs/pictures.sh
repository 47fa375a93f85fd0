#!/bin/sh
# Makes the pictures of the README: damaged and restored, by the program; and
# after "make comparison deps-browser" those of its report.
# usage: TESSERA=program docs/pictures.sh
set -eu

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

if [ -d build/comparison ] && [ -d build/browser ]; then
  cp build/comparison/curves-time.svg "$out/compare-curves.svg"
  TESSERA_MODULES=$PWD/build/browser node tests/browser/picture.mjs \
    build/comparison summary 880 "$out/compare.png"
fi
