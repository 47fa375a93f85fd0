#!/bin/sh
# cli_docs.sh - what the documents name exists, and the manual has no warnings
. tests/lib.sh

mkdir help
for command in $(run --help; sed -n 's/^  \([a-z]*\) .*/\1/p' out); do
  "$TESSERA" "$command" --help >"help/$command" 2>/dev/null || rm "help/$command"
done
ok "commands have help" [ -s help/restore ]
HELP=$FOLDER/help
cd "$ROOT" || exit 1

# ---- documents ----

# News of past versions name what was there then.
sed '/^## [0-9]/,$d' NEWS.md >"$FOLDER/unreleased.md"

for document in README.md CONTRIBUTING.md NEWS.md docs/*.md docs/*/README.md \
  python/README.md data/SOURCES.md; do
  ok "links and pictures of $document" perl tests/docs.pl links "$document"
  [ "$document" = NEWS.md ] && document=$FOLDER/unreleased.md
  ok "files that ${document#"$FOLDER"/} names" perl tests/docs.pl files "$document"
  ok "commands, options and goals that it names" \
    perl tests/docs.pl commands "$document" "$HELP"
  ok "functions and constants that it names" perl tests/docs.pl names "$document"
done

ok "CONTRIBUTING.md quotes the sources as they are" \
  perl tests/docs.pl quotes CONTRIBUTING.md
ok "the README has make deps demo" grep -q 'make deps demo' README.md
ok "... and make deps check" grep -q 'make deps check' README.md

quietly () {
  "$@" >/dev/null
}

# A checker that finds nothing would be of no use.
cat >"$FOLDER/wrong.md" <<'END'
See [nothing](nowhere.md), `no_such_thing()` and `imaging/nothing.c`, then `make nothing`,
`tessera inpiant a.png`, `tessera score --force` and `--no-such-option`.
From `omp/pursuit.h`:

```c
nothing of that
```
END
for check in links files names quotes; do
  ok "wrong $check are noticed" not quietly \
    perl tests/docs.pl $check "$FOLDER/wrong.md"
done
ok "four wrong commands are noticed" [ "$(perl tests/docs.pl commands \
  "$FOLDER/wrong.md" "$HELP" | grep -c '^#')" -eq 4 ]

cat >"$FOLDER/wrong.1" <<'END'
.Dd November 19, 2026
.It Fl q , -no-such-option
Use
.Fl -nor-this
.Fn tessera_nothing
.Dl $ tessera score --force a.png \e
.Dl \ \ \ --no-option
END
ok "four wrong options of a page are noticed" [ "$(perl tests/docs.pl commands \
  "$FOLDER/wrong.1" "$HELP" | grep -c '^#')" -eq 4 ]
ok "... and a wrong function" not quietly perl tests/docs.pl names "$FOLDER/wrong.1"

# ---- tables of what was measured ----

# tables FOLDER - whether those of FOLDER/docs are what figures.csv says
tables () (
  cd "$1" && python3 "$ROOT/tests/quality/quality.py" tables
)

if command -v python3 >/dev/null; then
  mkdir -p "$FOLDER/edited/docs" "$FOLDER/cut/docs"
  sed 's/^\(| dust | .*\)[0-9] |$/\1x |/' docs/benchmarks.md >"$FOLDER/edited/docs/a.md"
  sed '/<!-- end of quality/d' docs/comparing.md >"$FOLDER/cut/docs/a.md"
  ok "tables are those of figures.csv" tables .
  ok "a table that was edited is noticed" not quietly tables "$FOLDER/edited"
  ok "... and one without an end" not quietly tables "$FOLDER/cut" 2>/dev/null
else
  skip "tables are those of figures.csv" "there is no python3"
fi

# ---- manual ----

if command -v mandoc >/dev/null; then
  lint () { mandoc -T lint -W warning "$1"; }
elif command -v groff >/dev/null; then
  lint () { groff -ww -mandoc -T utf8 "$1" 2>&1 >/dev/null; }
elif command -v man >/dev/null; then
  lint () { man --warnings -l "$1" 2>&1 >/dev/null; }
else
  lint () { :; }
  skip "the manual has no warnings" "there is neither mandoc nor groff nor man"
fi
for page in docs/man/*; do
  ok "${page#docs/man/} has no warnings" [ -z "$(lint "$page")" ]
  ok "... and names what there is" perl tests/docs.pl commands "$page" "$HELP"
  ok "... in the library, too" perl tests/docs.pl names "$page"
done

# Options at the head of a paragraph, and pages that are referred to.
for page in docs/man/tessera-*.1; do
  command=${page#docs/man/tessera-}
  command=${command%.1}
  missing=0
  for option in $(sed -n 's/^\.It Fl.* -\([a-z][a-z-]*\).*/\1/p' "$page"); do
    grep -q -e "--$option\b" "$HELP/$command" && continue
    echo "# --$option"
    missing=$((missing + 1))
  done
  ok "$command has all options of its page" [ $missing -eq 0 ]
done
for name in $(sed -n 's/^\.Xr \(tessera[a-z-]*\) \([0-9]\).*/\1.\2/p' docs/man/* | sort -u); do
  ok "$name is there" [ -e "docs/man/$name" ]
done

finish
