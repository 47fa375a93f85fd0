#!/bin/sh
# web_hand.sh - strokes, keys, small windows and settings, on the page of
# "tessera serve" in a browser
. tests/lib.sh
. "$ROOT/tests/browser/need.sh"

export TESSERA ROOT
node "$ROOT/tests/browser/hand.mjs"
