#!/bin/sh
# cli_quality.sh - a part of "make quality": pictures are restored as well as the
# committed figures say, and found marks are as right.  After an improvement,
# "make quality quality-accept" raises the bounds.
. tests/lib.sh

command -v python3 >/dev/null || skip_all "there is no python3"
cd "$ROOT" || exit 1
python3 tests/quality/quality.py check --folder "$FOLDER" \
  --program "$TESSERA" --sgemm "$(dirname "$TESSERA")/tests/bench/sgemm" \
  --pictures "beach0 city10 fog4" --scenarios "pixels50 samples80 blocks10 \
  scratches dust hole text find-scratches find-dust find-text noise25 told25 \
  camera grain jpeg clean-*"
