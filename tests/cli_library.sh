#!/bin/sh
# cli_library.sh - the library as a stranger gets it
#
# Installs everything into an empty folder, looks at what is there, and builds
# the programs of docs/examples against it with pkg-config and nothing else.
. tests/lib.sh

BUILD=$(dirname "$TESSERA")
PLACE=$FOLDER/place
HEADER=$ROOT/include/tessera.h
unset MAKEFLAGS MFLAGS MAKELEVEL PKG_CONFIG_PATH LD_LIBRARY_PATH

make_install () {
  make -s -C "$ROOT" BUILD="$BUILD" "$@" >make.log 2>&1 && return
  sed 's/^/# /' make.log
  return 1
}

# quiet COMMAND... - runs it with its output in the files out and err
quiet () {
  "$@" >out 2>err
}

ok "make install" make_install PREFIX="$PLACE" install
LIB=$PLACE/lib/libtessera.so

export PKG_CONFIG_PATH="$PLACE/lib/pkgconfig"
CC=${CC:-cc}
CXX=${CXX:-c++}

# A library that was built with the sanitizers needs programs that are, too.
SANITIZE=
if nm -D "$LIB" | grep -q __asan_init; then
  SANITIZE=-fsanitize=address,undefined
fi

# ---- what is installed ----

for file in bin/tessera include/tessera.h lib/libtessera.a lib/libtessera.so \
  lib/libtessera.so.0 lib/pkgconfig/tessera.pc share/man/man1/tessera.1 \
  share/man/man3/tessera.3 share/tessera/photos/beach4.png; do
  ok "$file is there" [ -s "$PLACE/$file" ]
done

desktop=share/applications/tessera.desktop
icon=share/icons/hicolor/scalable/apps/tessera.svg
ok "an entry for the desktop" [ -s "$PLACE/$desktop" -a -s "$PLACE/$icon" ]
ok "... that opens pictures" grep -q '^Exec=tessera serve .*%F$' "$PLACE/$desktop"
if command -v desktop-file-validate >/dev/null; then
  ok "... is valid" quiet desktop-file-validate "$PLACE/$desktop"
else
  skip "... is valid" "there is no desktop-file-validate"
fi
# Whoever links statically needs all that the library was built with; only the
# program has libmicrohttpd and GnuTLS, and the plug-in GIMP.
needs () {
  perl -0ne '
    my ($build) = /^Build-Depends:(.*?)^\S/ms;
    my ($own) = /^Package: libtessera-dev\n.*?^Depends:(.*?)^\S/ms;
    my %own = map { $_ => 1 } $own =~ /([\w.+-]+-dev)\b/g;
    my @left = grep { !$own{$_} && !/^lib(microhttpd|gnutls28|gimp2.0)-dev/ }
               $build =~ /([\w.+-]+-dev)\b/g;
    print "# missing: @left\n" if @left;
    exit (@left || !%own);' "$ROOT/debian/control"
}
ok "libtessera-dev depends on what tessera.pc names" needs

ok "the program runs from there" quiet "$PLACE/bin/tessera" --version

# The page offers the photographs that were installed.
"$PLACE/bin/tessera" serve --no-open -q >address 2>err &
server=$!
for _ in $(seq 100); do
  [ -s address ] && break
  sleep 0.1
done
port=$(sed 's/.*127.0.0.1:\([0-9]*\).*/\1/' address)
sed 's/.*#//' address | tr -d '\n' >token
key=$(perl "$ROOT/tests/httpclient.pl" "$port" POST /api/session @token \
  | perl -0ne 'print $1 if /"key" : "(\w+)"/')
perl "$ROOT/tests/httpclient.pl" "$port" GET /api/about "X-Tessera-Key:$key" \
  >about
ok "its page finds the photographs" \
  grep -q "\"bundled\" : \"$PLACE/share/tessera/photos\"" about
kill "$server"
wait "$server"

ok "pkg-config knows the version" [ "$(pkg-config --modversion tessera)" = \
  "$("$TESSERA" --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" ]

# ---- names ----

# declared - the functions that the header declares
declared () {
  tr '\n' ' ' <"$HEADER" | grep -o 'TESSERA_API[^;]*;' \
    | grep -o 'tessera_[a-z_]* (' | sed 's/ (//' | sort
}

declared >declared
nm -D --defined-only "$LIB" | awk '{ print $3 }' | sort >exported
nm --defined-only --extern-only "$PLACE/lib/libtessera.a" \
  | awk 'NF == 3 { print $3 }' | sort >archived
ok "the header declares functions" [ "$(wc -l <declared)" -gt 50 ]
ok "the shared library exports these and nothing else" \
  diff declared exported
ok "so does the static one" diff declared archived
ok "the shared library has a name" sh -c \
  "objdump -p '$LIB' | grep -q 'SONAME *libtessera.so.0\$'"

missing=0
for name in $(cat declared); do
  grep -q "Fn $name\b" "$ROOT/docs/man/tessera.3" && continue
  [ "$name" = tessera_error_quark ] && continue
  echo "# $name"
  missing=$((missing + 1))
done
ok "the manual page names all functions" [ $missing -eq 0 ]

# ---- the header by itself ----

cat >header.c <<'END'
#include <tessera.h>
int main (void) { return tessera_version () == NULL; }
END
cp header.c header.cc
ok "the header is good C99 without warnings" \
  "$CC" -std=c99 -Wall -Wextra -Wpedantic -Werror $SANITIZE header.c \
  -o header $(pkg-config --cflags --libs tessera)
if command -v "$CXX" >/dev/null; then
  ok "... and C++" "$CXX" -Wall -Wextra -Werror $SANITIZE header.cc \
    -o header++ $(pkg-config --cflags --libs tessera)
else
  skip "... and C++" "there is no C++ compiler"
fi

# ---- the examples ----

# build NAME [OPTION...] - an example, in a folder without the sources
build () {
  example=$1
  shift
  cp "$ROOT/docs/examples/$example.c" . &&
    "$CC" -std=c11 -Wall -Wextra -Werror $SANITIZE "$example.c" -o "$example" \
      $(pkg-config --cflags --libs tessera) "$@"
}

LD_LIBRARY_PATH=$PLACE/lib
export LD_LIBRARY_PATH
for example in mend restore predict measure; do
  ok "docs/examples/$example.c builds" build $example
done

# Small, so that this takes no time; a photograph of waves, more or less.
make_png clean.png 120 90 \
  '120 + 50 * sin ($x / 9 + $c) * cos ($y / 7) + 30 * sin (($x + $y) / 3)'
"$TESSERA" corrupt clean.png --missing 0.3 --seed 1 --mask-out mask.png -q \
  -o damaged.png
ok "mend runs" quiet ./mend damaged.png mask.png mended.png
"$TESSERA" inpaint damaged.png --mask mask.png -q -o expected.png
ok "... and gives what the program gives" cmp mended.png expected.png
quiet ./mend no-such-file.png mask.png other.png
ok "... or says why not" [ "$?" -eq 1 ]
ok "... in one line" grep -q '^mend: .*no-such-file.png' err

"$TESSERA" corrupt clean.png --noise 15 --seed 1 -q -o noisy.png
"$TESSERA" corrupt noisy.png --blocks 9x4 --seed 1 -q -o old.png
ok "restore runs" quiet ./restore old.png restored.png
ok "... finds damage and noise" grep -q 'filled [1-9].* level 1[0-9]' out
"$TESSERA" restore old.png -q -o expected_restored.png
ok "... and gives what the program gives" cmp restored.png \
  expected_restored.png

ok "predict runs" quiet ./predict clean.png
ok "... and atoms predict better than the mean" is_more \
  "$(sed 's/.*mean //' out)" "$(sed 's/error \([0-9.]*\),.*/\1/' out)"

ok "measure runs" quiet ./measure clean.png
ok "... and finds all damage" grep -q \
  'damaged 900, found 900, rightly 900' out
ok "... and mends it" is_more "$(sed -n 's/.*-> \([0-9.]*\) dB.*/\1/p' out)" \
  "$(sed -n 's/PSNR \([0-9.]*\) .*/\1/p' out)"
ok "the library prints nothing" [ "$(wc -l <out)" -eq 2 ]
ok "... nowhere" [ ! -s err ]

# Without the shared library, pkg-config --static names what the other needs.
mkdir static
cp "$PLACE/lib/libtessera.a" static
ok "an example builds with the static library" "$CC" $SANITIZE mend.c \
  -o mend-static -Lstatic $(pkg-config --cflags tessera) \
  static/libtessera.a $(pkg-config --static --libs tessera \
  | sed 's/-ltessera//')
quiet ./mend-static damaged.png mask.png static.png
ok "... and gives the same" cmp static.png expected.png

# ---- gone again ----

ok "make uninstall" make_install PREFIX="$PLACE" uninstall
ok "... leaves no file" [ -z "$(find "$PLACE" ! -type d)" ]
ok "make install with DESTDIR" make_install DESTDIR="$FOLDER/staged" \
  PREFIX=/usr install
ok "... keeps that out of the files" not grep -q staged \
  "$FOLDER/staged/usr/lib/pkgconfig/tessera.pc"

finish
