#!/bin/sh
# A small comparison on the bundled photographs: learns with two algorithms,
# restores what was damaged in two ways, prints the scores and where the report
# is.
# usage: TESSERA=program demo.sh FOLDER
set -eu

echo
"$TESSERA" compare data/photos --patches 5000 --seed 1 \
  --damage missing:0.5,blocks:10x36 --force -o "$1"
echo
echo "Open that page in a browser: pictures to look at, curves, tables."
