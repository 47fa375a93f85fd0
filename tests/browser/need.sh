# need.sh - to be sourced after lib.sh by tests that need a browser; leaves the
# script where it or the modules are missing

TESSERA_MODULES=$ROOT/build/browser
export TESSERA_MODULES
command -v node >/dev/null || skip_all "there is no node"
command -v chromium >/dev/null || skip_all "there is no chromium"
[ -d "$TESSERA_MODULES/node_modules/playwright-core" ] \
  || skip_all "there is no playwright-core: make deps-browser installs it"
