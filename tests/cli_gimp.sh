#!/bin/sh
# cli_gimp.sh - the plug-in for GIMP makes what the program makes
#
# Builds and installs the plug-in into a folder of its own and runs its filters
# in GIMP without a display.  Skipped where GIMP 2.10 or its development files
# are not installed.  Undo needs the main window: that part runs where Xvfb and
# xdotool are installed.
. tests/lib.sh

command -v gimp-console >/dev/null || skip_all "GIMP is not installed"
pkg-config --exists gimpui-2.0 \
  || skip_all "libgimp2.0-dev is not installed"
BUILD=$(dirname "$TESSERA")
if nm "$TESSERA" | grep -q __asan_init; then
  skip_all "the sanitizers find leaks in GIMP"
fi
unset MAKEFLAGS MFLAGS MAKELEVEL DISPLAY
export HOME="$FOLDER/home" GIMP2_DIRECTORY="$FOLDER/gimp"
export XDG_CONFIG_HOME="$HOME" XDG_CACHE_HOME="$HOME" TMPDIR="$FOLDER"
mkdir home gimp

install_plugin () {
  make -s -C "$ROOT" BUILD="$BUILD" DESTDIR="$FOLDER" \
    GIMP_PLUGINS=/gimp/plug-ins install-gimp >make.log 2>&1 && return
  sed 's/^/# /' make.log
  return 1
}
ok "make install-gimp" install_plugin
ln -s "$BUILD"/lib/libtessera.so.*.*.* libtessera.so.0
export LD_LIBRARY_PATH="$FOLDER"

# whole SCRIPT - what GIMP is to run: each -b starts anew
whole () {
  cat common.scm "$1"
  echo "(close-output-port (open-output-file \"$1.done\"))"
}

# gimp_runs SCRIPT - whether GIMP runs all of it; leaves its messages in err
gimp_runs () {
  whole "$1" >whole.scm
  timeout 1800 gimp-console -i -d -f -b '(load "whole.scm")' -b '(gimp-quit 1)' \
    >out 2>err
  [ -e "$1.done" ] && return
  sed 's/^/# /' err
  return 1
}

# same A B - whether two PNG files of 8 or 16 bits have the same pixels
same () {
  perl -e '
    use Compress::Zlib;
    sub paeth {
      my ($a, $b, $c) = @_;
      my ($pa, $pb, $pc) = (abs ($b - $c), abs ($a - $c),
                            abs ($a + $b - 2 * $c));
      $pa <= $pb && $pa <= $pc ? $a : $pb <= $pc ? $b : $c;
    }
    sub pixels {
      local $/;
      open my $file, "<", $_[0] or die "# no $_[0]\n";
      binmode $file;
      my ($bytes, $data, $at) = (<$file>, "", 8);
      my ($width, $height, $depth, $type) = unpack "NNCC", substr $bytes, 16;
      my $size = {0, 1, 2, 3, 4, 2, 6, 4}->{$type} * $depth / 8;
      my ($found, @above) = ("$width $height $depth $type ");
      while ($at + 8 <= length $bytes) {
        my ($length, $name) = unpack "Na4", substr $bytes, $at, 8;
        $data .= substr $bytes, $at + 8, $length if $name eq "IDAT";
        $at += 12 + $length;
      }
      $data = uncompress ($data);
      @above = (0) x ($width * $size);
      for my $y (0 .. $height - 1) {
        my ($filter, @row) =
          unpack "C*", substr $data, $y * (@above + 1), @above + 1;
        for my $i ($filter > 0 ? 0 .. $#row : ()) {
          my ($a, $c) = $i < $size ? (0, 0)
                                   : ($row[$i - $size], $above[$i - $size]);
          my $b = $above[$i];
          $row[$i] += (0, $a, $b, int (($a + $b) / 2),
                       $filter == 4 ? paeth ($a, $b, $c) : 0)[$filter];
          $row[$i] &= 255;
        }
        @above = @row;
        $found .= pack "C*", @row;
      }
      $found;
    }
    exit (pixels ($ARGV[0]) ne pixels ($ARGV[1]));' "$1" "$2"
}

# differ A B - whether both are there and have other pixels
differ () {
  [ -s "$1" ] && [ -s "$2" ] && ! same "$1" "$2"
}

# Waves with noise, two black squares and a light line, as 8-bit and 16-bit
# RGB, 16-bit RGBA (with a transparent corner) and 8-bit grey.
perl -e "$PNG"'
  my ($width, $height) = (112, 80);
  my %kinds = (rgb8 => [2, 1, 3], rgb16 => [2, 2, 3], rgba16 => [6, 2, 4],
               grey8 => [0, 1, 1]);
  for my $name (sort keys %kinds) {
    my ($type, $bytes, $channels) = @{$kinds{$name}};
    my $rows = "";
    srand 3;
    for my $y (0 .. $height - 1) {
      $rows .= "\0";
      for my $x (0 .. $width - 1) {
        for my $c (0 .. $channels - 1) {
          my $noise = -6;
          $noise += rand for 1 .. 12;
          my $v = 0.5 + 0.3 * sin ($x / 17 + $c) * cos ($y / 13) + $noise / 20;
          $v = 0 if $y >= 20 && $y < 29 && ($x >= 30 && $x < 39
                                            || $x >= 70 && $x < 79);
          $v = 0.98 if $x == 55 || $x == 56;
          $v = $x < 20 && $y > 60 ? 0 : $x < 30 ? 0.5 : 1
            if $c == 3;
          $v = $v < 0 ? 0 : $v > 1 ? 1 : $v;
          $rows .= $bytes == 1 ? chr (int ($v * 255))
                               : pack ("n", int ($v * 65535));
        }
      }
    }
    open my $file, ">", "$name.png";
    binmode $file;
    print $file "\x89PNG\r\n\x1a\n",
      chunk ("IHDR", pack ("NNC5", $width, $height, 8 * $bytes, $type, 0, 0, 0)),
      chunk ("IDAT", compress ($rows)), chunk ("IEND");
  }'
make_png other.png 64 64 '128 + $x'
perl -e "$PNG"'
  my $rows = "";
  for my $y (0 .. 79) {
    $rows .= "\0";
    for my $x (0 .. 111) {
      $rows .= $y >= 19 && $y < 30 && $x >= 29 && $x < 40
               || $x >= 54 && $x < 58 && $y >= 10 ? "\xff" : "\0";
    }
  }
  print png (112, 80, 0, $rows);' >marks.png

cat >common.scm <<'END'
(define (open-picture name)
  (car (gimp-file-load RUN-NONINTERACTIVE name name)))
(define (layer-of image) (car (gimp-image-get-active-drawable image)))
(define (save image name)
  (file-png-save2 RUN-NONINTERACTIVE image (layer-of image) name name
                  0 1 0 0 0 0 0 0 1))
; What marks.png shows, for a layer at x, y.
(define (select-marks image x y)
  (gimp-image-select-rectangle image CHANNEL-OP-REPLACE
                               (+ x 29) (+ y 19) 11 11)
  (gimp-image-select-rectangle image CHANNEL-OP-ADD (+ x 54) (+ y 10) 4 70))
; Opens a picture, works on it and saves the result.
(define (with-picture from to work)
  (let ((image (open-picture from)))
    (work image (layer-of image))
    (save image to)
    (gimp-image-delete image)))
(define (heal image layer)
  (plug-in-tessera-heal RUN-NONINTERACTIVE image layer 1 0 0 0))
(define (denoise image layer)
  (plug-in-tessera-denoise RUN-NONINTERACTIVE image layer 1 0 0 0))
(define (find image layer)
  (plug-in-tessera-find RUN-NONINTERACTIVE image layer "all" 1 0))
; Makes the layer white where it is selected, else black.
(define (show-selection image)
  (let ((channel (car (gimp-selection-save image))))
    (if (not (= PRECISION-U8-GAMMA (car (gimp-image-get-precision image))))
        (gimp-image-convert-precision image PRECISION-U8-GAMMA))
    (let ((layer (car (gimp-image-flatten image))))
      (if (= 0 (car (gimp-drawable-is-gray layer)))
          (gimp-image-convert-grayscale image))
      (gimp-context-set-foreground '(255 255 255))
      (gimp-context-set-background '(0 0 0))
      (gimp-selection-none image)
      (gimp-drawable-edit-fill layer FILL-BACKGROUND)
      (gimp-image-select-item image CHANNEL-OP-REPLACE channel)
      (if (= 0 (car (gimp-selection-is-empty image)))
          (gimp-drawable-edit-fill layer FILL-FOREGROUND))
      (gimp-selection-none image)
      (gimp-image-remove-channel image channel)
      (gimp-image-set-active-layer image layer))))
END

# ---- the same as the program ----

# script CASE KIND - how GIMP makes the result of a case
script () {
  case $1 in
    heal) work="(select-marks image 0 0) (heal image layer)" ;;
    denoise) work="(denoise image layer)" ;;
    part) work="(gimp-image-select-rectangle image CHANNEL-OP-REPLACE 20 8 64 48)
                (denoise image layer)" ;;
    find) work="(find image layer) (show-selection image)" ;;
  esac
  echo "(with-picture \"$2.png\" \"$2-$1-result.png\"
          (lambda (image layer) $work))"
}

CASES="rgb8-heal rgb8-denoise rgb8-find rgb16-heal rgb16-denoise rgb16-part
  rgb16-find rgba16-heal rgba16-denoise rgba16-part rgba16-find grey8-heal"
for case in $CASES; do
  kind=${case%-*}
  case $case in
    *-heal) "$TESSERA" inpaint $kind.png --mask marks.png -q -o $case.png ;;
    *-denoise) "$TESSERA" denoise $kind.png -q -o $case.png ;;
    *-part) "$TESSERA" denoise $kind.png --crop 20,8,64x48 -q -o $case.png ;;
    *-find)
      "$TESSERA" find $kind.png -q -o $kind-mask.png
      # Grey counts, too.
      echo "(with-picture \"$kind-mask.png\" \"$case.png\"
              (lambda (image layer)
                (gimp-drawable-threshold layer HISTOGRAM-VALUE 0.1 1)))" ;;
  esac
  script "${case#*-}" $kind
done >same.scm
cat >>same.scm <<'END'
(with-picture "rgb8.png" "moved.png"
  (lambda (image layer)
    (gimp-layer-set-offsets layer -5 7)
    (gimp-image-resize image 90 100 0 0)
    (gimp-image-select-rectangle image CHANNEL-OP-REPLACE 24 26 11 11)
    (gimp-image-select-rectangle image CHANNEL-OP-ADD 49 17 4 70)
    (heal image layer)))
(with-picture "rgb8.png" "last.png"
  (lambda (image layer)
    (plug-in-tessera-denoise RUN-NONINTERACTIVE image layer 0 40 0 0)
    (gimp-drawable-fill layer FILL-WHITE)
    (let ((fresh (car (gimp-file-load-layer RUN-NONINTERACTIVE image
                                            "rgb8.png"))))
      (gimp-image-insert-layer image fresh 0 0)
      (gimp-image-set-active-layer image fresh)
      (plug-in-tessera-denoise RUN-WITH-LAST-VALS image fresh 9 9 9 9))))
(with-picture "rgb8.png" "float.png"
  (lambda (image layer)
    (gimp-image-convert-precision image PRECISION-FLOAT-LINEAR)
    (select-marks image 0 0)
    (heal image layer)
    (gimp-image-convert-precision image PRECISION-U8-GAMMA)))
(with-picture "rgb8.png" "unmarked.png"
  (lambda (image layer)
    (gimp-image-convert-precision image PRECISION-FLOAT-LINEAR)
    (select-marks image 0 0)
    (heal image layer)
    (gimp-image-convert-precision image PRECISION-U8-GAMMA)
    (gimp-drawable-edit-fill layer FILL-WHITE)))
(with-picture "rgb8.png" "unmarked-expected.png"
  (lambda (image layer)
    (select-marks image 0 0)
    (gimp-drawable-edit-fill layer FILL-WHITE)))
(with-picture "rgb8.png" "black.png"
  (lambda (image layer)
    (find image layer)
    (plug-in-tessera-find RUN-NONINTERACTIVE image layer "blocks,dead" 1 2)
    (show-selection image)))
END
"$TESSERA" denoise rgb8.png --sigma 40 --quality fast -q -o last-expected.png
ok "GIMP runs the filters" gimp_runs same.scm
for case in $CASES; do
  ok "$case" same $case.png $case-result.png
done
for kind in rgb8 rgb16 rgba16; do
  ok "$kind: it is healed" differ $kind-heal-result.png $kind.png
  ok "... and noise is removed" differ $kind-denoise-result.png $kind.png
done
ok "less is removed from a part" differ rgb16-part.png rgb16-denoise.png
ok "there is damage" [ "$("$TESSERA" find rgb8.png --json -o found.png \
  | perl -0ne 'print $1 if /"blocks" : (\d+)/')" -gt 0 ]
ok "a layer that is elsewhere" same moved.png rgb8-heal.png
ok "the last values" same last.png last-expected.png
ok "floating point: the rest stays" same unmarked.png unmarked-expected.png
# Rounded to 8 bits, the fill of 16 is that of 8, or a level off.
near () {
  [ "$(json identical)" = true ] || is_more "$(json psnr_masked)" 45
}
"$TESSERA" score float.png rgb8-heal.png --mask marks.png --json >out
ok "... and the fill is the same" near

# ---- what cannot be done ----

cat >refused.scm <<'END'
(define (refused work)
  (if (call-with-current-continuation
        (lambda (leave)
          (push-handler (lambda args (leave #f)))
          (work)
          (pop-handler)
          #t))
      (gimp-message "it was not refused")))
(define image (open-picture "rgb8.png"))
(define layer (layer-of image))
(refused (lambda () (heal image layer)))
(gimp-image-select-rectangle image CHANNEL-OP-REPLACE 0 0 112 80)
(refused (lambda () (heal image layer)))
(gimp-image-resize image 200 200 0 0)
(gimp-image-select-rectangle image CHANNEL-OP-REPLACE 150 150 9 9)
(refused (lambda () (heal image layer)))
(refused (lambda () (denoise image layer)))
(gimp-selection-none image)
(refused (lambda ()
  (plug-in-tessera-denoise RUN-NONINTERACTIVE image layer 9 0 0 0)))
(refused (lambda ()
  (plug-in-tessera-find RUN-NONINTERACTIVE image layer "dust,rain" 1 0)))
(gimp-item-set-lock-content layer TRUE)
(refused (lambda () (denoise image layer)))
(gimp-item-set-lock-content layer FALSE)
(define group (car (gimp-layer-group-new image)))
(gimp-image-insert-layer image group 0 0)
(refused (lambda () (denoise image group)))
(gimp-image-remove-layer image group)
(gimp-image-convert-indexed image CONVERT-DITHER-NONE CONVERT-PALETTE-GENERATE
                            16 FALSE FALSE "")
(refused (lambda () (find image layer)))
(gimp-image-delete image)
(with-picture "other.png" "other-denoise.png" denoise)
(with-picture "other.png" "other-find.png"
  (lambda (image layer)
    (gimp-image-select-rectangle image CHANNEL-OP-REPLACE 0 0 9 9)
    (find image layer)
    (if (= 0 (car (gimp-selection-is-empty image)))
        (gimp-message "something is selected"))))
END
ok "GIMP goes on after what is refused" gimp_runs refused.scm
ok "... all of it is" not grep -q "not refused" err
ok "nothing is selected" says "Nothing is selected; select what"
ok "all is selected" says "is missing"
ok "the selection is elsewhere" says "Nothing of the layer is selected"
ok "a wrong number" says "Quality is 9: give 0 to 2"
ok "a wrong kind" says "no kind of damage called 'rain'; there are blocks"
ok "a locked layer" says "The pixels of the layer are locked"
ok "a group" says "A group of layers has no pixels of its own"
ok "a palette" says "convert it with Image > Mode > RGB first"
ok "no noise is said" says "Found no noise"
ok "... and nothing changes" same other-denoise.png other.png
ok "no damage is said" says "Found no damage"
ok "... and nothing stays selected" not grep -q "something is selected" err

# ---- the work is stopped ----

# GIMP ends a plug-in when the user cancels.
make_png large.png 500 400 '128 + 60 * sin ($x / 9) * cos ($y / 7) + rand 50'
cat >stopped.scm <<'END'
(with-picture "large.png" "large-stopped.png"
  (lambda (image layer)
    (call-with-current-continuation
      (lambda (leave)
        (push-handler (lambda args (leave #f)))
        (plug-in-tessera-denoise RUN-NONINTERACTIVE image layer 2 0 0 0)
        (pop-handler)
        (gimp-message "it was not stopped")))))
END
whole stopped.scm >whole.scm
timeout 1800 gimp-console -i -d -f -b '(load "whole.scm")' -b '(gimp-quit 1)' \
  >out 2>err &
job=$!
victim=
for _ in $(seq 6000); do
  victim=$(pgrep -P "$(pgrep -P $job)" -x tessera 2>/dev/null) && break
  kill -0 $job 2>/dev/null || break
  sleep 0.1
done
ok "the plug-in is a process of its own" [ -n "$victim" ]
[ -n "$victim" ] && kill -9 "$victim"
wait $job
ok "GIMP goes on when it is ended" [ -e stopped.scm.done ]
ok "... in the middle of the work" not grep -q "not stopped" err
ok "... and the picture is as it was" same large-stopped.png large.png

# ---- undo ----

if ! command -v Xvfb >/dev/null || ! command -v xdotool >/dev/null; then
  skip "undo is one step" "Xvfb or xdotool is not installed"
  finish
  exit
fi

cat >undo.scm <<'END'
; Waits until a key has undone all since the image was called clean.
(define (wait-for-undo image count)
  (if (and (> count 0) (= 1 (car (gimp-image-is-dirty image))))
      (begin (usleep 100000) (wait-for-undo image (- count 1)))))
(define (undo-after image name work)
  (gimp-image-clean-all image)
  (work image (layer-of image))
  (save image (string-append name "-done.png"))
  (close-output-port (open-output-file (string-append name ".ready")))
  (wait-for-undo image 3000)
  (save image (string-append name "-undone.png")))
(define image (open-picture "rgb16.png"))
(gimp-display-new image)
(select-marks image 0 0)
(undo-after image "heal" heal)
(undo-after image "denoise" denoise)
END
# The display's number is the first that is free.
Xvfb -displayfd 3 -screen 0 1024x768x24 3>display >xvfb.log 2>&1 &
xvfb=$!
for _ in $(seq 100); do
  [ -s display ] && break
  sleep 0.1
done
DISPLAY=:$(cat display)
export DISPLAY
whole undo.scm >whole.scm
timeout 1800 gimp -s -d -f -n -b '(load "whole.scm")' -b '(gimp-quit 1)' \
  >out 2>err &
job=$!
for filter in heal denoise; do
  for _ in $(seq 6000); do
    [ -e $filter.ready ] && break
    kill -0 $job 2>/dev/null || break
    sleep 0.1
  done
  xdotool mousemove 512 500 key ctrl+z
done
wait $job
kill $xvfb
for filter in heal denoise; do
  ok "$filter changes the picture" differ $filter-done.png rgb16.png
  ok "... and is undone in one step" same $filter-undone.png rgb16.png
done

finish
