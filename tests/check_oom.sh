#!/bin/sh
# check_oom.sh - lets allocations of a command fail, one run for each
#
# A command makes tens of thousands of them, most of them again and again in the
# same place: those that the same functions come to by the same way.  Of each
# place the first one fails and the last one.
#
# Each run must end with exit code 4 and one line, or make the same bytes as a
# run in which nothing fails; a file that is there is whole, also where memory
# is short while the summary is printed.  No signal, no hang, no half or pending
# file.
# The one exception is GLib's own: for the few bytes of a lock it calls abort()
# at once, and says so; those runs are counted apart, and leave nothing behind.
#
# Then the library: in a program of its own, every large allocation fails once,
# whatever place it comes from.  That is an error, which the program survives.
#
# GLib before 2.76 keeps small things in slices, and calls abort() when those
# cannot grow, whatever the program says; later ones take them from malloc(),
# as this variable lets all of them do.
. tests/lib.sh
G_SLICE=always-malloc
export G_SLICE

cc=${CC:-cc}
$cc -O1 -D_GNU_SOURCE -shared -fPIC -o failalloc.so "$ROOT/tests/failalloc.c" -ldl || exit 1

make_png photo.png 20 16 '128 + 100 * sin ($x / 3 + $c) * cos ($y / 4)'
make_png mask.png 20 16 '($x > 5 && $x < 9 && $y > 5 && $y < 9) * 255'
run corrupt photo.png --noise 20 -q -o photo.jpg
judge "a JPEG to work with" 0
mkdir pictures
cp photo.png photo.jpg pictures
run learn pictures --patch 4 --algorithm ksvd --atoms 48 --iterations 1 \
  --max-patches 60 -q -o small.safetensors
judge "a dictionary to work with" 0

# fails NAME OUTPUT ARGUMENT... - all runs of one command; where OLD is set, a
# file with that content is there before, and after a run that fails
fails () {
  name=$1 output=$2
  shift 2
  perl -e '
    use strict;
    use warnings;
    my ($output, @command) = @ARGV;
    my $old = $ENV{OLD};
    my %seen = (same => 0, refused => 0, locks => 0);
    my @bad;

    sub content { local $/; open my $in, "<:raw", $_[0] or return; <$in> }

    # Runs the command with the k-th allocation failing; returns exit code
    # and signal.
    sub attempt {
      my ($k) = @_;
      unlink $output;
      if (defined $old) {
        open my $out, ">", $output or die "$output: $!\n";
        print $out $old;
      }
      my $child = fork;
      if (!$child) {
        @ENV{qw(LD_PRELOAD FAIL_AT)} = ("./failalloc.so", $k);
        $ENV{FAIL_PLACES} = "places" if !$k;
        open STDERR, ">", "words";
        alarm 60;
        exec @command;
      }
      waitpid $child, 0;
      return ($? >> 8, $? & 127);
    }

    # What is wrong with what a run left behind, or nothing.
    sub fault {
      my ($code, $signal, $expected, $before) = @_;
      my $made = content ($output);
      my $words = content ("words") // "";
      unlink $output;
      my $after = join " ", glob "* .tessera*";
      return "left behind: $after" if $after ne $before;
      if ($signal == 6 && $words =~ /^GLib \(gthread-posix.c\):/) {
        $seen{locks}++;
        return ($made // "") eq ($old // "") ? "" : "it left another file";
      }
      return "signal $signal" if $signal;
      if ($code == 0) {
        $seen{same}++;
        return defined $made && $made eq $expected ? "" : "other bytes";
      }
      $seen{refused}++;
      return "exit code $code: $words" if $code != 4;
      return "not one line: $words" if $words !~ /\Atessera: [^\n]+\n\z/;
      return "" if defined $made && $made eq $expected;
      return ($made // "") eq ($old // "") ? "" : "it left another file";
    }

    my ($code) = attempt (0);
    my $expected = content ($output);
    die "the command fails by itself: ", content ("words") if $code;
    unlink $output;
    my @places = split /\n/, content ("places");
    my (%first, %last);
    for my $k (1 .. @places) {
      $first{$places[$k - 1]} //= $k;
      $last{$places[$k - 1]} = $k;
    }
    my %chosen = map { $_ => 1 } values %first, values %last;
    my $before = join " ", glob "* .tessera*";
    for my $k (sort { $a <=> $b } keys %chosen) {
      my $fault = fault (attempt ($k), $expected, $before);
      push @bad, "allocation $k: $fault" if $fault;
    }
    print "# ", scalar @places, " allocations in ", scalar keys %first,
      " places: $seen{same} runs with the same bytes, ",
      "$seen{refused} refused, $seen{locks} ended by GLib\n";
    print map { s/\n//gr =~ s/^/# /r . "\n" } @bad[0 .. ($#bad < 9 ? $#bad : 9)];
    print "# and more\n" if @bad > 10;
    exit (@bad > 0 || !$seen{refused} || $seen{locks} > 9);
  ' "$output" "$TESSERA" "$@" --threads 1 -q -o "$output"
  report $? "$name"
}

fails "inpaint" out.png inpaint photo.png --mask mask.png
OLD=old
export OLD
fails "inpaint, over a file" out.png inpaint photo.png --mask mask.png --force
unset OLD
fails "inpaint a JPEG with a dictionary" out.png inpaint photo.jpg \
  --mask mask.png --dict small.safetensors --quality fast
fails "denoise" out.png denoise photo.png --sigma 20
fails "learn" out.safetensors learn pictures --patch 4 --algorithm online \
  --iterations 2 --max-patches 60

# ---- by size, through the library ----

# Large is what a picture of 320 x 240 needs for three bytes a pixel or more;
# real ones are tens of times larger.
HOST=$(dirname "$TESSERA")/tests/libraryhost
LARGE=200000
make_png large.png 320 240 \
  '128 + 60 * sin ($x / 13 + $c) * cos ($y / 14) + ($x * 7919 + $y * 104729) % 41'
run learn large.png --algorithm convolutional --rounds 2 --sets 1 --levels 2 \
  --spacing 4 --patch 10 --batch 1 --crop 32 --iterations 1 -q -o conv.safetensors
judge "a convolutional dictionary to work with" 0
run learn large.png --algorithm ksvd --patch 8 --atoms 1200 --iterations 1 \
  --max-patches 1500 -q -o plain.safetensors
judge "a dictionary of many atoms to work with" 0

# survives TASK DICTIONARY [PICTURE] - all runs of one task.  What libtiff
# cannot allocate it reports as any other trouble.
survives () {
  perl -e '
    use strict;
    use warnings;
    my ($large, @command) = @ARGV;
    my %seen = (0 => 0, 4 => 0);
    my @bad;

    sub attempt {
      my ($k) = @_;
      my $child = fork;
      if (!$child) {
        @ENV{qw(LD_PRELOAD FAIL_AT FAIL_ABOVE)} = ("./failalloc.so", $k, $large);
        $ENV{FAIL_PLACES} = "places" if !$k;
        open STDERR, ">", "words";
        alarm 60;
        exec @command;
      }
      waitpid $child, 0;
      return ($? >> 8, $? & 127);
    }

    sub lines { open my $in, "<", $_[0] or return; <$in> }

    my ($code) = attempt (0);
    die "the task fails by itself: ", lines ("words") if $code;
    my $count = () = lines ("places");
    for my $k (1 .. $count) {
      my ($code, $signal) = attempt ($k);
      my @words = lines ("words");
      $code = 4 if !$signal && $code == 1 && $words[-1] =~ / TIFF/;
      $seen{$code}++ if !$signal;
      push @bad, "allocation $k, code $code, signal $signal: "
        . join "", @words if $signal || !defined $seen{$code} || $code % 4;
    }
    print "# $count large allocations: $seen{4} refused, $seen{0} done without\n";
    print map { "# $_\n" } map { split /\n/ } @bad[0 .. ($#bad < 4 ? $#bad : 4)];
    exit (@bad > 0 || !$seen{4});
  ' $LARGE "$HOST" "$1" "${3:-large.png}" "$2"
  report $? "the library, $1 with $2"
}

for task in read encode find-noise find-damage score inpaint \
  inpaint-paper see-through denoise denoise-found learn-convolutional learn-transform \
  learn-for-task; do
  survives $task conv.safetensors
done
for task in inpaint-by denoise-by dictionary; do
  survives $task conv.safetensors
  survives $task plain.safetensors
done

# Lists of pixels: of a black block, a border, specks and lines, of a large hole.
LARGE=100000
make_png marked.png 320 240 '$x < 30 || $x > 290 || $y < 30 || $y > 215 ? 250
  : $x > 60 && $x < 240 && $y > 45 && $y < 200 ? 0
  : ($x * 7919 + $y * 104729) % 23 == 0 ? 255 : 90 + 9 * $c + $x / 5 + $y / 7'
survives find-marks conv.safetensors marked.png
survives inpaint-thick conv.safetensors

finish
