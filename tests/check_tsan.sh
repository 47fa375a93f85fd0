#!/bin/sh
# check_tsan.sh BUILD [TEST...] - what uses threads, under ThreadSanitizer
#
# OpenBLAS, libmicrohttpd and GLib come from the system and are not
# instrumented.  The first two use the locks of the C library, which
# ThreadSanitizer knows; what GLib's own ones mean is told by glibtsan.c.  GLib
# before 2.76 hands small memory from thread to thread by means that it cannot
# see; with this variable it takes all from malloc().
set -eu
folder=$1/tsan
shift
[ $# -gt 0 ] || set -- parallel pursuit patchsource learners hostile jobqueue \
  openphotos restore denoise detect png specknet

mkdir -p "$folder/tests"
flags="-O1 -g -fsanitize=thread"
${CC:-gcc} -std=c11 -D_GNU_SOURCE $flags -I. $(pkg-config --cflags gio-2.0) \
  -c -o "$folder/tests/glibtsan.o" tests/glibtsan.c
programs="$folder/tessera"
tests=
for name; do
  [ ! -f "tests/test_$name.c" ] || tests="$tests $folder/tests/test_$name"
done
make -s -j2 BUILD="$folder" CFLAGS="$flags" \
  LDFLAGS="$folder/tests/glibtsan.o -ldl" $programs $tests

# The first report ends a program, with a code that no test expects.
TSAN_OPTIONS="halt_on_error=1 exitcode=66 second_deadlock_stack=1"
TESSERA=$PWD/$folder/tessera
G_SLICE=always-malloc
export TSAN_OPTIONS TESSERA G_SLICE
prove -j2 $tests tests/cli_serve.sh :: --tap
