#!/bin/sh
# standin.sh - a few hundred landscape pictures, for experiments
# usage: HALVE=program standin.sh FOLDER
#        standin.sh FOLDER originals
#
# Downloads Debian's package endless-sky-data, takes its photographs of
# landscapes that are in the public domain or under a Creative Commons licence,
# and writes the middle of each at half the size.  LICENCES.tsv in the folder
# has author and licence of each, from the copyright file of the package.
# With "originals" the pictures are those in the public domain, as they are,
# without those that data/photos has: the dictionaries inside the program are
# learned from them, and tests and documentation use the others.
set -eu

out=$1
kind=${2:-halves}
photos=$(dirname "$0")/photos
package=endless-sky-data
[ -s "$out/LICENCES.tsv" ] && { echo "$out is there"; exit 0; }
for tool in apt-get dpkg-deb perl; do
  command -v $tool >/dev/null \
    || { echo "standin.sh needs $tool, which Debian has" >&2; exit 1; }
done

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
(cd "$work" && apt-get download -q $package >/dev/null 2>&1) \
  || { echo "apt-get cannot download $package; apt-get update may help" >&2
       exit 1; }
dpkg-deb -x "$work"/*.deb "$work"

# Of the paragraphs of a copyright file, the last one that matches counts.
# Prints path, author and licence of each picture that may be used.
perl -00 -ne '
  BEGIN { $root = shift; @paths = map { substr $_, 1 + length $root }
                                  sort glob "$root/images/land/*.jpg" }
  next unless /^Files:\s*(.*?)\n(?=\S)/ms;
  my @patterns = map { s/([.+()])/\\$1/g; s/\?/./g; s/\*/.*/g; qr/^$_$/ }
                 split " ", $1;
  my ($author) = /^Copyright:\s*(.*)/m;
  my ($licence) = /^License:\s*(\S*)/m;
  for my $path (@paths) {
    $of{$path} = "$author\t$licence" if grep { $path =~ $_ } @patterns;
  }
  END { for (@paths) {
          print "$_\t$of{$_}\n" if ($of{$_} // "") =~ /\t(public-domain|CC-)/;
        } }
' "$work/usr/share/games/endless-sky" \
  "$work/usr/share/doc/$package/copyright" >"$work/list"

printf 'picture\toriginal\tauthor\tlicence\n' >"$work/licences"
while IFS='	' read -r path author licence; do
  name=$(basename "$path" .jpg).png
  if [ "$kind" = originals ]; then
    [ "$licence" = public-domain ] || continue
    [ -e "$photos/$name" ] || [ -e "$photos/${name%.png}.jpg" ] && continue
    name=${name%.png}.jpg
    cp "$work/usr/share/games/endless-sky/$path" "$out/$name"
  else
    "$HALVE" "$work/usr/share/games/endless-sky/$path" "$out/$name"
  fi
  printf '%s\t%s\t%s\t%s\n' "$name" "$path" "$author" "$licence" \
    >>"$work/licences"
done <"$work/list"
mv "$work/licences" "$out/LICENCES.tsv"
echo "$out: $(($(wc -l <"$out/LICENCES.tsv") - 1)) pictures," \
  "authors and licences in LICENCES.tsv"
