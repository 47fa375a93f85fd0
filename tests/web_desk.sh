#!/bin/sh
# web_desk.sh - several pictures, and what keeps work safe, on the page of
# "tessera serve" in a browser
. tests/lib.sh
. "$ROOT/tests/browser/need.sh"

export TESSERA ROOT
node "$ROOT/tests/browser/desk.mjs"
