#!/bin/sh
# cli_usage.sh - help, version, mistyped words, exit codes
. tests/lib.sh

out_says () {
  grep -qF -e "$1" out
}

# Number of the first line of out with a text.
line_of () {
  grep -nF -e "$1" out | head -n 1 | cut -d: -f1
}

# ---- help and version ----

run
ok "no command: the help, and an exit code that a script notices" \
  [ "$status" -eq 2 ]
ok "... with the commands" out_says "inpaint"
expect "--help" 0 --help
ok "... is on standard output only" [ ! -s err ]
for command in restore inpaint denoise find serve learn corrupt score compare dict synth \
  completion; do
  expect "the help names $command" 0 --help
  ok "... in its list" grep -q "^  $command " out
  expect "$command --help" 0 "$command" --help
  ok "... shows examples before options" \
    [ "$(line_of Examples:)" -lt "$(line_of --help)" ]
  ok "... in 80 columns" [ "$(wc -L <out)" -le 80 ]
  expect "$command -h" 0 "$command" -h
  expect "$command --version" 0 "$command" --version
done

expect "--version" 0 --version
for name in tessera libpng libjpeg GLib json-glib libmicrohttpd GnuTLS OpenBLAS; do
  ok "... names $name and its version" grep -q "^$name[^ ]* [0-9]" out
done

version=$(sed -n 's/^tessera //p' out)
ok "NEWS.md has this version" grep -qxF "## $version" "$ROOT/NEWS.md"
ok "the package too" [ "$(sed -n '1s/^tessera (\(.*\)) .*/\1/p' \
  "$ROOT/debian/changelog")" = "$version" ]

# ---- manual ----

manual=$ROOT/docs/man
for command in restore inpaint denoise find serve learn corrupt score compare dict synth \
  completion; do
  run "$command" --help
  missing=0
  for option in $(grep -o -e '^  .*--[a-z-]*' out | sed 's/.*--//'); do
    grep -qE -e "-$option( |\$)" "$manual/tessera-$command.1" \
      "$manual/tessera.1" && continue
    echo "# --$option"
    missing=$((missing + 1))
  done
  ok "the manual has all options of $command" [ $missing -eq 0 ]
done

unnamed=0
for folder in $(cd "$ROOT" && find app imaging dictlearn omp base -name '*.c' \
  -exec dirname {} + | sort -u); do
  grep -qF "\`$folder\`" "$ROOT/docs/architecture.md" && continue
  echo "# $folder"
  unnamed=$((unnamed + 1))
done
ok "docs/architecture.md names all folders" [ $unnamed -eq 0 ]

# ---- mistyped words ----

expect "a mistyped command" 2 inpiant a.png -o b.png
ok "... is guessed" says "did you mean 'inpaint'?"
expect "a wrong command" 2 frobnicate
ok "... is not" not says "did you mean"
expect "a mistyped option of the program" 2 --vresion
ok "... is guessed" says "did you mean '--version'?"
expect "a mistyped option" 2 inpaint a.png --maks b.png -o c.png
ok "... is guessed" says "did you mean '--mask'?"
expect "a mistyped option with a value" 2 inpaint a.png --qualty=best -o c.png
ok "... is guessed" says "did you mean '--quality'?"
expect "an unknown short option" 2 inpaint a.png -z -o c.png
expect "a mistyped choice" 2 inpaint a.png --quality bset -o c.png
ok "... is guessed" says "did you mean 'best'?"
expect "an option that another command has" 2 score a.png b.png --force

# ---- values ----

expect "no input" 2 inpaint -o c.png
expect "two inputs" 2 inpaint a.png b.png -o c.png
expect "one picture to score" 2 score a.png
expect "no output" 2 inpaint a.png
ok "... and what is missing" says "-o FILE"
expect "an option without its value" 2 inpaint a.png -o
expect "an empty name" 2 inpaint a.png -o ''
expect "a flag with a value" 2 score a.png b.png --json=yes
expect "an unknown ending" 2 inpaint a.png -o c.gif
ok "... and the known ones" says "PNG, JPEG"
expect "no ending" 2 inpaint a.png -o c
expect "a mask as JPEG" 2 inpaint a.png -o c.png --mask-out m.jpg
expect "threads that are no number" 2 score a.png b.png --threads two
expect "too many threads" 2 score a.png b.png --threads 1000000
expect "threads below zero" 2 score a.png b.png --threads -1
expect "a number beyond all bounds" 2 \
  corrupt a.png -o c.png --seed 99999999999999999999
expect "a JPEG quality of 0" 2 inpaint a.png -o c.jpg --jpeg-quality 0
expect "a JPEG quality of 101" 2 inpaint a.png -o c.jpg --jpeg-quality=101
expect "a colour that is none" 2 inpaint a.png -o c.png --mask-color red
expect "a share above 1" 2 corrupt a.png -o c.png --missing 1.5
expect "a share that is no number" 2 corrupt a.png -o c.png --missing nan
expect "noise below zero" 2 corrupt a.png -o c.png --noise -1
expect "blocks without a count" 2 corrupt a.png -o c.png --blocks 10
expect "blocks without end" 2 corrupt a.png -o c.png --blocks 10x36x2
expect "no damage at all" 2 corrupt "$PHOTOS/beach0.png" -o c.png
expect "a limit of 0" 2 score a.png b.png --max-pixels 0
expect "a limit with a wrong suffix" 2 score a.png b.png --max-pixels 3X
expect "a dictionary to nowhere" 2 dict builtin -o atoms.txt

# ---- ways to write it ----

make_png small.png 24 24 '$x * 9 + $y * $c'
expect "=, a joined short option, and --" 0 \
  corrupt --missing=0.5 --seed=3 -oone.png -- small.png
expect "space, long names" 0 \
  corrupt --missing 0.5 --seed 3 --output two.png small.png
ok "... mean the same" cmp -s one.png two.png
cp small.png ./--help
expect "a file that looks like an option" 0 score -- --help small.png
ok "... is a file" out_says identical
expect "a colour with #" 0 inpaint one.png --mask-color '#000000' -o three.png
expect "a colour without" 0 inpaint one.png --mask-color 000000 -o four.png
ok "... mean the same" cmp -s three.png four.png
expect "limits with a suffix" 0 score one.png two.png --max-pixels 1k
expect "a limit that is exceeded" 4 score one.png two.png --max-pixels 575
ok "... and what to do" says "--max-pixels"

finish
