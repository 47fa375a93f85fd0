#!/bin/sh
# web_serve.sh - the page of "tessera serve" in a browser
. tests/lib.sh
. "$ROOT/tests/browser/need.sh"

export TESSERA ROOT
node "$ROOT/tests/browser/serve.mjs"
