#!/bin/sh
# cli_traps.sh - folders that somebody has prepared: links, pipes, tampered
# records, and files that appear while the work goes on
. tests/lib.sh

make_png hurt.png 40 30 '($x > 10 && $x < 18 && $y > 8 && $y < 16)
  ? 0 : 128 + 60 * sin ($x / 5 + $c)'
make_png other.png 40 30 "100 + \$x"
make_png mask.png 40 30 '255 * ($x > 10 && $x < 18 && $y > 8 && $y < 16)'
mkdir -p scans/deep
cp hurt.png scans/p.png
cp hurt.png scans/deep/q.png
FILL="inpaint --quality fast --mask mask.png"

# patient ARGUMENT... - as run, but whatever waits for ever is ended
patient () {
  timeout 60 "$TESSERA" "$@" >out 2>err
  status=$?
}

# line FILE - what a record says about it
line () {
  echo "output $(wc -c <"$1") $(sha256sum "$1" | cut -d ' ' -f 1)"
}

# secret - a file that must stay as it is
secret () {
  rm -rf elsewhere
  mkdir elsewhere
  echo "secret" >elsewhere/secret
}
is_untouched () { [ "$(ls elsewhere; cat elsewhere/secret)" = "secret
secret" ]; }

# ---- links in the place of records ----

secret
mkdir -p out1/.tessera
ln -s ../../elsewhere/secret out1/.tessera/p.png.txt
patient $FILL scans -o out1
ok "a link as a record" [ $status -eq 0 ]
ok "... is not followed" is_untouched
ok "... and becomes a record" [ -f out1/.tessera/p.png.txt \
  -a ! -L out1/.tessera/p.png.txt ]
patient $FILL scans -o out1
ok "... that holds" says "0 done, 1 skipped, 0 failed"
ln -sf ../../elsewhere/secret out1/.tessera/p.png.txt
patient $FILL scans -o out1 --force
ok "--force does not follow it either" is_untouched

secret
mkdir -p out2
ln -s ../elsewhere out2/.tessera
patient $FILL scans -o out2
ok "a link as the folder of records fails" [ $status -eq 3 ]
ok "... and is named" says "out2/.tessera: is a link"
ok "... nothing is written behind it" is_untouched
ok "... and no result without a record" [ ! -e out2/p.png ]

secret
mkdir -p out3/.tessera
ln -s ../../elsewhere out3/.tessera/deep
patient $FILL -r scans -o out3
ok "a link as a folder in it fails that picture" \
  says "1 done, 0 skipped, 1 failed"
ok "... nothing is written behind it" is_untouched

# A record that is read through a link could say anything.
mkdir -p out4/.tessera
echo "by hand" >out4/p.png
line out4/p.png >elsewhere/record
sed -i '1i made by somebody' elsewhere/record
cp elsewhere/record out4/.tessera/p.png.txt
patient $FILL scans -o out4
ok "a record makes a result ours" says "1 done, 0 skipped, 0 failed"
echo "by hand" >out4/p.png
ln -sf ../../elsewhere/record out4/.tessera/p.png.txt
patient $FILL scans -o out4
ok "... but not through a link" grep -q "by hand" out4/p.png
ok "... which is said" says "skipped"

# ---- pipes ----

mkdir -p out5/.tessera
echo "by hand" >out5/p.png
mkfifo out5/.tessera/p.png.txt
patient $FILL scans -o out5
ok "a pipe as a record is not read" [ $status -eq 0 ]
ok "... the result is kept" grep -q "by hand" out5/p.png
rm out5/p.png
patient $FILL scans -o out5
ok "... and is replaced, not written to" [ $status -eq 0 \
  -a -f out5/.tessera/p.png.txt ]

mkdir -p out6
mkfifo out6/p.png
patient $FILL scans -o out6
ok "a pipe as a result is left alone" [ $status -eq 0 -a -p out6/p.png ]
patient $FILL scans -o out6 --force
ok "... by --force too" [ $status -eq 3 -a -p out6/p.png ]
ok "... which is said" says "out6/p.png: is not an ordinary file"

# ---- links in the place of results ----

# A tampered record calls a file our result.
secret
mkdir -p out7/.tessera
ln -s ../elsewhere/secret out7/p.png
{ echo "made by somebody"; line elsewhere/secret; } >out7/.tessera/p.png.txt
patient $FILL scans -o out7
ok "a tampered record replaces nothing through a link" is_untouched
ok "... which is said" says "skipped: out7/p.png is reached through a link"
patient $FILL scans -o out7 --force
ok "... but --force does" cmp -s elsewhere/secret out1/p.png
ok "... and keeps the link" [ -L out7/p.png ]

secret
mkdir -p out8/.tessera/deep
ln -s ../elsewhere out8/deep
cp elsewhere/secret elsewhere/q.png
{ echo "made by somebody"; line elsewhere/q.png; } \
  >out8/.tessera/deep/q.png.txt
patient $FILL -r scans -o out8
ok "... nor in a folder behind a link" grep -q "secret" elsewhere/q.png
ok "... which is said" says "out8/deep/q.png is reached through a link"

secret
mkdir out9
ln -s ../elsewhere/new out9/p.png
patient $FILL scans -o out9
ok "a link to nothing is not followed" is_untouched
ok "... which is said" says "is reached through a link"

# ---- what appears during the run ----

# The picture is a pipe: once it can be written to, what is there has been
# looked at, and the run waits for us.
mkfifo late.png
# begin ARGUMENT... - starts a run and waits until it reads late.png
begin () {
  timeout 60 "$TESSERA" $FILL late.png "$@" >out.late 2>err &
  late=$!
  exec 3>late.png
}
# end [FILE] - gives it the picture; leaves $status
end () {
  cat "${1:-hurt.png}" >&3
  exec 3>&-
  wait $late
  status=$?
}

begin -o appear1/
mkdir -p appear1
echo "by hand" >appear1/late.png
end
ok "a file that appears is kept" grep -q "by hand" appear1/late.png
ok "... and the picture fails" [ $status -eq 3 ]
ok "... which is said" says "appear1/late.png: already exists"
patient $FILL late.png -o appear1
ok "... the next run" says "skipped: appear1/late.png exists"

begin scans/p.png --jobs 2 -o appear2/
mkdir -p appear2
ln -s ../scans/p.png appear2/late.png
end
ok "a link to an original that appears" [ $status -eq 3 ]
ok "... is not followed" cmp -s hurt.png scans/p.png
rm appear2/late.png
begin scans/p.png --jobs 2 --force -o appear2/
ln -s ../scans/p.png appear2/late.png
end
ok "... by --force either" cmp -s hurt.png scans/p.png
ok "... which is said" says "appear2/late.png: is also an input"

begin -o appear3/
end
judge "a result" 0
begin -o appear3 --seed 1
echo "by hand" >appear3/late.png
end
ok "a result that changes while it is made again is kept" \
  grep -q "by hand" appear3/late.png
ok "... which is said" says "appear3/late.png: already exists"
rm appear3/late.png
begin -o appear3
end
begin -o appear3 --seed 1
secret
mv appear3/late.png elsewhere/late.png
ln -s ../elsewhere/late.png appear3/late.png
cp elsewhere/late.png before.png
end other.png
ok "... or becomes a link" cmp -s before.png elsewhere/late.png
rm appear3/late.png

begin -o appear4/
mkdir -p appear4/.tessera
secret
ln -s ../../elsewhere/secret appear4/.tessera/late.png.txt
end
ok "a record that appears as a link is not followed" is_untouched

# ---- names that are not text ----

# No character but printable ones, of UTF-8.
CLEAN='
  use Encode;
  my $text = eval { decode ("UTF-8", $_, Encode::FB_CROAK) };
  exit 1 if !defined $text || $text =~ /[\x00-\x09\x0b-\x1f\x7f-\x9f\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]/'
is_clean () { perl -0777 -ne "$CLEAN" "$1"; }
is_json () {
  perl -MJSON::PP -ne 'BEGIN { $n = 0 } decode_json ($_), $n++;
    END { exit !($n == '"$1"') }' out
}

mkdir strange
# An escape sequence, a control character of 8 bits, one of two bytes, one that
# turns the direction of writing, bytes that are no UTF-8, quotes, a newline.
perl -e '
  my @names = ("\e]0;title\a", "\x9b2J", "\xc2\x9b2J", "a\xe2\x80\xaegnp",
               "\xff\xfe", "\"\\\x1f", "two\nlines", "\xe2\x81\xa6");
  for (@names) {
    open my $out, ">", "strange/$_.png" or die;
    print $out "no picture";
  }'
cp hurt.png "strange/$(printf 'good\037\033[31m\377').png"
patient $FILL strange -o strange_out --json
ok "strange names" [ $status -eq 3 ]
ok "... are valid JSON" is_json 10
ok "... with bytes as \\xHH" grep -qF '\\xff\\xfe.png' out
ok "... that no terminal obeys" is_clean out
ok "... nor the errors" is_clean err
patient $FILL strange -o strange_out2 --verbose
ok "... nor messages" is_clean err
for odd in "$(printf 'no\037thing\377')" "$(printf 'no\302\233thing')"; do
  patient score "$odd" hurt.png --json
  ok "an error about a strange name is valid JSON" is_json 1
  ok "... and clean" is_clean err
  patient "$odd"
  ok "an unknown command too" is_clean err
  patient inpaint hurt.png --find "$odd" -o odd.png --json
  ok "an error about a strange word names its option" says "--find no"
  ok "... is valid JSON" is_json 1
  ok "... and clean" is_clean err
  patient compare nowhere -o "$odd"
  ok "a folder for a report may be strange" says "nowhere: no such file"
done

# A dictionary says what it likes about itself.
perl -e '
  my $head = q({"__metadata__":{"format":"tessera-dictionary","version":"1",)
    . q("patch":"2","channels":"1","seed":"0","samples":"5",)
    . q("algorithm":"\u001b[2J\u009b","options":"\u202e\nok"},)
    . q("atoms":{"dtype":"F32","shape":[4,1,2,2],"data_offsets":[0,64]}});
  print pack ("Q<", length $head), $head,
    map { pack "f<4", map { $_ } @$_ }
    [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]' >d.safetensors
patient dict d.safetensors
ok "what a dictionary says" [ $status -eq 0 ]
ok "... is clean" is_clean out
ok "... and one line" grep -q '^options .*ok$' out

finish
