#!/bin/sh
# Damages bundled photographs in several ways, restores them and scores both.
# usage: TESSERA=program demo.sh FOLDER
set -eu

out=$1
rm -rf "$out"
mkdir -p "$out"

# number FILE KEY: the value of a key in one line of JSON, rounded
number () {
  sed -n "s/.*\"$2\" *: *\([-0-9.e]*\).*/\1/p" "$1"
}

row () {
  printf '%-12s %-22s %7s dB %7s dB   %6s %6s\n' "$@"
}

# try PHOTO DAMAGE COMMAND...: damage the photograph, restore, print a row
try () {
  photo=$1 label=$2 damage=$3 command=$4
  name=$out/$photo-$(echo "$label" | tr -c 'a-z0-9\n' '-')
  clean=data/photos/$photo.png
  # shellcheck disable=SC2086
  "$TESSERA" corrupt $damage --seed 1 --quiet "$clean" -o "$name-damaged.png"
  "$TESSERA" "$command" --quiet "$name-damaged.png" -o "$name-restored.png"
  for kind in damaged restored; do
    "$TESSERA" score --json "$clean" "$name-$kind.png" > "$out/$kind.json"
  done
  row "$photo" "$label" \
    "$(printf %.2f "$(number "$out/damaged.json" psnr)")" \
    "$(printf %.2f "$(number "$out/restored.json" psnr)")" \
    "$(printf %.4f "$(number "$out/damaged.json" ssim)")" \
    "$(printf %.4f "$(number "$out/restored.json" ssim)")"
  rm -f "$out/damaged.json" "$out/restored.json"
}

LC_ALL=C
export LC_ALL
echo
printf '%-12s %-22s %10s %10s   %6s %6s\n' picture damage PSNR restored SSIM \
  restored
try forest3   "half the pixels lost"  "--missing 0.5"   denoise
try beach0    "4 of 5 pixels lost"    "--missing 0.8"   denoise
try mountain5 "60 blocks of 3x3"      "--blocks 3x60"   inpaint
try city10    "36 blocks of 10x10"    "--blocks 10x36"  inpaint
echo
echo "Pictures, damaged and restored:"
ls "$out"/*.png
