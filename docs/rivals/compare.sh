#!/bin/sh
# Our methods and those of this folder in one report.
# usage: [TESSERA=program] compare.sh PICTURES REPORT [OPTION...]
set -eu
here=$(dirname "$0")
tessera=${TESSERA:-tessera}
pictures=$1
report=$2
shift 2
python="python3 $here"

exec "$tessera" compare "$pictures" -o "$report" \
  --restorer "opencv-ns=$python/opencv.py ns {input} {mask} {output}" \
  --restorer "opencv-telea=$python/opencv.py telea {input} {mask} {output}" \
  --restorer "biharmonic=$python/biharmonic.py {input} {mask} {output}" \
  --restorer "gmic=gmic {input} {mask} inpaint[0] [1] keep[0] output {output}" \
  --learner "sklearn=$python/minibatch.py {input} {output} {atoms} {seed}" \
  "$@"
