#!/bin/sh
# kernels.sh - the same bytes under every kernel of OpenBLAS; "make
# check-kernels" runs it
#
# OPENBLAS_CORETYPE makes OpenBLAS compute as it does on another processor.
# Under each of them that this one can run, the unit tests that claim that
# something does not depend on threads, tiles or order must pass, and what
# inpaint and denoise write must be what they write under the first.  Where
# qemu-x86_64 is there, whole processors are emulated, too: then our own loops
# and the mathematical library are those of another machine.  All processors
# with a fused product and sum must give the same bytes; those of processors
# without one may differ by what rounding makes.
#
# A unit test that makes such a claim has one of these names.
CLAIMS='/(threads|tiles|order|seeds|hidden|any-cut|definition|kernels)$'
KERNELS='Prescott Nehalem Sandybridge Haswell Zen SkylakeX'
. tests/lib.sh
BUILD=$(dirname "$TESSERA")

# lacks KERNEL - prints what the processor lacks to run it
lacks () {
  case $1 in
    Prescott) needs=pni ;;
    Nehalem) needs=sse4_2 ;;
    Sandybridge) needs=avx ;;
    Haswell | Zen) needs='avx2 fma' ;;
    SkylakeX) needs='avx512f avx512dq avx512bw avx512vl' ;;
  esac
  for flag in $needs; do
    grep -qw "$flag" /proc/cpuinfo || echo "$flag"
  done
}

# claims PROGRAM - the paths of its tests that are to pass everywhere
claims () {
  (cd "$ROOT" && "$1" -l) | grep -E "$CLAIMS" | sed 's/^/-p /'
}

# mend NAME COMMAND... - writes pictures as NAME-*.png, by way of COMMAND
mend () {
  prefix=$1
  shift
  "$@" inpaint damaged.png --mask mask.png -q -o "$prefix-inpaint.png" &&
    "$@" denoise damaged.png --mask mask.png -q -o "$prefix-denoise.png" &&
    "$@" denoise damaged.png --mask mask.png --sigma 20 --dict learned -q \
      -o "$prefix-learned.png"
}

# same NAME A B - the pictures of A and B are the same
same () {
  for what in inpaint denoise learned; do
    ok "$1: bytes of $what" cmp "$2-$what.png" "$3-$what.png"
  done
}

# near A B - the pictures of A and B differ by less than a quarter of a level
near () {
  for what in inpaint denoise learned; do
    cmp -s "$1-$what.png" "$2-$what.png" && continue
    "$TESSERA" score "$1-$what.png" "$2-$what.png" --json >out &&
      echo "# $what: $(json psnr) dB" && is_more "$(json psnr)" 60 || return
  done
}

photo=$PHOTOS/mountain5.png
"$TESSERA" corrupt "$photo" --missing 0.1 --noise 20 --seed 1 -q \
  -o damaged.png --mask-out mask.png
first=
for kernel in $KERNELS; do
  missing=$(lacks $kernel | tr '\n' ' ')
  if [ -n "$missing" ]; then
    skip "$kernel" "this processor has no $missing"
    continue
  fi
  OPENBLAS_CORETYPE=$kernel
  export OPENBLAS_CORETYPE
  for program in "$BUILD"/tests/test_*; do
    [ -x "$program" ] && [ ! -d "$program" ] || continue
    paths=$(claims "$program")
    [ -n "$paths" ] || continue
    # shellcheck disable=SC2086 # a list of words
    (cd "$ROOT" && "$program" $paths >"$FOLDER/log" 2>&1)
    code=$?
    report $code "$kernel: $(basename "$program")"
    [ $code -eq 0 ] || sed 's/^/# /' log
  done
  ok "$kernel: pictures" mend $kernel "$TESSERA"
  first=${first:-$kernel}
  [ $first = $kernel ] || same $kernel $first $kernel
done
unset OPENBLAS_CORETYPE

# Small, since an emulator takes its time.
make_png small.png 40 28 '128 + 90 * sin ($x * $y / 90 + $c) + ($x * 7919 +
  $y * 104729 + $c * 1299709 + $x * $x * $y) % 41'
"$TESSERA" corrupt small.png --missing 0.2 --seed 1 -q -f \
  -o damaged.png --mask-out mask.png
if command -v qemu-x86_64 >/dev/null; then
  ok "this processor: pictures" mend here "$TESSERA"
  ok "with FMA, emulated: pictures" mend new qemu-x86_64 -cpu max "$TESSERA"
  ok "without, emulated: pictures" mend old qemu-x86_64 -cpu Nehalem "$TESSERA"
  if grep -qw fma /proc/cpuinfo; then
    same "this processor, with FMA" here new
  else
    same "this processor, without FMA" here old
  fi
  ok "with and without FMA" near new old
else
  skip "emulated processors" "there is no qemu-x86_64"
fi
finish
