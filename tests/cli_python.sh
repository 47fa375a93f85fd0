#!/bin/sh
# cli_python.sh - the Python module against the library that was built
. tests/lib.sh

PYTHON=${PYTHON:-/usr/bin/python3}
LIB=$(ls -t "$(dirname "$TESSERA")"/lib/libtessera.so.* 2>/dev/null | head -n 1)
[ -n "$LIB" ] || skip_all "there is no shared library"
"$PYTHON" -c 'import numpy, pytest' 2>/dev/null \
  || skip_all "there is no $PYTHON with numpy and pytest"
if nm -D "$LIB" | grep -q __asan_init; then
  skip_all "a sanitized library needs a sanitized Python"
fi

PYTHONPATH=$ROOT/python
PYTHONDONTWRITEBYTECODE=1
TESSERA_LIBRARY=$LIB
export PYTHONPATH PYTHONDONTWRITEBYTECODE TESSERA_LIBRARY TESSERA

"$PYTHON" -m pytest -q -p no:cacheprovider "$ROOT/python/tests" >pytest.log 2>&1
status=$?
sed 's/^/# /' pytest.log | tail -n 40
ok "pytest" [ "$status" -eq 0 ]

# The example, with its own figure and with that of Matplotlib if it is there.
mkdir few
cp "$ROOT"/data/photos/beach0.png "$ROOT"/data/photos/city10.png \
  "$ROOT"/data/photos/fog4.png few
example () {
  "$PYTHON" "$ROOT/docs/examples/similarity.py" few "$@" --steps 4 \
    --patches 900 >example.log 2>&1 || sed 's/^/# /' example.log
  grep -q '^K-SVD *4 steps .* SSIM 0\.' example.log && grep -q '<svg' "$1"
}
ok "docs/examples/similarity.py" example figure.svg
ok "... draws the figure alone" example alone.svg --plain
ok "... with a line for each learner" \
  [ "$(grep -c 'stroke-width="2"' alone.svg)" -eq 2 ]

# Without a network, into a folder of its own.
if "$PYTHON" -c 'import setuptools, wheel, pip' 2>/dev/null; then
  cp -r "$ROOT/python" source
  "$PYTHON" -m pip install -q --no-index --no-build-isolation --no-deps \
    --target installed ./source >pip.log 2>&1 || sed 's/^/# /' pip.log
  cd / && PYTHONPATH=$FOLDER/installed
  ok "pip install" "$PYTHON" -c '
import tessera, sys
sys.exit(not tessera.__file__.startswith(sys.argv[1]))' "$FOLDER/installed"
else
  skip "pip install" "there is no pip with setuptools and wheel"
fi

finish
