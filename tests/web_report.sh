#!/bin/sh
# web_report.sh - the page that "compare" writes, in a browser
. tests/lib.sh
. "$ROOT/tests/browser/need.sh"

# Names that would hurt a careless page.
mkdir photos
i=0
for name in 'a.png' 'b</script><img src=x onerror=alert(1)>.png' \
  'c"quoted" & <b>.png' "d$(printf '\377').png" 'e.png' 'f.png'; do
  i=$((i + 1))
  # Names have no slashes.
  make_png "photos/$(printf %s "$name" | tr / '|')" 64 40 \
    "128 + 90 * sin ((\$x * $i + 3 * \$y) / 9) + 30 * cos (\$x / 3 + \$c)"
done
"$TESSERA" compare photos --patch 4 --patches 600 --iterations 4 \
  --test-pictures 4 --damage missing:0.4,noise:20 -q -o report \
  -a dct,online,ksvd,tessera \
  || { echo "Bail out! There is no report."; exit 1; }
"$TESSERA" compare photos --patch 4 --patches 600 --test-pictures 2 -a tessera \
  --show 0 -q -o bare || { echo "Bail out! There is no report."; exit 1; }

node "$ROOT/tests/browser/report.mjs" "$ROOT/docs/results.schema.json"
