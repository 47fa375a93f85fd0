# lib.sh - a little TAP for the tests of the command line
#
# A test script is run from the root of the project, sources this file, calls
# expect, ok and friends, and ends with "finish".  It works in a folder of its
# own, which is removed at the end.

set -u
LC_ALL=C
export LC_ALL
unset NO_COLOR OPENBLAS_NUM_THREADS

TESSERA=${TESSERA:-$PWD/build/tessera}
if [ ! -x "$TESSERA" ]; then
  echo "Bail out! There is no $TESSERA."
  exit 1
fi
ROOT=$PWD
PHOTOS=$ROOT/data/photos
SHARED=$ROOT/../shared
FOLDER=$(mktemp -d) || exit 1
trap 'rm -rf "$FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
cd "$FOLDER" || exit 1

tests=0
failures=0

# report STATUS NAME - prints one line of TAP
report () {
  tests=$((tests + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $tests - $2"
  else
    failures=$((failures + 1))
    echo "not ok $tests - $2"
  fi
}

# skip NAME REASON
skip () {
  tests=$((tests + 1))
  echo "ok $tests - $1 # SKIP $2"
}

# skip_all REASON - leaves the whole script
skip_all () {
  echo "1..0 # SKIP $1"
  exit 0
}

# ok NAME COMMAND... - the command must succeed
ok () {
  name=$1
  shift
  "$@"
  report $? "$name"
}

# not COMMAND... - succeeds where the command fails
not () {
  ! "$@"
}

# run ARGUMENT... - runs tessera; leaves $status and the files out and err
run () {
  "$TESSERA" "$@" >out 2>err
  status=$?
}

# is_one_line - whether err holds one line from tessera
is_one_line () {
  [ "$(wc -l <err)" -eq 1 ] && grep -q '^tessera: ' err
}

# judge NAME CODE - looks at what run left: the exit code must be CODE, and a
# failure must be explained in one line
judge () {
  if [ "$status" -ne "$2" ]; then
    report 1 "$1"
    echo "# exit code $status instead of $2"
    sed 's/^/# /' err
  elif [ "$2" -ne 0 ] && ! is_one_line; then
    report 1 "$1"
    echo "# not one line:"
    sed 's/^/# /' err
  else
    report 0 "$1"
  fi
}

# expect NAME CODE ARGUMENT... - runs tessera and judges it
expect () {
  name=$1 code=$2
  shift 2
  run "$@"
  judge "$name" "$code"
}

# says TEXT - whether err holds TEXT
says () {
  grep -qF -e "$1" err && return
  sed 's/^/# /' err
  return 1
}

# json KEY - the value of KEY in out
json () {
  perl -0ne 'print $1 if /"'"$1"'" : ("[^"]*"|[^,\s}]+)/' out
}

# is_more A B - whether the number A is larger than B
is_more () {
  perl -e 'exit !($ARGV[0] > $ARGV[1])' -- "$1" "$2"
}

# listens PID - waits until tessera, no longer the shell that forked, catches
# SIGTERM, which is signal 15
listens () {
  for _ in $(seq 600); do
    [ "$(cat "/proc/$1/comm" 2>/dev/null)" = tessera ] || { sleep 0.1; continue; }
    caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$1/status" 2>/dev/null)
    case $caught in
      [4-7c-f]*) return ;;
      '') return 1 ;;
    esac
    sleep 0.1
  done
  return 1
}

# nothing_pending - whether no unfinished file was left here
nothing_pending () {
  [ -z "$(find . -name '.tessera*')" ]
}

# For perl: chunk (NAME, DATA) and png (WIDTH, HEIGHT, COLOUR_TYPE, ROWS) with
# eight bits a sample; each row starts with a zero byte.
PNG='
  use Compress::Zlib;
  sub chunk {
    my $body = join "", @_;
    pack ("N", length ($body) - 4) . $body . pack ("N", crc32 ($body));
  }
  sub png {
    my ($width, $height, $type, $rows) = @_;
    "\x89PNG\r\n\x1a\n"
      . chunk ("IHDR", pack ("NNC5", $width, $height, 8, $type, 0, 0, 0))
      . chunk ("IDAT", compress ($rows)) . chunk ("IEND");
  }
'

# make_png FILE WIDTH HEIGHT EXPRESSION - a colour PNG; the expression in perl
# gives the sample from $x, $y and $c
make_png () {
  perl -e "$PNG"'
    my ($width, $height, $code) = @ARGV;
    my $sample = eval "sub { my (\$x, \$y, \$c) = \@_; $code }" or die $@;
    my $rows = "";
    for my $y (0 .. $height - 1) {
      $rows .= "\0";
      for my $x (0 .. $width - 1) {
        $rows .= chr (int ($sample->($x, $y, $_)) & 255) for 0 .. 2;
      }
    }
    print png ($width, $height, 2, $rows);' "$2" "$3" "$4" >"$1"
}

# finish - the end of every script
finish () {
  echo "1..$tests"
  [ "$failures" -eq 0 ]
}
