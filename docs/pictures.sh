#!/bin/sh
# Makes the picture of a comparison's report, after "make comparison deps-browser".
# docs/gallery.sh makes the pictures of photographs, docs/screenshot.mjs that of the page.
# usage: docs/pictures.sh
set -eu

TESSERA_MODULES=$PWD/build/browser node tests/browser/picture.mjs \
  build/comparison summary 880 docs/images/compare.png
