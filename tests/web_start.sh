#!/bin/sh
# web_start.sh - pictures that are open from the start, files that cannot be
# opened, and a page on another machine, in a browser
. tests/lib.sh
. "$ROOT/tests/browser/need.sh"

export TESSERA ROOT
node "$ROOT/tests/browser/start.mjs"
