#!/bin/sh
# cli_files.sh - bad input, outputs in the way, full disks, little memory,
# interrupts: one line, the right exit code, nothing lost
. tests/lib.sh

make_png photo.png 64 48 '128 + 100 * sin ($x / 9 + $c) * cos ($y / 7)'
make_png mask.png 64 48 '($x > 20 && $x < 30 && $y > 20 && $y < 30) * 255'
make_png none.png 64 48 '0'
make_png all.png 64 48 '255'
make_png other.png 32 48 '255'
make_png black.png 64 48 '($x > 19 && $x < 32 && $y > 9 && $y < 22) ? 0 : 80'

# ---- bad pictures ----

: >empty.png
head -c $(($(wc -c <photo.png) / 2)) photo.png >short.png
echo "this is not a picture" >text.png
# A header of 2147483647 x 2147483647 pixels and next to no data.
perl -e "$PNG"'print png (2147483647, 2147483647, 2, "\0")' >huge.png
# The header of a JPEG of one pixel with four colours.
printf '\377\330\377\300\0\024\010\0\001\0\001\004' >cmyk.jpg
printf '\001\021\0\002\021\0\003\021\0\004\021\0' >>cmyk.jpg
printf '\377\332\0\016\004\001\0\002\0\003\0\004\0\0\077\0\377\331' >>cmyk.jpg
# An animation chunk behind the header.
perl -0777 -ne "$PNG"'print substr ($_, 0, 33),
  chunk ("acTL", pack ("NN", 2, 0)), substr ($_, 33)' photo.png >animated.png
mkdir folder.png
ln -s nowhere.png dangling.png

for file in empty.png short.png text.png cmyk.jpg animated.png folder.png \
  dangling.png missing.png; do
  code=3
  [ "$file" != folder.png ] || code=2 # it could go to a folder
  expect "input $file" $code inpaint "$file" --mask mask.png -o out.png
  ok "... is named" says "$file"
  expect "mask $file" 3 inpaint photo.png --mask "$file" -o out.png
  expect "dictionary $file" 3 \
    inpaint photo.png --mask mask.png --dict "$file" -o out.png
done
expect "input huge.png" 4 inpaint huge.png -o out.png
expect "more than the limit of pixels" 4 \
  inpaint photo.png --max-pixels 100 -o out.png
expect "more than the limit a side" 4 inpaint photo.png --max-side 63 -o out.png
head -c 50000 "$PHOTOS/beach0.png" >half.png
expect "half of a picture" 3 inpaint half.png --mask-color 000000 -o out.png
expect "half of a picture, leniently" 0 \
  inpaint half.png --lenient --mask-color 000000 -o lenient.png
ok "none of them made a file" [ ! -e out.png ]
if [ "$(id -u)" -eq 0 ]; then
  skip "an unreadable input" "root reads everything"
else
  cp photo.png secret.png
  chmod 0 secret.png
  expect "an unreadable input" 3 inpaint secret.png -o out.png
fi

# ---- masks ----

expect "a mask of another size" 3 inpaint photo.png --mask other.png -o out.png
ok "... names one size" says "32 x 48"
ok "... and the other" says "64 x 48"
expect "a mask of everything" 3 inpaint photo.png --mask all.png -o out.png
ok "none of them made a file" [ ! -e out.png ]
expect "nothing to find" 0 inpaint photo.png -o as_was.png
ok "... and what to do" says "--mask"
run score photo.png as_was.png --json
ok "... changes nothing" [ "$(json identical)" = true ]
expect "a mask of nothing" 0 inpaint photo.png --mask none.png -o same.png
ok "... is worth a note" says "note:"
run score photo.png same.png --json
ok "... and changes nothing" [ "$(json identical)" = true ]
expect "found black blocks" 0 inpaint black.png -o found.png --json
ok "... are all of them" [ "$(json masked_pixels)" -eq 144 ]
expect "nothing to denoise" 0 denoise none.png -o same2.png
ok "... is worth a note" says "note:"

# ---- outputs in the way ----

cp photo.png old.png
expect "an output that exists" 1 inpaint photo.png --mask mask.png -o old.png
ok "... and what to do" says "--force"
ok "... is kept" cmp -s photo.png old.png
expect "... unless --force" 0 inpaint photo.png -m mask.png -o old.png --force
ok "... which replaces it" not cmp -s photo.png old.png

for output in photo.png ./photo.png "$PWD/photo.png"; do
  expect "the input as output" 2 inpaint photo.png -m mask.png -f -o "$output"
done
ln photo.png hard.png
ln -s photo.png soft.png
for output in hard.png soft.png mask.png; do
  expect "$output, an input, as output" 2 \
    inpaint photo.png --mask mask.png --force -o "$output"
done
expect "the input of a pipe as output" 2 \
  inpaint - --mask mask.png --force -o photo.png <photo.png
expect "one file for two outputs" 2 \
  inpaint photo.png --mask mask.png -o new.png --mask-out ./new.png
expect "no such folder" 1 inpaint photo.png -m mask.png -o no/new.png
expect "a folder as output" 1 corrupt photo.png --noise 5 -f -o folder.png
if [ "$(id -u)" -eq 0 ]; then
  skip "a folder that is not ours" "root writes everywhere"
else
  mkdir closed
  chmod 555 closed
  expect "a folder that is not ours" 1 \
    inpaint photo.png -m mask.png -o closed/new.png
fi

ln -s target.png link.png
expect "a link to nothing yet" 0 inpaint photo.png -m mask.png -o link.png
ok "... stays a link" [ -h link.png ]
ok "... to the output" [ -f target.png ]
chmod 640 target.png
expect "a replaced file" 0 inpaint photo.png -m mask.png -f -o link.png
ok "... keeps its permissions" [ "$(stat -c %a target.png)" = 640 ]
(umask 027 && "$TESSERA" inpaint photo.png -m mask.png -q -o fresh.png)
ok "a new file has those of the umask" [ "$(stat -c %a fresh.png)" = 640 ]

# ---- full disks and closed pipes ----

expect "a full disk" 1 inpaint photo.png --mask mask.png -o /dev/full
ok "... is named" says "No space left"
expect "no disk at all" 0 inpaint photo.png --mask mask.png -o /dev/null
for arguments in "inpaint photo.png --mask mask.png -q -o -" \
  "score photo.png old.png" "dict builtin --json" "inpaint --help" \
  "--version"; do
  # shellcheck disable=SC2086 # words are meant to be split
  "$TESSERA" $arguments >/dev/full 2>err
  status=$?
  judge "$arguments >/dev/full" 1
done
"$TESSERA" score photo.png old.png >&- 2>err
status=$?
judge "a closed standard output" 1
"$TESSERA" inpaint - -m mask.png -o out.png <&- 2>err
status=$?
judge "a closed standard input" 3

(ulimit -f 4 && "$TESSERA" inpaint photo.png -m mask.png -q -o big.png) 2>err
status=$?
judge "a limit for the size of files" 1
ok "... is named" says "File too large"
ok "... and leaves no file" [ ! -e big.png ]
ok "... nor a part of one" nothing_pending

# ---- links of others ----

mkdir shared
chmod 1777 shared
ln -s ../mine.png shared/trap.png
ln -s shared/trap.png detour.png
cp photo.png mine.png
if [ "$(id -u)" -ne 0 ]; then
  skip "a link of somebody else" "only root can make one"
else
  chown -h 65534 shared/trap.png
  for output in shared/trap.png detour.png; do
    expect "a link of somebody else: $output" 1 \
      inpaint photo.png -m mask.png --force -o "$output"
    ok "... is named" says "another user"
    ok "... and not followed" cmp -s photo.png mine.png
  done
  chown -h 0 shared/trap.png
fi
expect "a link of our own in a shared folder" 0 \
  inpaint photo.png -m mask.png --force -o shared/trap.png
ok "... is followed" not cmp -s photo.png mine.png

# ---- pipes ----

"$TESSERA" inpaint - -m mask.png -q -o - <photo.png >piped.png
ok "standard input to standard output" cmp -s piped.png target.png
"$TESSERA" inpaint photo.png --mask - -q -o - <mask.png >piped.png
ok "the mask from standard input" cmp -s piped.png target.png
mkfifo fifo
cat fifo >piped.png &
expect "a named pipe as output" 0 inpaint photo.png --mask mask.png -o fifo
wait
ok "... gets the same" cmp -s piped.png target.png
expect "standard input twice" 2 inpaint - --mask - -o out.png
expect "a picture and JSON on standard output" 2 \
  inpaint photo.png --mask mask.png -o - --json
expect "a terminal's worth of dashes" 2 \
  inpaint photo.png --mask mask.png -o - --mask-out -

# ---- little memory ----

# A sanitized program needs more address space than any limit.
if (ulimit -v 4000000 && "$TESSERA" --version >/dev/null 2>&1); then
  for megabytes in 80 120 160 200 220 300 600; do
    rm -f small.png
    (ulimit -v ${megabytes}000 \
      && exec timeout 60 "$TESSERA" inpaint "$PHOTOS/beach0.png" \
        --mask-color 000000 -q -o small.png) 2>err
    status=$?
    if [ "$status" -eq 0 ]; then
      report 0 "$megabytes MB of memory are enough"
    elif [ "$status" -eq 127 ]; then
      skip "$megabytes MB of memory" "the program does not even start"
    else
      judge "$megabytes MB of memory are not enough" 4
      ok "... and leave no file" [ ! -e small.png ]
    fi
  done

  # Every command, whether it multiplies or not: OpenBLAS would wait forever.
  for arguments in "inpaint photo.png --mask mask.png -o few.png" \
    "denoise photo.png -o few.png" "learn $PHOTOS -o few.safetensors" \
    "corrupt photo.png --missing 0.5 -o few.png" "score photo.png mask.png" \
    "compare $PHOTOS -o few" "dict builtin" "synth time -o few" \
    "serve --no-open"; do
    # shellcheck disable=SC2086 # words are meant to be split
    (ulimit -v 160000 && exec timeout 60 "$TESSERA" $arguments >out 2>err)
    status=$?
    if [ "$status" -eq 127 ]; then
      skip "$arguments with little memory" "the program does not even start"
    else
      judge "$arguments with little memory" 4
    fi
  done
else
  skip "little memory" "the program cannot be limited"
fi

# ---- interrupts ----

make_png large.png 500 400 '128 + 100 * sin ($x / 9 + $c) * cos ($y / 7)'
make_png holes.png 500 400 '($x * 7 + $y * 13) % 3 ? 255 : 0'

# interrupt SIGNAL HANDLER INPUT ARGUMENT... - signals a run of inpaint that
# has begun, for it reads its input, the content of INPUT, from a pipe that
# then closes; if INPUT is empty, nothing comes.  The shell may have told its
# children to ignore the signal, so perl says DEFAULT or IGNORE.
interrupt () {
  perl -e '
    my ($signal, $handler, $input, @command) = @ARGV;
    my $child = fork;
    if (!$child) { $SIG{$signal} = $handler; exec @command; }
    open my $pipe, ">:raw", "begun" or die $!;
    if ($input ne "") {
      open my $in, "<:raw", $input or die $!;
      local $/;
      my $data = <$in>;
      print {$pipe} $data;
      close $pipe;
    }
    select undef, undef, undef, 0.3;
    kill $signal, $child;
    waitpid $child, 0;
    exit ($? & 127 ? 99 : $? >> 8);
  ' "$@" 2>err
  status=$?
}

# long_run SIGNAL OUTPUT - interrupts what would take many seconds
long_run () {
  interrupt "$1" DEFAULT large.png "$TESSERA" inpaint begun \
    --mask holes.png --quality best --threads 1 --force -o "$2"
}

mkfifo begun
cp photo.png victim.png
for signal in INT TERM HUP; do
  long_run $signal victim.png
  judge "SIG$signal" 130
  ok "... says so" says "interrupted"
  ok "... and the old file is kept" cmp -s photo.png victim.png
  long_run $signal never.png
  judge "SIG$signal without an old file" 130
  ok "... leaves none" [ ! -e never.png ]
done
interrupt INT DEFAULT '' "$TESSERA" inpaint begun -o never.png
judge "SIGINT while waiting for input" 130
interrupt INT IGNORE large.png "$TESSERA" inpaint begun --mask holes.png \
  --quality fast -q -o kept.png
judge "SIGINT that is ignored, as under nohup" 0
ok "... does not stop anything" [ -s kept.png ]

ok "nothing unfinished was left" nothing_pending

finish
