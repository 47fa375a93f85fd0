#!/bin/sh
# run.sh BUILD SECONDS [TARGET...] - builds the targets of libFuzzer with the
# sanitizers, gives each of them SECONDS, and says what came out: executions,
# edges of our code that were reached, crashes.  A crash fails; its bytes stay
# in BUILD/fuzz/crashes.
#
# libpng, libjpeg, libtiff, libwebp and json-glib are the system's, without
# instrumentation: what is looked for is in our code and in how it calls theirs.
set -eu
folder=$1/fuzz seconds=$2
tessera=$PWD/$1/tessera
shift 2

command -v clang >/dev/null || {
  echo "fuzz: clang is missing; apt-get install clang" >&2
  exit 1
}
make -s -j2 CC=clang BUILD="$folder" LDFLAGS= CFLAGS="-O1 -g \
  -fsanitize=fuzzer-no-link,address,undefined \
  -fno-sanitize-recover=undefined -fno-omit-frame-pointer" fuzzers
[ $# -gt 0 ] || set -- picture tiff webp dictionary restore maskruns exif request record

# Memory that a file merely claims must not be asked for: 1 GiB is far more
# than the limits of the targets allow.  A second is far more than any input
# may take, but libFuzzer counts elapsed time, and a busy machine gave an input
# of 0.1 core seconds no chance within 36.
failed=0
for target; do
  work=$folder/corpus/$target crashes=$folder/crashes
  mkdir -p "$work" "$crashes"
  perl tests/fuzz/seeds.pl "$target" "$work" "$tessera"
  words=tests/fuzz/$target.dict
  status=0
  ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 \
    "$folder/tests/fuzz/$target" "$work" \
    -max_total_time="$seconds" -max_len=20000 -timeout=120 \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$crashes/$target-" \
    $([ ! -f "$words" ] || echo "-dict=$words") \
    >"$folder/$target.log" 2>&1 || status=$?
  perl -ne '
    $edges = $1 if /INFO: Loaded 1 modules\s+\((\d+) inline/;
    ($covered, $features) = ($1, $2) if /cov: (\d+) ft: (\d+)/;
    $runs = $1 if /number_of_executed_units: (\d+)/;
    END { printf "fuzz: %-10s %9d executions, %5d of %5d edges, %6d features",
      $ARGV[0] // shift @target, $runs, $covered, $edges, $features }
    BEGIN { @target = (shift) }' "$target" "$folder/$target.log"
  if [ $status -eq 0 ]; then
    echo ", no crash"
  else
    echo ", CRASH"
    grep -m 5 -E 'ERROR|SUMMARY|does not hold|runtime error|Test unit' \
      "$folder/$target.log" >&2 || tail -n 5 "$folder/$target.log" >&2
    failed=1
  fi
done
exit $failed
