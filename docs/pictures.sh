#!/bin/sh
# Makes the pictures of the README: damaged and restored, by the program; and
# after "make comparison deps-browser" those of its report.
# usage: TESSERA=program docs/pictures.sh
set -eu

out=docs/images
mkdir -p "$out"

# pair NAME PHOTO DAMAGE...
pair () {
  name=$1 photo=$2
  shift 2
  "$TESSERA" corrupt "$@" --seed 1 --force --quiet "data/photos/$photo.png" \
    -o "$out/$name-damaged.png" --mask-out "$out/mask.png"
  "$TESSERA" inpaint --mask "$out/mask.png" --quality best --force --quiet \
    "$out/$name-damaged.png" -o "$out/$name-restored.png"
  rm "$out/mask.png"
}

pair pixels beach0 --missing 0.8
pair blocks city10 --blocks 10x36

if [ -d build/comparison ] && [ -d build/browser ]; then
  cp build/comparison/curves-time.svg "$out/compare-curves.svg"
  TESSERA_MODULES=$PWD/build/browser node tests/browser/picture.mjs \
    build/comparison summary 880 "$out/compare.png"
fi
