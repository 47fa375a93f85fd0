#!/bin/sh
# web_restore.sh - all in one go, and the marks of what is found, on the page of
# "tessera serve" in a browser
. tests/lib.sh
. "$ROOT/tests/browser/need.sh"

export TESSERA ROOT
node "$ROOT/tests/browser/restore.mjs"
