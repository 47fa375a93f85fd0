#!/bin/sh
# install.sh - what the tests in a browser need: Chromium and Node from the
# system, and a few modules, at the versions in package-lock.json
# usage: install.sh FOLDER
set -eu

modules=$1
here=$(dirname "$0")

missing=
command -v chromium >/dev/null || missing="$missing chromium"
command -v node >/dev/null || missing="$missing nodejs"
command -v npm >/dev/null || missing="$missing npm"
if [ -n "$missing" ]; then
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  echo "installing$missing"
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y \
    --no-install-recommends $missing >/dev/null
fi

mkdir -p "$modules"
cmp -s "$here/package-lock.json" "$modules/package-lock.json" \
  && [ -d "$modules/node_modules" ] && exit 0
cp "$here/package.json" "$here/package-lock.json" "$modules/"
cd "$modules"
npm ci --ignore-scripts --no-audit --no-fund --loglevel error
