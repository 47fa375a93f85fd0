#!/bin/sh
# cli_mpi.sh - the same result from any number of ranks
#
# Builds the program with MPI=1, of which one object differs, and runs it with
# more ranks than there are cores.  Skipped where Open MPI is not installed.
. tests/lib.sh

command -v mpirun >/dev/null || skip_all "mpirun is not installed"
pkg-config --exists ompi-c || skip_all "libopenmpi-dev is not installed"
BUILD=$(dirname "$TESSERA")
if nm "$TESSERA" | grep -q __asan_init; then
  skip_all "the sanitizers find leaks in Open MPI"
fi
unset MAKEFLAGS MFLAGS MAKELEVEL
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_rmaps_base_oversubscribe=1
mpirun -n 2 true >out 2>err || skip_all "mpirun does not work here"

make_program () {
  make -s -C "$ROOT" MPI=1 BUILD="$BUILD" PROGRAM="$FOLDER/ranked" \
    "$FOLDER/ranked" >make.log 2>&1 && return
  sed 's/^/# /' make.log
  return 1
}
ok "make MPI=1" make_program

# ranks COUNT ARGUMENT... - like run, on that many ranks
ranks () {
  count=$1
  shift
  timeout 300 mpirun -n "$count" ./ranked "$@" >out 2>err
  status=$?
}

./ranked --version >out
ok "the version names MPI" grep -q "^Open MPI [0-9]" out
"$TESSERA" --version >out
ok "... where it is in" not grep -q "Open MPI" out

# ---- the same bytes ----

for name in badlands5 badlands8 beach0 beach4; do
  cp "$PHOTOS/$name.png" .
done

# same NAME OPTION... - learns without MPI, without mpirun, and on 1, 2, 3, 4
# and 8 ranks
same () {
  name=$1
  shift
  expect "$name" 0 learn ./*.png --threads 2 -q "$@" -o one.safetensors
  ./ranked learn ./*.png --threads 1 -q "$@" -o ranked.safetensors
  ok "... without mpirun" cmp -s one.safetensors ranked.safetensors
  for count in 1 2 3 4 8; do
    ranks $count learn ./*.png --threads 1 --force "$@" -o many.safetensors
    ok "... on $count ranks" [ "$status" -eq 0 ]
    ok "... says so once" [ "$(grep -c '^learned' err)" -eq 1 ]
    ok "... the same bytes" cmp -s one.safetensors many.safetensors
  done
  rm -f one.safetensors ranked.safetensors many.safetensors
}

same online --patch 8 --iterations 6 --window 600 --stride 50
same minibatch --algorithm minibatch --patch 8 --iterations 4 \
  --max-patches 3000 --window 700
same ksvd --algorithm ksvd --patch 4 --max-patches 9000 --iterations 2
same "ksvd, exactly" --algorithm ksvd --exact --patch 4 --max-patches 2100 \
  --iterations 2
same mod --algorithm mod --patch 4 --max-patches 9000 --iterations 2
same "a task" --task missing:0.5 --patch 4 --task-iterations 3
same transform --algorithm transform --patch 4 --iterations 2 --crop 16
same convolutional --algorithm convolutional --iterations 2 --crop 16 \
  --rounds 2 --sets 1

# ---- a folder ----

mkdir scans
for name in a b c d e f g; do
  cp beach0.png scans/$name.png
done
echo broken >scans/broken.png
"$TESSERA" corrupt beach0.png --missing 0.2 -q -o /dev/null --mask-out mask.png
run inpaint scans -o alone --mask mask.png --quality fast -q
ok "a folder" [ "$status" -eq 3 ]
for count in 1 2 3 4 8; do
  ranks $count inpaint scans -o together --mask mask.png --quality fast \
    --force --threads 1
  ok "... on $count ranks" [ "$status" -eq 3 ]
  ok "... the same files" diff -r -x .tessera alone together
  ok "... a line for each, and for the sum" [ "$(grep -c -e '->' err)" -eq 7 ]
  ok "... and the sum" grep -q "8 pictures: 7 done, 0 skipped, 1 failed" err
done
ranks 2 inpaint scans -o together --mask mask.png --quality fast --json
ok "another run has nothing to do" [ "$(grep -c '"skipped"' out)" -eq 7 ]
ranks 2 inpaint beach0.png --mask mask.png -o single.png --quality fast
ok "a single picture is worked on once" [ "$(grep -c filled err)" -eq 1 ]
rm -r alone together

# ---- a comparison ----

mkdir photos
for number in 1 2 3 4 5 6 7; do
  make_png photos/$number.png 64 48 \
    "128 + 90 * sin (\$x / (3 + $number) + \$c) * cos (\$y / 7 + \$x * $number)"
done
compare="compare photos --patch 4 --patches 600 --iterations 3
  --test-pictures 3 --damage missing:0.5,blocks:10x3 --show 2 --seeds 1,2
  --algorithms dct,online,ksvd,mod"
expect "a comparison" 0 $compare --threads 2 -q -o alone
for count in 1 2 3 4 8; do
  ranks $count $compare --threads 1 --force -o together
  ok "... on $count ranks" [ "$status" -eq 0 ]
  ok "... tells the result once" [ "$(grep -c -e '-> together' err)" -eq 1 ]
  for file in results.csv table.tex online.safetensors \
    online-seed2.safetensors ksvd.safetensors mod-seed2.safetensors; do
    ok "... the same $file" cmp -s alone/$file together/$file
  done
  ok "... the same pictures" [ "$(grep -o 'data:image/png[^"]*' \
    alone/index.html | cksum)" = "$(grep -o 'data:image/png[^"]*' \
    together/index.html | cksum)" ]
done
ranks 2 $compare --threads 1 -o together
ok "a folder that exists ends all ranks" [ "$status" -eq 1 ]
ok "... and is told once" [ "$(grep -c '^tessera: ' err)" -eq 1 ]
echo broken >photos/zz.png
run $compare -o without
named=$(grep -c 'zz.png' err)
ranks 2 $compare --threads 1 -o with_broken
ok "a broken picture is skipped" [ "$status" -eq 0 ]
ok "... and named as by one rank" [ "$(grep -c 'zz.png' err)" -eq "$named" ]
ok "... with the same result" cmp -s without/results.csv \
  with_broken/results.csv
rm -r alone together without with_broken

# ---- one program, not many ----

ranks 3 learn ./*.png --patch 4 --iterations 2 -v -o told.safetensors
ok "what is exchanged is said" grep -q "3 ranks, [0-9]* broadcasts" err
ranks 3 learn ./*.png --patch 4 --iterations 2 -o told.safetensors
ok "a mistake ends all ranks" [ "$status" -eq 1 ]
ok "... and is told once" [ "$(grep -c '^tessera: ' err)" -eq 1 ]
ranks 2 score beach0.png beach0.png --json
ok "a command for one rank" [ "$status" -eq 0 ]
ok "... runs once" [ "$(grep -c identical out)" -eq 1 ]
ranks 2 learn --help
ok "the help" [ "$(grep -c '^Usage' out)" -eq 1 ]

# ---- a rank that dies ----

# Finds the second rank of the job in the background, and kills it.
timeout 300 mpirun -n 2 ./ranked learn ./*.png --iterations 1000000 \
  --time-limit 250 -o dead.safetensors >out 2>err &
job=$!
victim=
tries=0
while [ -z "$victim" ] && [ $tries -lt 600 ]; do
  for process in $(pgrep -x ranked); do
    { tr '\0' '\n' <"/proc/$process/environ" >environ; } 2>/dev/null \
      || continue
    if grep -qx "PWD=$FOLDER" environ \
      && grep -qx OMPI_COMM_WORLD_RANK=1 environ; then
      victim=$process
    fi
  done
  tries=$((tries + 1))
  [ -n "$victim" ] || sleep 0.1
done
ok "a rank is found" [ -n "$victim" ]
[ -n "$victim" ] && kill -9 "$victim"
wait $job
status=$?
ok "the job ends" [ "$status" -ne 0 ]
ok "... and says which rank" grep -q "rank 1 " err
ok "nothing is left behind" [ ! -e dead.safetensors ]
ok "... nor half written" nothing_pending

finish
