#!/bin/sh
# web_load.sh - crowds and nonsense against the server of the page; more of it
# by "node tests/browser/load.mjs full"
. tests/lib.sh

command -v node >/dev/null || skip_all "there is no node"
export TESSERA ROOT
if nm "$TESSERA" 2>/dev/null | grep -q __asan_init; then
  SANITIZED=1
  export SANITIZED
fi
node "$ROOT/tests/browser/load.mjs"
