#!/bin/sh
# cli_corpora.sh - files of others through the whole program
#
# PngSuite with a mask of nothing must come back; what fuzzers found must give
# a picture or one line of complaint.  The time limit only catches hangs.
. tests/lib.sh

corpora=$SHARED/corpora
[ -d "$corpora" ] || skip_all "there is no $corpora"

# size_of FILE - width and height of a PNG, "32x32"
size_of () {
  perl -e 'open my $in, "<:raw", $ARGV[0]; read $in, my $head, 24;
    printf "%dx%d", unpack "x16 NN", $head' "$1"
}

# restore FILE OPTION... - fills in $status and err
restore () {
  timeout 10 "$TESSERA" inpaint "$@" --quality fast -q --force -o result.png \
    2>err
  status=$?
}

# ---- PngSuite ----

changed=0 accepted=0
for file in "$corpora"/png/[!x]*.png; do
  size=$(size_of "$file")
  [ -f "mask$size.png" ] \
    || make_png "mask$size.png" "${size%x*}" "${size#*x}" 0
  restore "$file" --mask "mask$size.png"
  run score "$file" result.png --json
  if [ "$status" -ne 0 ] || [ "$(json identical)" != true ]; then
    echo "# $file"
    changed=$((changed + 1))
  fi
done
for file in "$corpora"/png/x*.png; do
  restore "$file" --mask-color 000000
  if [ "$status" -ne 3 ] || ! is_one_line; then
    echo "# $file: exit code $status"
    accepted=$((accepted + 1))
  fi
done
ok "every picture of PngSuite comes back" [ $changed -eq 0 ]
ok "every broken one is refused in one line" [ $accepted -eq 0 ]

# ---- what fuzzers found ----

for corpus in png-fuzz jpeg-fuzz; do
  bad=0
  for file in "$corpora/$corpus"/*; do
    for option in "--mask-color 000000" --mask-alpha; do
      # shellcheck disable=SC2086 # words are meant to be split
      restore "$file" $option
      case $status in
      0) continue ;;
      3 | 4) is_one_line && continue ;;
      esac
      echo "# $file $option: exit code $status"
      sed 's/^/# /' err
      bad=$((bad + 1))
    done
  done
  ok "every file of $corpus gives a picture or one line" [ $bad -eq 0 ]
done

# ---- orientation ----

# One mask, drawn on the upright picture, fits all eight ways to store it.
failed=0
for file in "$corpora"/exif/Landscape_[1-8].jpg; do
  restore "$file" --mask-color 010203 --mask-out mask.png
  [ "$status" -eq 0 ] || failed=$((failed + 1))
  restore "$file" --mask mask.png
  [ "$status" -eq 0 ] || failed=$((failed + 1))
  [ -f upright.png ] || cp mask.png upright.png
  run score upright.png mask.png
  [ "$status" -eq 0 ] || failed=$((failed + 1))
done
ok "masks are as upright as the pictures" [ $failed -eq 0 ]

finish
