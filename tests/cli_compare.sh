#!/bin/sh
# cli_compare.sh - comparing dictionaries, with tiny pictures
. tests/lib.sh

# compare ARGUMENT... - a run with little to do
compare () {
  run compare --patch 4 --patches 600 --iterations 3 "$@"
}

# column FILE NAME - its cells, of a table without quotes
column () {
  perl -F, -lane 'if ($. == 1) { ($i) = grep { $F[$_] eq "'"$2"'" } 0 .. $#F }
                  else { print $F[$i] }' "$1"
}

# mean FILE PATTERN COLUMN - of the lines that match
mean () {
  { head -n 1 "$1"; grep -E "$2" "$1"; } >matching.csv
  column matching.csv "$3" | perl -lne '$sum += $_; END { print $sum / $. }'
}

# is_near A B - to six digits
is_near () {
  perl -e 'exit !(abs ($ARGV[0] - $ARGV[1]) < 1e-6 * (1 + abs ($ARGV[1])))' \
    -- "$1" "$2"
}

# summary FILE DAMAGE PROTOCOL METHOD KEY - a number of results.json
summary () {
  perl -0ne '
    ($all) = /"summary" : \[(.*?)\]/s;
    for (split /\}/, $all) {
      print $1 if /"damage" : "'"$2"'"/ && /"protocol" : "'"$3"'"/
                  && /"method" : "'"$4"'"/ && /"'"$5"'" : ([^,\s]+)/
    }' "$1"
}

# shown FOLDER NUMBER - writes picture NUMBER of the page, from 0, to shown.png
shown () {
  perl -MMIME::Base64 -0ne '
    @all = /"src":"data:image\/png;base64,([^"]*)"/g;
    print decode_base64 ($all['"$2"'])' "$1/index.html" >shown.png
}

mkdir photos
for i in 1 2 3 4 5 6 7 8; do
  make_png photos/p$i.png 32 28 "128 + 90 * sin ((\$x * $i + 3 * \$y) / 9)
    + 20 * cos (\$y * \$x / (5 + $i) + \$c)"
done

# ---- what is written ----

expect "a comparison" 0 \
  compare photos --patch 4 --patches 600 --iterations 3 \
  --damage missing:0.4,blocks:5x4,noise:20 -a dct,online,ksvd,tessera -o report
ok "... says its table" says "missing:0.4"
ok "... and where the page is" says "-> report/index.html"
for file in index.html results.csv results.json table.tex curves.csv \
  curves-time.svg curves-iterations.svg dct.safetensors online.safetensors \
  ksvd.safetensors; do
  ok "... writes $file" [ -s report/$file ]
done
ok "... what each of them is" [ "$(perl -MJSON::PP -0777 -ne '
  print join " ", map { "$_->{name}=$_->{kind}" }
    @{decode_json ($_)->{contenders}}' report/results.json)" = \
  "dct=cosines online=learner ksvd=learner tessera=engine" ]
table=report/results.csv
ok "... a table of these columns" [ "$(head -n 1 $table)" = \
  "picture,damage,protocol,method,psnr,ssim,psnr_masked,ms_ssim,seed,error" ]
# Two pictures, three damages; three dictionaries in two ways, and the engine.
ok "... a line for each result" [ "$(wc -l <$table)" -eq $((1 + 2 * 3 * 7)) ]
ok "... of two pictures" \
  [ "$(column $table picture | sort -u | wc -l)" -eq 2 ]
for key in psnr ssim; do
  ok "the mean of $key is that of the table" is_near \
    "$(summary report/results.json missing:0.4 separate ksvd ${key}_mean)" \
    "$(mean $table ',missing:0.4,separate,ksvd,' $key)"
done
ok "the difference is that of the means" is_near \
  "$(summary report/results.json blocks:5x4 overlapping ksvd psnr_difference)" \
  "$(perl -e 'print $ARGV[0] - $ARGV[1]' \
    "$(mean $table ',blocks:5x4,overlapping,ksvd,' psnr)" \
    "$(mean $table ',blocks:5x4,overlapping,dct,' psnr)")"
ok "... with an interval around it" is_more \
  "$(summary report/results.json blocks:5x4 overlapping ksvd psnr_high)" \
  "$(summary report/results.json blocks:5x4 overlapping ksvd psnr_low)"
ok "the reference has none" [ "$(summary report/results.json missing:0.4 \
  separate dct psnr_difference)" = null ]

# The page shows the original first, then damaged, then results in the order
# of the table: what "score" says of them must be what the table says.
shown report 0
cp shown.png original.png
shown report 2
expect "a result in the page" 0 score original.png shown.png --json
ok "... has the score of the table" \
  is_near "$(json psnr)" "$(column $table psnr | head -n 1)"
ok "... and the SSIM" \
  is_near "$(json ssim)" "$(column $table ssim | head -n 1)"
cmp -s original.png "photos/$(column $table picture | head -n 1)" \
  || run score original.png "photos/$(column $table picture | head -n 1)" --json
ok "the original is the picture itself" [ "$(json psnr)" = null ]

expect "a dictionary of the report" 0 dict report/ksvd.safetensors --json
ok "... is of 48 atoms" [ "$(json atoms)" -eq 48 ]
ok "... and says how it was learned" grep -q -e '--iterations 3' out
ok "curves start with the same dictionary" [ "$(grep -E ',separate,0,' \
  report/curves.csv | cut -d, -f5 | sort -u | wc -l)" -eq 1 ]
ok "... and have all three iterations of each" \
  [ "$(grep -c 'ksvd,separate' report/curves.csv)" -eq 4 ]

# ---- the same again ----

for threads in 1 2; do
  compare photos --threads $threads -o threads$threads \
    -a dct,online,ksvd,mod,minibatch,orthogonal,online-l1,task-driven,gradient,l4
  judge "all algorithms with $threads threads" 0
done
ok "... give the same scores" \
  cmp -s threads1/results.csv threads2/results.csv
ok "... the same table" cmp -s threads1/table.tex threads2/table.tex
ok "... and dictionaries" \
  cmp -s threads1/online.safetensors threads2/online.safetensors
compare photos -a dct,online --seed 1 -q -o seed1
ok "another seed gives other scores" \
  not cmp -s threads1/results.csv seed1/results.csv
expect "the paper's settings" 0 compare photos --patch 4 --patches 600 \
  -a online-paper --json -o paper
ok "... start from the identity" [ "$(json start)" = '"identity"' ]
ok "... and do 2000 iterations" grep -q '"iterations" : 2000' out
run dict paper/online-paper.safetensors --json
ok "... as published" grep -q -e '--first 500 --textbook' out
compare photos -a minibatch-paper,authors-program --json -o authors
judge "Algorithm 2, and the program of the authors" 0
ok "... which starts at random" grep -q '"start" : "random"' out
ok "... and whitens nothing: its atoms are orthonormal" perl -0777 -e '
  open F, "<:raw", "authors/authors-program.safetensors"; $_ = <F>;
  ($size) = unpack "Q<", $_; @a = unpack "f<*", substr $_, 8 + $size;
  for $i (0 .. 47) { for $j (0 .. $i) { $s = 0;
    $s += $a[48 * $i + $_] * $a[48 * $j + $_] for 0 .. 47;
    exit 1 if abs ($s - ($i == $j)) > 1e-4 } }'

mkdir wide
for i in 1 2 3 4 5; do
  make_png wide/p$i.png 110 110 "128 + 90 * sin ((\$x * $i + 3 * \$y) / 9)"
done
expect "--preset paper" 0 compare wide --preset paper --patches 2k \
  --iterations 1 --test-pictures 1 -a dct,online-paper -o whole
for part in missing blocks; do
  ok "... has a report on $part" [ -s whole/$part/index.html ]
  ok "... with learning curves" grep -q online-paper whole/$part/curves.csv
  ok "... of separate patches only" \
    not grep -q overlapping whole/$part/results.csv whole/$part/curves.csv
done
run dict whole/missing/online-paper.safetensors --json
ok "... small patches for missing pixels" [ "$(json patch)" -eq 10 ]
run dict whole/blocks/online-paper.safetensors --json
ok "... large ones for blocks" [ "$(json patch)" -eq 25 ]
ok "... of three sizes" [ "$(column whole/blocks/results.csv damage \
  | sort -u | wc -l)" -eq 3 ]
expect "... whose patches are fixed" 2 compare wide --preset paper --patch 8 \
  -o other
ok "... and which leaves nothing behind" [ ! -e other ]

# ---- options ----

compare photos -a dct,ksvd --time-limit 0.3 --iterations 1M --json -o timed
judge "--time-limit" 0
ok "... cannot be repeated" [ "$(json repeatable)" = false ]
ok "... and stopped" grep -q '"out_of_time" : true' out

# Programs that start it are told how far it is; pictures this small are
# restored in no time.
TESSERA_PROGRESS=1
export TESSERA_PROGRESS
compare photos -a dct,ksvd --time-limit 1 --iterations 1M -o shares
unset TESSERA_PROGRESS
judge "a time limit with reports of progress" 0
ok "... of which learning has the share that it takes" \
  perl -ne '$last = $1 if /^progress (\S+) learning/;
            END { exit !($last > 0.75) }' err
compare photos -a ksvd --train-atoms 2 --atoms 60 --json -o atoms
judge "--atoms" 0
ok "... are so many" [ "$(json atoms)" -eq 60 ]
ok "... from patches, as there are fewer cosines" [ "$(json start)" = '"data"' ]
compare photos -a dct,ksvd --init pca --reference ksvd --json -o reference
judge "--reference and --init" 0
ok "... is the reference" [ "$(json reference)" = '"ksvd"' ]
ok "... is the start" grep -q '"start" : "pca"' out
compare photos -a dct --dict "mine=report/ksvd.safetensors" --show 0 \
  --test-pictures 3 --atoms-per-patch 5 -o mine
judge "--dict" 0
ok "... is in the table" grep -q ',separate,mine,' mine/results.csv
ok "--test-pictures" \
  [ "$(column mine/results.csv picture | sort -u | wc -l)" -eq 3 ]
ok "--show 0 shows none" not grep -q '"psnr":[0-9.]*,"ssim":[0-9.]*,"src"' \
  mine/index.html
# A dictionary that is brought along and the one it came from do the same.
compare photos -a ksvd --dict "copy=report/ksvd.safetensors" -o copies
grep ',separate,ksvd,' copies/results.csv | sed 's/ksvd/copy/; s/,[0-9]*,$/,,/' >own.csv
grep ',separate,copy,' copies/results.csv >brought.csv
ok "what is brought along counts as what was learned" \
  cmp -s own.csv brought.csv

mkdir train test
cp photos/p[1-5].png train
cp photos/p[6-8].png test
compare --train train --test test -a dct,online -o folders
judge "--train and --test" 0
ok "... test with all of that folder" \
  [ "$(column folders/results.csv picture | sort -u | tr -d '\n')" = \
  p6.pngp7.pngp8.png ]

# ---- data sets ----

mkdir -p kaggle/color kaggle/gray
cp photos/p[1-4].png kaggle/color
cp photos/p[1-4].png kaggle/gray
compare kaggle -a dct -o kaggle_report
judge "pictures in colour and in grey" 0
ok "... those in colour count" grep -q '"training_pictures" : 2,' \
  kaggle_report/results.json
ok "... and it says so" says "skipped: kaggle/gray"
run learn kaggle --patch 4 --iterations 2 --window 200 -o k.safetensors --json
ok "... for learn too" [ "$(json pictures)" -eq 4 ]

mkdir mixed
cp photos/p[1-4].png mixed
head -c 300 photos/p5.png >mixed/a_truncated.png
echo "no picture" >mixed/b_text.jpg
make_png mixed/c_small.png 3 40 128
make_png mixed/d_odd.png 61 17 '$x * 4 + $y'
compare mixed -a dct,ksvd -o mixed_report
judge "broken pictures among good ones" 0
ok "... are named" says "skipped: mixed/a_truncated.png"
ok "... and counted" says "skipped 3 pictures"
mkdir none broken
for i in 1 2 3; do echo "no picture" >broken/$i.png; done
compare none -o never
judge "a folder without pictures" 3
ok "... says so" says "picture in it"
compare nowhere -o never
judge "a folder that is not there" 3
compare photos/p1.png -o never
judge "one picture" 3
ok "... what to do" says "give at least two"
compare broken -o never
judge "nothing but broken pictures" 3
compare photos --patch 30 -o never
judge "pictures smaller than a patch" 3
ok "... says so" says "smaller than a patch"
compare mixed/a_truncated.png photos/p1.png -o never
judge "one good picture beside a broken one" 3
compare photos --damage blocks:20x50 -o never
judge "blocks that fit into no picture" 3
ok "... says what fits" says "do not fit"
compare --train photos --test test -a dct -o never
judge "the same pictures in another folder" 2
ok "... says which" says "photos/p6.png"
ok "... and what it is called there" says "test/p6.png"
mkdir twice
cp photos/p[1-4].png twice
cp photos/p1.png twice/copy.png
compare twice -a dct -o twice_report
judge "a picture under two names" 0
ok "... counts once" grep -q '"training_pictures" : 2,' \
  twice_report/results.json
ok "... and both names are told" says \
  "skipped: twice/p1.png: the same picture as twice/copy.png"
rm twice/p[2-4].png
compare twice -a dct -o never
judge "nothing but copies of a picture" 3
compare --train photos --test photos -a dct -o never
judge "the same pictures to train and to test" 2
ok "... says which" says "is in --train and in --test"
ok "none of them left a folder" [ ! -e never ]

# ---- names of pictures ----

mkdir names
cp photos/p1.png 'names/a,b.png'
cp photos/p2.png 'names/say "c".png'
cp photos/p3.png "names/x<script>alert(1)<!--.png"
cp photos/p4.png "names/$(printf 'bad\377utf8').png"
cp photos/p5.png "names/50% & more_\\x.png"
compare names -a dct --test-pictures 4 -o names_report
judge "odd names" 0
ok "... are quoted in the table" \
  grep -qE '^("a,b.png"|"say ""c"".png"),' names_report/results.csv
ok "... and leave no markup in the page" \
  [ "$(grep -c '<script' names_report/index.html)" -eq 2 ]
ok "... which is valid UTF-8" iconv -f UTF-8 -t UTF-16 -o /dev/null \
  names_report/index.html names_report/results.json names_report/results.csv

# What a spreadsheet would run, as names of pictures and of methods.
mkdir formulas
cp photos/p1.png 'formulas/=1+1.png'
cp photos/p2.png 'formulas/+2,3.png'
cp photos/p3.png 'formulas/-2.png'
cp photos/p4.png 'formulas/@SUM(A1).png'
cp photos/p5.png "formulas/$(printf '\t=4').png"
cp photos/p6.png "formulas/$(printf '\357\274\235').png"
(cd formulas && "$TESSERA" compare --patch 4 --patches 600 --iterations 3 . \
  -a dct --test-pictures 5 --restorer="-1-2=true {output}" -q \
  -o ../formulas_report) >out 2>err
status=$?
judge "names like formulas" 0
ok "... are none in a table" perl -ne '
  next if $. == 1;
  @cells = /\G("(?:[^"]|"")*"|[^,\n]*)[,\n]/g;
  for (@cells) {
    s/^"//;
    $bad++ if /^[=+\-@\t\r]|^\xef\xbc\x9d/ && !/^[+-]?[\d.e+-]+$/;
    $marked++ if /^\x27/;
  }
  END { exit ($bad || !$marked) }' formulas_report/results.csv

# ---- programs of others ----

# Restores by copying its input, and notes what it was given.
cat >copy.sh <<'END'
echo "$@" >>given
cp "$1" "$3"
END
cat >bad.sh <<'END'
echo "first line" >&2
echo "no good today" >&2
exit 7
END
cat >small.sh <<'END'
cp "$ROOT_PICTURE" "$1"
END
# The first atoms of the patches: enough for a dictionary.
cat >learn.pl <<'END'
open my $in, "<:raw", $ARGV[0] or die; local $/; my $all = <$in>;
my ($count, $length) = $all =~ /\((\d+), (\d+)/ or die "no shape";
my $numbers = substr $all, 10 + unpack "v", substr $all, 8, 2;
my ($most) = sort { $b <=> $a } unpack "f<*", $numbers;
open my $note, ">", "brightest" or die; print $note $most;
my $header = "{'descr': '<f4', 'fortran_order': False, 'shape': ($length, $length), }";
$header .= " " x (63 - (length ($header) + 10) % 64) . "\n";
open my $out, ">:raw", $ARGV[1] or die;
print $out "\x93NUMPY\1\0", pack ("v", length $header), $header,
  substr $numbers, 0, 4 * $length * $length;
END
make_png tiny.png 9 9 128
ROOT_PICTURE=$PWD/tiny.png
export ROOT_PICTURE
mkdir tmp
export TMPDIR="$PWD/tmp"
compare photos -a dct --damage missing:0.4,noise:20 -o outside \
  --restorer "copy=sh copy.sh {input} {mask} {output} {sigma}" \
  --restorer "bad=sh bad.sh {output}" \
  --restorer "small=sh small.sh {output}" \
  --restorer "idle=true {output}" \
  --restorer "nowhere=./no-such-program {output}" \
  --learner "first=perl learn.pl {input} {output}" \
  --learner "poor=sh bad.sh {output}"
judge "programs of others" 0
ok "... one has scores" is_more \
  "$(summary outside/results.json missing:0.4 outside copy psnr_mean)" 1
ok "... and a time" is_more \
  "$(summary outside/results.json missing:0.4 outside copy seconds_mean)" 0
ok "... the others have failed" [ "$(grep -c ',outside,.*,,,,,,' \
  outside/results.csv)" -eq 16 ]
ok "... one with its last words" grep -q 'exit code 7: no good today' \
  outside/results.csv
ok "... one by the size of its picture" grep -q '9 x 9 pixels instead of 32' \
  outside/results.csv
ok "... one for writing nothing" grep -q 'did not write its output' \
  outside/results.csv
ok "... one that is not there" grep -q ',nowhere,.*o such file' \
  outside/results.csv
ok "a learner of others makes a dictionary" [ -s outside/first.safetensors ]
ok "... from samples of 0 to 255" is_more "$(cat brightest)" 50
ok "... no more than that" is_more 255.1 "$(cat brightest)"
ok "... that restores" is_more \
  "$(summary outside/results.json missing:0.4 separate first psnr_mean)" 1
ok "... or fails" says "note: poor failed: exit code 7: no good today"
ok "programs are not told where the truth is" not grep -q photos given
ok "... but the noise" grep -q ' 20$' given
cat >slow.sh <<'END'
mkdir "$(dirname "$1")/scratch"
echo "half" >"$(dirname "$1")/scratch/half"
[ -z "${STARTED-}" ] || echo "started" >"$STARTED"
exec sleep 600
END
compare photos -a dct --restorer "slow=sh slow.sh {output}" \
  --outside-limit 0.5 -o late
judge "a program that takes too long" 0
ok "... is ended" grep -q 'was ended after 0.5 seconds' late/results.csv
ok "... and nothing of all that is left behind" [ -z "$(ls tmp)" ]
mkfifo started
STARTED=started "$TESSERA" compare --patch 4 --patches 600 --iterations 3 \
  photos -a dct -o killed --restorer "slow=sh slow.sh {output}" 2>/dev/null &
killed=$!
read -r _ <started
kill -KILL $killed
wait $killed 2>/dev/null
ok "a comparison that is killed leaves a folder" [ -n "$(ls tmp)" ]
compare photos -a dct --restorer "copy=sh copy.sh {input} {mask} {output} 0" \
  -o next
judge "the next one" 0
ok "... removes it" [ -z "$(ls tmp)" ]
unset TMPDIR
compare photos --restorer "copy=sh copy.sh {input}" -o never
judge "a command without an output" 2
compare photos --restorer "copy" -o never
judge "a command without a name" 2
compare photos --restorer "dct=sh copy.sh {output}" -o never
judge "a name that is taken" 2

# ---- several seeds ----

compare photos -a dct,ksvd --seeds 5,6 --damage missing:0.4 --show 1 -o seeds
judge "two seeds" 0
ok "... two dictionaries" not cmp -s seeds/ksvd.safetensors \
  seeds/ksvd-seed6.safetensors
ok "... a score for each" [ "$(grep -c ',separate,ksvd,' seeds/results.csv)" \
  -eq $((2 * $(grep -c ',separate,dct,' seeds/results.csv))) ]
compare photos -a dct,ksvd --seeds 6 --damage missing:0.4 -o seed6
ok "... as if it were alone" cmp -s seeds/ksvd-seed6.safetensors \
  seed6/ksvd.safetensors
ok "... and their mean" is_near \
  "$(summary seeds/results.json missing:0.4 separate ksvd psnr_mean)" \
  "$(perl -F, -ane '$n++, $sum += $F[4] if /,separate,ksvd,/;
     END { print $sum / $n }' seeds/results.csv)"
compare photos --seeds 1,1 -o never
judge "a seed twice" 2

# ---- more damage ----

compare photos -a dct,tessera --damage samples:0.3,unclipped:20 -o damage
judge "samples lost one by one, and noise that is not clipped" 0
ok "... are mended" is_more \
  "$(summary damage/results.json samples:0.3 engine tessera psnr_mean)" 20
ok "... both" is_more \
  "$(summary damage/results.json unclipped:20 engine tessera psnr_mean)" 20

# ---- wrong usage ----

compare photos -o report
judge "a report that exists" 1
ok "... what to do" says "--force"
compare photos -a dct --force -q -o report
judge "... but for --force" 0
ok "... which removes dictionaries of the old report" \
  [ "$(echo report/*.safetensors)" = report/dct.safetensors ]
touch report/mine.safetensors report/notes.txt
compare photos -a dct --force -q -o report
ok "... but nothing that is not from a report" \
  [ -e report/mine.safetensors -a -e report/notes.txt ]
compare photos
judge "no folder for the report" 2
compare -o never
judge "no pictures" 2
compare --train photos -o never
judge "--train alone" 2
compare photos --train train --test test -o never
judge "both ways to give pictures" 2
compare photos -a kvsd -o never
judge "a mistyped algorithm" 2
ok "... did you mean" says "did you mean 'ksvd'?"
ok "... and names it once" [ "$(grep -o kvsd err | wc -l)" -eq 1 ]
compare photos --reference kvsd -o never
judge "a mistyped reference" 2
ok "... did you mean" says "did you mean 'ksvd'?"
compare photos --test-pictures 8 -o never
judge "more tests than pictures" 2
for damage in missing missing: missing:0 missing:2 blocks:3 blocks:0x3 \
  blocks:3x5x noise:-1 noise:x missing:0.5,missing:0.5 ,; do
  compare photos --damage $damage -o never
  judge "--damage $damage" 2
done
compare photos --damage missing:1.5 -o never
ok "a fraction that is none says what is one" \
  says "--damage missing:1.5: write missing:FRACTION, above 0 and at most 0.99"
compare photos --damage blcks:3x5 -o never
judge "a mistyped damage" 2
ok "... did you mean" says "did you mean 'blocks'?"
compare photos --dict copies/ksvd.safetensors -o never
judge "a dictionary without a name" 2
ok "... how to write it" says "NAME=FILE"
compare photos --dict ksvd=copies/ksvd.safetensors -o never
judge "a name that is taken" 2
compare photos --dict ../x=copies/ksvd.safetensors -o never
judge "a name that is no name" 2
compare photos --dict mine=learned -o never
judge "a dictionary of another patch size" 3
ok "... says which" says "has patches of 10x10x3, but 4x4x3"
compare photos --dict mine=nowhere.safetensors -o never
judge "a dictionary that is not there" 3
expect "more patches than memory has" 4 compare photos --patches 10M -o never
compare photos --time-limit 0.001 --patches 100k --patch 10 -a ksvd -o never
judge "too little time" 4
ok "nothing of this made a folder" [ ! -e never ]
ok "nothing pending" nothing_pending

# ---- interrupts ----

# interrupt PATTERN COUNT ARGUMENT... - sends SIGINT to a run once so many lines
# of what it says match; leaves what run leaves.  The shell may have told its
# children to ignore the signal.
interrupt () {
  perl -e '
    my ($pattern, $count, @command) = @ARGV;
    my $child = fork;
    if (!$child) { $SIG{INT} = "DEFAULT"; exec @command; }
    for (1 .. 6000) {
      open my $said, "<", "err";
      last if (grep { /$pattern/ } <$said>) >= $count;
      select undef, undef, undef, 0.05;
    }
    kill "INT", $child;
    waitpid $child, 0;
    exit ($? & 127 ? 99 : $? >> 8);
  ' "$1" "$2" "$TESSERA" compare --verbose $3 >out 2>err
  status=$?
}

# With --verbose, a line tells of each picture that is read: once when the good
# ones are chosen, and a test picture again for each damage.
mkdir large
for i in 1 2 3 4 5 6; do
  make_png large/p$i.png 150 150 "128 + 90 * sin ((\$x * $i + 3 * \$y) / 9)
    + 20 * cos (\$y * \$x / (5 + $i) + \$c)"
done
interrupt 'large/p.*png: 150' 9 "large --test-pictures 3 --patches 600
  --iterations 2 -a dct,online,ksvd,tessera --damage missing:0.5,missing:0.6,missing:0.7,missing:0.8
  -o stopped"
ok "an interrupt while restoring" [ "$status" -eq 130 ]
ok "... says what is left" says "interrupted; what was finished is in stopped"
ok "... a page" [ -s stopped/index.html ]
ok "... which says so too" grep -q '"interrupted":true' stopped/index.html
ok "... some scores" [ "$(wc -l <stopped/results.csv)" -gt 7 ]
ok "... but not all" [ "$(wc -l <stopped/results.csv)" -lt 85 ]
ok "... and whole trials only" \
  [ $((($(wc -l <stopped/results.csv) - 1) % 7)) -eq 0 ]

interrupt 'photos/p.*png: 32' 9 "photos --patch 4 --patches 600
  --iterations 100M -o stopped2"
ok "an interrupt before anything was learned" [ "$status" -eq 130 ]
ok "... says that there is nothing" \
  says "interrupted before anything was learned or restored; there is no report"
ok "... leaves nothing" [ ! -e stopped2 ]
interrupt 'ksvd: [0-9]* iteration' 1 "photos --patch 4 --patches 600
  --iterations 100M --time-limit 5 -a ksvd,mod -o stopped3"
ok "an interrupt between learning and restoring" [ "$status" -eq 130 ]
ok "... says that nothing was restored" says \
  "before any picture was restored; what was learned is in stopped3"
ok "... and keeps what was learned" [ -s stopped3/ksvd.safetensors ]
ok "no unfinished file" nothing_pending

# ---- LaTeX ----

# latex FOLDER [OPTION] - sets its table in a document of that folder
latex () {
  printf '%s\n' "\\documentclass[${2-}]{article}" '\usepackage{booktabs}' \
    '\begin{document}' '\input{table}' '\end{document}' >"$1/paper.tex"
  (cd "$1" && pdflatex -interaction=batchmode paper >/dev/null)
}

if command -v pdflatex >/dev/null && latex threads1; then
  ok "table.tex compiles" [ -s threads1/paper.pdf ]
  ok "... within a column" not grep -q 'Overfull' threads1/paper.log
  latex threads1 twocolumn
  ok "... even one of two" not grep -q 'Overfull' threads1/paper.log
  latex outside
  ok "... with rows that failed" [ -s outside/paper.pdf ]
else
  skip "table.tex compiles" "there is no pdflatex with booktabs"
fi

# ---- the bar ----

# Reading must take longer than what shows no bar, a quarter of a second.
mkdir slow
perl -e "$PNG"'print png (5000, 5000, 2, join "", ("\0" . "\x40" x 15000) x 5000)' \
  >slow/large.png
if script -qec true /dev/null >/dev/null 2>&1; then
  TERM=xterm script -qec "'$TESSERA' compare --train slow --test test \
    --patch 4 --patches 600 -a dct -o bar" /dev/null >shown
  ok "a bar is shown" grep -q 'reading pictures\|learning\|restoring' shown
  ok "... and never goes back" perl -0777 -ne '
    my $most = 0;
    for (/[#.]  +(\d+) %/g) { exit 1 if $_ < $most; $most = $_ }' shown
else
  skip "a bar that never goes back" "there is no script"
fi

finish
