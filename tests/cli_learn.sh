#!/bin/sh
# cli_learn.sh - dictionaries from pictures
. tests/lib.sh

# learn ARGUMENT... - a run with little to do
learn () {
  run learn --patch 6 --max-patches 3k --window 500 --iterations 5 "$@"
}

# ---- each algorithm, and what its dictionary is good for ----

run corrupt "$PHOTOS/beach0.png" --missing 0.3 -q -o damaged.png \
  --mask-out mask.png
for algorithm in online minibatch orthogonal ksvd mod online-l1 task-driven \
  gradient l4
do
  learn "$PHOTOS" --algorithm $algorithm -o $algorithm.safetensors --json
  judge "$algorithm" 0
  ok "... used all pictures" [ "$(json pictures)" -eq 19 ]
  ok "... in five iterations" [ "$(json iterations)" -eq 5 ]
  ok "... to a finite objective" [ "$(json objective)" != null ]
  expect "... a dictionary" 0 dict $algorithm.safetensors --json
  ok "... of 108 atoms" [ "$(json atoms)" -eq 108 ]
  ok "... that knows where it is from" [ "$(json algorithm)" = "\"$algorithm\"" ]
  expect "... to mend a picture with" 0 inpaint damaged.png --mask mask.png \
    --dict $algorithm.safetensors --quality fast -q -o by_$algorithm.png
done

learn "$PHOTOS" -o json.safetensors --json
for key in seconds samples iterations objective density algorithm atoms patch \
  pictures skipped threshold interrupted; do
  ok "the JSON has $key" [ -n "$(json $key)" ]
done
ok "... and there are no other words" [ ! -s err ]
learn "$PHOTOS" -f -o json.safetensors
ok "without it, words" says "learned 108 atoms of 6x6x3 from 1000 patches"
ok "... and nothing on standard output" [ ! -s out ]

# ---- threads and seeds ----

for algorithm in online ksvd orthogonal task-driven; do
  for threads in 1 2 4; do
    learn "$PHOTOS" -a $algorithm -q --threads $threads \
      -o $algorithm$threads.safetensors
  done
  for threads in 1 2 4; do
    ok "$algorithm gives the same bytes for $threads threads" \
      cmp -s $algorithm.safetensors $algorithm$threads.safetensors
  done
  learn "$PHOTOS" -a $algorithm --seed 1 -q -o ${algorithm}_seed.npy
  learn "$PHOTOS" -a $algorithm --seed 0 -q -o ${algorithm}_same.npy
  run dict $algorithm.safetensors -q -o ${algorithm}_first.npy
  ok "... the same atoms for the same seed" \
    cmp -s ${algorithm}_first.npy ${algorithm}_same.npy
  ok "... and others for another" \
    not cmp -s ${algorithm}_first.npy ${algorithm}_seed.npy
done

# ---- kinds of dictionaries ----

learn "$PHOTOS" -o atoms.npy
judge "to numpy" 0
expect "... is a dictionary" 0 dict atoms.npy --json
ok "... of 108 atoms" [ "$(json atoms)" -eq 108 ]
learn "$PHOTOS" --grey -o grey.safetensors
judge "--grey" 0
run dict grey.safetensors --json
ok "... has one channel" [ "$(json channels)" -eq 1 ]
ok "... and 36 atoms" [ "$(json atoms)" -eq 36 ]
learn "$PHOTOS" -a ksvd --atoms 150 -o many.safetensors
judge "--atoms" 0
run dict many.safetensors --json
ok "... learns so many" [ "$(json atoms)" -eq 150 ]
"$TESSERA" learn "$PHOTOS" --patch 6 --max-patches 3k --window 500 \
  --iterations 5 -q -o - >piped.safetensors
ok "a dictionary in a pipe" cmp -s piped.safetensors online.safetensors
for start in dct pca data identity random; do
  for algorithm in online ksvd l4; do
    learn "$PHOTOS" --init $start -a $algorithm -q -f -o start.safetensors
    judge "$algorithm from $start" 0
  done
done
learn "$PHOTOS" --density 0.4 --polish 2 -o polished.safetensors
judge "--polish" 0
expect "32 x 32" 0 learn "$PHOTOS" --patch 32 --grey --iterations 1 \
  --window 100 -o large.safetensors

# ---- to go on ----

learn "$PHOTOS" --init online.safetensors -o on.safetensors
judge "--init FILE" 0
ok "... goes on" not cmp -s on.safetensors online.safetensors
learn "$PHOTOS" --init many.safetensors -a ksvd -o on_ksvd.safetensors --json
judge "... with its number of atoms" 0
ok "... 150" [ "$(json atoms)" -eq 150 ]
expect "--init with patches of another size" 3 learn "$PHOTOS" --patch 8 \
  --init online.safetensors -o never.safetensors
ok "... says which" says "has patches of 6x6x3, not 8x8x3"
learn "$PHOTOS" --init grey.safetensors -o never.safetensors
judge "--init with grey patches" 3
learn "$PHOTOS" --init many.safetensors -o never.safetensors
judge "--init with too many atoms" 3
learn "$PHOTOS" --init many.safetensors -a mod --atoms 200 -o never.npy
judge "--init with other --atoms" 2
learn "$PHOTOS" --init datta -o never.safetensors
judge "--init with a mistyped start" 2
ok "... did you mean" says "did you mean 'data'?"
learn "$PHOTOS" --init nowhere.safetensors -o never.safetensors
judge "--init without the file" 3
cp online.safetensors kept.safetensors
learn "$PHOTOS" --init kept.safetensors -o kept.safetensors --force
judge "--init is never replaced" 2
ok "... not even then" cmp -s kept.safetensors online.safetensors

# ---- wrong usage ----

learn "$PHOTOS" --atoms 200 -o never.safetensors
judge "--atoms with online" 2
ok "... says how many there are" says "learns 108 atoms"
learn "$PHOTOS" --polish 2 -a ksvd --atoms 200 -o never.safetensors
judge "--polish with ksvd" 2
learn "$PHOTOS" -a ksvd --init dct --atoms 200 -o never.safetensors
judge "more atoms than cosines" 2
expect "a mistyped algorithm" 2 learn "$PHOTOS" --algorithm kvsd -o never.npy
ok "... did you mean" says "did you mean 'ksvd'?"
expect "a mistyped task" 2 learn nowhere.png --task mising:0.5 -o never.npy
ok "... is refused before any picture is read" says "'mising:0.5' is not a task"
expect "a task with a number that is none" 2 \
  learn nowhere.png --task missing:1.5 -o never.npy
ok "... says which are" says "missing takes a number from 0 to 1"
expect "a patch too small" 2 learn "$PHOTOS" --patch 3 -o never.npy
expect "a patch too large" 2 learn "$PHOTOS" --patch 33 -o never.npy
expect "no iterations" 2 learn "$PHOTOS" --iterations 0 -o never.npy
expect "no output" 2 learn "$PHOTOS"
expect "no pictures" 2 learn -o never.npy
expect "an output without a format" 2 learn "$PHOTOS" -o never
learn "$PHOTOS" -o kept.safetensors
judge "an output that exists" 1
ok "... is kept" cmp -s kept.safetensors online.safetensors
learn "$PHOTOS" --force -q -o kept.safetensors
judge "... but for --force" 0

# ---- the rate of a task ----

for rate in 0 1e-4; do
  learn "$PHOTOS" --task missing:0.5 --coder separate --patch 4 \
    --task-iterations 3 --rate $rate -q -o rate$rate.npy
  judge "a task at a rate of $rate" 0
done
ok "... which the result depends on" \
  sh -c '! cmp -s rate0.npy rate1e-4.npy'

# ---- pictures that are no good ----

mkdir mixed mixed/inner mixed/.hidden broken empty small
cp "$PHOTOS/beach0.png" "$PHOTOS/forest4.jpg" mixed
cp "$PHOTOS/sky2.png" mixed/inner
cp "$PHOTOS/sky2.png" mixed/.hidden
head -c 3000 "$PHOTOS/fog4.png" >mixed/truncated.png
echo "no picture" >mixed/text.jpg
echo "no picture" >mixed/README.txt
make_png mixed/tiny.png 5 40 128
mkfifo mixed/pipe.png
ln -s . mixed/circle
ln -s .. mixed/inner/circle
learn mixed -o mixed.safetensors
judge "broken pictures among good ones" 0
ok "... are named" says "skipped: mixed/text.jpg"
ok "... with what is wrong" says "mixed/tiny.png: smaller than a patch"
learn mixed -f -o mixed.safetensors --json
ok "... counted" [ "$(json skipped)" -eq 3 ]
ok "... in one line more" says "skipped 3 of 6 pictures"
ok "... and the others used" [ "$(json pictures)" -eq 3 ]
learn mixed mixed/beach0.png "$PWD/mixed" -f -o mixed.safetensors --json
ok "what is named twice counts once" [ "$(json pictures)" -eq 3 ]
learn mixed --iterations 500 --stride 100 -f -o mixed.safetensors
judge "many rounds" 0
ok "... tell of a picture only once" \
  [ "$(grep -c 'skipped: mixed/text.jpg' err)" -eq 1 ]
ok "... and count it once" says "skipped 3 of 6 pictures"
learn mixed -q -f -o mixed.safetensors
ok "--quiet says nothing of them" [ ! -s err ]

for i in 1 2 3 4 5 6 7; do echo "no picture" >broken/$i.png; done
learn broken -o never.npy
judge "nothing but broken pictures" 3
ok "... says how many" says "none of the 7 pictures can be used"
learn broken/1.png -o never.npy
judge "one broken picture" 3
ok "... is what the error is about" says "broken/1.png"
learn broken "$PHOTOS" -f -o mixed.safetensors
ok "of many broken ones five are named" [ "$(grep -c 'skipped:' err)" -eq 5 ]
make_png small/small.png 8 8 '$x * $y'
learn small -a ksvd -o few.npy
judge "a picture of nine patches" 0
expect "a picture smaller than a patch" 3 learn small --patch 10 -o never.npy
ok "... says so" says "small/small.png: smaller than a patch"
learn empty -o never.npy
judge "a folder without pictures" 3
learn nowhere -o never.npy
judge "a folder that is not there" 3
make_png flat.png 60 60 128
for algorithm in online ksvd orthogonal l4; do
  learn flat.png -a $algorithm -q -f -o flat.safetensors
  ok "nothing but grey, by $algorithm, does no harm" \
    [ "$status" -eq 0 -o "$status" -eq 1 ]
done

# ---- time and interrupts ----

expect "--time-limit" 0 learn "$PHOTOS" --patch 6 --iterations 100M \
  --time-limit 4 -o limited.safetensors --json
ok "... ends" is_more 20 "$(json seconds)"
expect "... and writes" 0 dict limited.safetensors
expect "too little time" 4 learn "$PHOTOS" --time-limit 0.000001 -o never.npy

# interrupt ARGUMENT... - sends SIGINT to a run that would take for ever, a
# second after it began to learn; leaves what run leaves.  The shell may have
# told its children to ignore the signal.
interrupt () {
  perl -e '
    my $child = fork;
    if (!$child) { $SIG{INT} = "DEFAULT"; exec @ARGV; }
    select undef, undef, undef, $ENV{SECONDS_TO_WAIT};
    kill "INT", $child;
    waitpid $child, 0;
    exit ($? & 127 ? 99 : $? >> 8);
  ' "$TESSERA" learn "$PHOTOS" --patch 6 --window 500 --iterations 100M "$@" \
    >out 2>err
  status=$?
}

SECONDS_TO_WAIT=3
export SECONDS_TO_WAIT
interrupt -o never.npy
judge "an interrupt" 130
ok "... says so" says "interrupted"
interrupt --keep-partial -o partial.safetensors --json
judge "an interrupt with --keep-partial" 0
ok "... says so" says "note: interrupted"
ok "... in JSON too" [ "$(json interrupted)" = true ]
ok "... and tells how far it came" is_more "$(json iterations)" 0
done=$(json iterations)
expect "... and there is a dictionary" 0 dict partial.safetensors --json
ok "... which says how many iterations were done" \
  grep -qF -e "--iterations $done " out
interrupt --keep-partial -a orthogonal --max-patches 2k -o partial.npy
judge "... of an algorithm that keeps all patches" 0
expect "... and there is a dictionary" 0 dict partial.npy

# ---- transform ----

# turn ARGUMENT... - a run with next to nothing to do
turn () {
  run learn "$PHOTOS/beach0.png" --algorithm transform --patch 4 \
    --spacing 2 --rounds 2 --crop 16 --batch 2 --iterations 5 "$@"
}

turn -o transform.safetensors
judge "a transform" 0
turn --threads 4 -o more.safetensors
ok "... is the same with four threads" cmp -s transform.safetensors \
  more.safetensors
turn --seed 2 -o other.safetensors
ok "... and another with another seed" \
  not cmp -s transform.safetensors other.safetensors
expect "... can be shown" 0 dict transform.safetensors --json
ok "... and is orthonormal" grep -q '"orthonormal" : true' out
turn --grey -o grey_transform.safetensors
judge "... of grey pictures" 0
turn --init transform.safetensors --rounds 3 -o longer.safetensors
judge "... can go on" 0
turn --init grey_transform.safetensors -o crossed.safetensors
judge "a grey one is no start for colour" 3
turn --init pca -o crossed.safetensors
judge "nor is a start that is not orthonormal" 2
turn --patch 17 -o crossed.safetensors
judge "a large patch" 2
turn -o transform.npy
judge "a transform is no .npy" 2
ok "... and nothing is written" [ ! -e transform.npy -a ! -e crossed.safetensors ]
run dict transform.safetensors -o turned.npy
judge "its atoms are" 0
run dict turned.npy --layout rows -o turned.safetensors
run corrupt "$PHOTOS/beach0.png" --missing 0.5 --mask-out lost.png -o lossy.png
for name in transform turned; do
  for threads in 1 4; do
    run inpaint lossy.png --mask lost.png --dict $name.safetensors \
      --threads $threads -o by_$name$threads.png
    judge "restoring by $name, $threads threads" 0
  done
done
ok "... the same with any threads" cmp -s by_transform1.png by_transform4.png
ok "... but not without the thresholds" not cmp -s by_transform1.png by_turned1.png
run denoise "$PHOTOS/beach0.png" --sigma 20 --dict transform.safetensors \
  -o by_transform.png
judge "removing noise by it" 0

# ---- little memory ----

# A sanitized program needs more address space than any limit.
if (ulimit -v 4000000 && "$TESSERA" --version >/dev/null 2>&1); then
  for algorithm in online ksvd orthogonal task-driven; do
    for megabytes in 200 250 300 400; do
      rm -f memory.npy
      (ulimit -v ${megabytes}000 \
        && exec timeout 60 "$TESSERA" learn "$PHOTOS" -a $algorithm -q \
          --patch 12 --iterations 1 --max-patches 50k -o memory.npy) 2>err
      status=$?
      if [ "$status" -eq 0 ]; then
        report 0 "$algorithm: $megabytes MB of memory are enough"
      elif [ "$status" -eq 127 ]; then
        skip "$megabytes MB of memory" "the program does not even start"
      else
        judge "$algorithm: $megabytes MB of memory are not enough" 4
        ok "... and leave no file" [ ! -e memory.npy ]
      fi
    done
  done
else
  skip "little memory" "the program is sanitized"
fi

# ---- what is left ----

ok "nothing was written that should not be" [ ! -e never.npy ]
ok "... in the other format neither" [ ! -e never.safetensors ]
ok "nothing unfinished was left" nothing_pending

run learn --help
for option in $(grep -oE '^ +(-., )?--[a-z-]+' out | grep -oE -- '--[a-z-]+'); do
  ok "the manual has $option" grep -qF -e "-$option" -e "${option#-}" \
    "$ROOT/docs/man/tessera-learn.1" "$ROOT/docs/man/tessera.1"
done

# ---- convolutional ----

# convolve ARGUMENT... - a run with next to nothing to do
convolve () {
  run learn "$PHOTOS/beach0.png" --algorithm convolutional --patch 4 \
    --levels 2 --rounds 2 --sets 1 --crop 16 --batch 2 --iterations 3 "$@"
}

convolve -o colour_conv.safetensors
judge "convolutional" 0
convolve --grey -o grey_conv.safetensors
judge "... of grey pictures" 0
expect "... can be shown" 0 dict grey_conv.safetensors --json
ok "... and is grey" [ "$(json channels)" -eq 1 ]
convolve --init grey_conv.safetensors -o crossed.safetensors
judge "a grey one is no start for colour" 3
convolve --grey --init colour_conv.safetensors -o crossed.safetensors
judge "... nor the other way round" 3
ok "... and nothing is written" [ ! -e crossed.safetensors ]
convolve -o conv.npy
judge "a convolutional one is no .npy" 2
ok "... and nothing is written" [ ! -e conv.npy ]
convolve --rate 1e6 --iterations 20 -o diverged.safetensors
judge "a rate at which learning diverges" 1
ok "... is an error" says "diverged"
ok "... and nothing is written" [ ! -e diverged.safetensors ]
convolve --resume colour_conv.safetensors -o again.safetensors
judge "what was finished is not resumed" 3
learn "$PHOTOS" --resume colour_conv.safetensors -o again.safetensors
judge "--resume is for convolutional" 2
ok "... and nothing is written" [ ! -e again.safetensors ]

# ---- little memory ----

# A picture that is good, and larger than the memory.
if (ulimit -v 4000000 && "$TESSERA" --version >/dev/null 2>&1); then
  mkdir large
  cp "$PHOTOS/beach0.png" large/a.png
  perl -e "$PNG"'print png (14000, 14000, 0, "\0" x (14001 * 14000))' \
    >large/b.png
  (ulimit -v 500000 && exec "$TESSERA" learn large --iterations 3 \
    -o toolarge.safetensors) 2>err
  status=$?
  judge "a picture larger than the memory is not left out" 4
  ok "... but named" says "large/b.png"
  ok "... and nothing is learned without it" [ ! -e toolarge.safetensors ]
else
  skip "a picture larger than the memory" "the program cannot be limited"
fi

finish
