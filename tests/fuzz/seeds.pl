#!/usr/bin/perl
# seeds.pl TARGET FOLDER TESSERA - writes small files to start from, of every
# kind that the target reads; all are made here
use strict;
use warnings;
use Compress::Zlib;

my ($target, $folder, $tessera) = @ARGV;

sub save {
  my ($name, $bytes) = @_;
  open my $out, ">:raw", "$folder/seed-$name" or die "$folder/$name: $!\n";
  print $out $bytes;
  close $out or die "$folder/$name: $!\n";
}

sub load {
  my ($name) = @_;
  local $/;
  open my $in, "<:raw", $name or die "$name: $!\n";
  return <$in>;
}

# ---- EXIF ----

# TIFF data with an orientation, in the byte order "MM" or "II".
sub exif {
  my ($order, $orientation) = @_;
  my ($short, $long) = $order eq "MM" ? ("n", "N") : ("v", "V");
  return $order . pack ("$short $long $short", 42, 8, 2)
    . pack ("$short$short$long$short$short", 0x0100, 3, 1, 16, 0)
    . pack ("$short$short$long$short$short", 0x0112, 3, 1, $orientation, 0)
    . pack ($long, 0);
}

# ---- PNG ----

sub chunk {
  my $body = join "", @_;
  return pack ("N", length ($body) - 4) . $body . pack ("N", crc32 ($body));
}

my @channels = (1, 0, 3, 1, 2, 0, 4);

# A PNG of any type; chunks go in front of the data.
sub png {
  my ($width, $height, $depth, $type, $interlaced, @chunks) = @_;
  my $bytes = int (($width * $channels[$type] * $depth + 7) / 8);
  my $rows = "";
  # Interlaced pictures are one pixel wide and high, and so have one pass.
  ($width, $height, $bytes) = (1, 1, int (($channels[$type] * $depth + 7) / 8))
    if $interlaced;
  for my $y (1 .. $height) {
    $rows .= chr ($y % 5) . join "", map { chr (($_ * $y * 7) & 63) }
      1 .. $bytes;
  }
  return "\x89PNG\r\n\x1a\n"
    . chunk ("IHDR", pack ("NNC5", $width, $height, $depth, $type, 0, 0,
                           $interlaced))
    . join ("", @chunks) . chunk ("IDAT", compress ($rows)) . chunk ("IEND");
}

sub pngs {
  my @extras = (
    chunk ("gAMA", pack "N", 45455), chunk ("pHYs", pack "NNC", 2835, 2835, 1),
    chunk ("sRGB", "\0"), chunk ("tEXt", "Title\0a seed"),
    chunk ("zTXt", "Comment\0\0" . compress ("packed")),
    chunk ("iTXt", "Title\0\0\0en\0\0words"), chunk ("tIME", "\7\352\1\1\0\0\0"),
    chunk ("eXIf", exif ("MM", 6)),
    chunk ("iCCP", "seed\0\0" . compress (pack ("N", 128) . "\0" x 124)));
  my %files;

  for my $depth (1, 2, 4, 8, 16) {
    $files{"grey$depth"} = png (9, 5, $depth, 0, 0);
    next if $depth < 8;
    $files{"colour$depth"} = png (9, 5, $depth, 2, 0, @extras);
    $files{"greyalpha$depth"} = png (5, 4, $depth, 4, 0);
    $files{"alpha$depth"} = png (5, 4, $depth, 6, 0);
    $files{"laced$depth"} = png (1, 1, $depth, 6, 1);
  }
  for my $depth (1, 2, 4, 8) {
    $files{"palette$depth"} = png (7, 6, $depth, 3, 0,
      chunk ("PLTE", map { chr } map { ($_, 90, 255 - $_) } 0 .. 2 ** $depth - 1),
      chunk ("tRNS", "\0\x80"));
  }
  $files{key} = png (6, 6, 8, 2, 0, chunk ("tRNS", pack "nnn", 7, 14, 21));
  $files{greykey} = png (6, 6, 8, 0, 0, chunk ("tRNS", pack "n", 7));
  return %files;
}

# ---- JPEG, by the program ----

# The PNG $bytes as a JPEG, with @inserts as its first segments.
sub jpeg {
  my ($bytes, @inserts) = @_;
  my ($from, $to) = map { "$folder/seed-tmp.$_" } "png", "jpg";
  save ("tmp.png", $bytes);
  system ($tessera, "corrupt", $from, "--noise", "5", "-q", "--force",
          "-o", $to) == 0 or die "seeds.pl: $tessera made no JPEG\n";
  my $jpeg = load ($to);
  unlink $from, $to;
  return substr ($jpeg, 0, 2) . join ("", @inserts) . substr ($jpeg, 2);
}

sub segment {
  my ($marker, $data) = @_;
  return pack ("CCn", 0xff, $marker, 2 + length $data) . $data;
}

sub jpegs {
  my $exif = segment (0xe1, "Exif\0\0" . exif ("II", 8));
  my $icc = segment (0xe2, "ICC_PROFILE\0\1\1" . pack ("N", 128) . "\0" x 124);
  my $comment = segment (0xfe, "a comment");
  return (
    jpeg => jpeg (png (17, 9, 8, 2, 0)),
    greyjpeg => jpeg (png (17, 9, 8, 0, 0)),
    metajpeg => jpeg (png (9, 17, 8, 2, 0), $exif, $icc, $comment));
}

# ---- dictionaries ----

sub floats {
  my ($count) = @_;
  return pack "f<*", map { sin ($_ * 1.7) } 1 .. $count;
}

sub safetensors {
  my ($shape, $count, $extra) = @_;
  my $header = '{' . $extra . '"atoms":{"dtype":"F32","shape":[' . $shape
    . '],"data_offsets":[0,' . 4 * $count . ']}}';
  $header .= " " x (-length ($header) % 8);
  return pack ("Q<", length $header) . $header . floats ($count);
}

sub npy {
  my ($shape, $type, $order, $data) = @_;
  my $header = "{'descr': '$type', 'fortran_order': $order, 'shape': ($shape), }";
  $header .= " " x (63 - (10 + length ($header)) % 64) . "\n";
  return "\x93NUMPY\1\0" . pack ("v", length $header) . $header . $data;
}

sub dictionaries {
  return (
    safetensors => safetensors ("6,3,2,2", 72, '"__metadata__":{'
      . '"algorithm":"online","options":"x","seed":"1","samples":"9"},'),
    flat => safetensors ("4,9", 36, ""),
    npy => npy ("5, 1, 3, 3", "<f4", "False", floats (45)),
    fortran => npy ("4, 4", "<f8", "True", pack "d<*", 1 .. 16));
}

# ---- dictionaries that restore: see restore.c ----

# Convolutional ones, which the program learns.
sub convolutional {
  my %files;
  my %kinds = (
    small => "--patch 4 --atoms 3 --rounds 2 --sets 2 --levels 2 --ground 2",
    dense => "--patch 5 --atoms 2 --rounds 4 --sets 1 --levels 1 --spacing 1",
    grey => "--patch 4 --atoms 4 --rounds 1 --sets 1 --levels 3 --grey");

  save ("source.png", png (48, 48, 8, 2, 0));
  for my $name (sort keys %kinds) {
    my $to = "$folder/seed-$name.safetensors";
    system ("$tessera learn -a convolutional -q -f $kinds{$name} --batch 1 "
      . "--iterations 1 --crop 32 $folder/seed-source.png -o $to") == 0
      or die "seeds.pl: cannot learn\n";
    $files{"$name.safetensors"} = load ($to);
    unlink $to;
  }
  unlink "$folder/seed-source.png";
  return %files;
}

# Each dictionary with each way to use it.
sub restorers {
  my %dictionaries = (dictionaries (), convolutional ());
  my %files;

  for my $name (keys %dictionaries) {
    $files{"$name-$_"} = chr ($_) . $dictionaries{$name}
      for 0, 2, 8, 16, 32, 66, 70, 98;
  }
  return %files;
}

# ---- requests ----

# Runs of a mask of 16 x 16: all known but a block.
my $runs = pack "C*", 99, 5, 11, 5, 0x88, 0x01;

sub requests {
  my $png = png (9, 5, 8, 2, 0);
  my %dictionaries = dictionaries ();
  my @bodies = (
    "/api/session", "0" x 32,
    "/api/photos?name=a%2fb.png", $png,
    "/api/photos/\@/mask/picture", png (16, 16, 8, 0, 0),
    "/api/photos/\@/mask/runs", $runs,
    "/api/photos/\@/jobs?task=fill&quality=fast&version=0&dictionary=0", $runs,
    "/api/photos/\@/jobs?task=denoise&sigma=12.5", "",
    "/api/photos/\@/jobs?task=find-blocks", "",
    "/api/dictionaries?name=mine", $dictionaries{safetensors},
    "/api/training", $png,
    "/api/learning?algorithm=online&seconds=5&name=x", "",
    "/api/comparison?source=folder&folder=%2ftmp&seconds=9", "");
  my @gets = qw(/ /page.css /api/about /api/photos/@ /api/photos/@/found
    /api/photos/@/view?version=0&x=1&y=2&w=3&h=4&side=9 /api/jobs/1
    /api/photos/@/picture?version=0 /api/dictionaries
    /api/dictionaries/0/mosaic /api/dictionaries/1/file /report/a/b.html);
  my %files;

  while (@bodies) {
    my ($path, $body) = splice @bodies, 0, 2;
    $files{"post" . @bodies} = "POST $path\n\n$body";
  }
  $files{"get$_"} = "GET $gets[$_]\nOrigin: http://127.0.0.1:8080\n\n"
    for 0 .. $#gets;
  $files{"delete$_"} = "DELETE /api/$_/1\nSec-Fetch-Site: same-origin\n\n"
    for "photos", "jobs", "training";
  return %files;
}

# ---- TIFF and WebP, which the program itself makes from PNGs ----

sub converted {
  my ($ending) = @_;
  my %pngs = pngs ();
  my %files;

  for my $name (sort keys %pngs) {
    save ("source.png", $pngs{$name});
    my $to = "$folder/seed-$name.$ending";
    # Types that the format does not have are left out.
    system ("$tessera corrupt -q -f --noise 3 $folder/seed-source.png -o $to "
      . "2>/dev/null") == 0 or next;
    $files{"$name.$ending"} = load ($to);
  }
  unlink "$folder/seed-source.png";
  return %files;
}

# ---- records of folders ----

# See record.c.  Kinds: 0 nothing, 1 a file, 2 a link, 3 one to nothing, 4 a
# pipe, 5 a folder.
sub records {
  my %files;
  my $long = "n" x 255;

  for my $text ("\2\n\1", "other\n\1", "\2\noutput 3 abc\n\1", "\1", "") {
    for my $kinds ("\1\1\5\0", "\1\1\5\1", "\0\0\0\0", "\1\2\5\0",
                   "\1\4\5\2", "\2\1\5\0", "\3\1\5\0", "\4\1\5\0",
                   "\1\1\2\0", "\5\5\5\4", "\0\2\5\3") {
      $files{"record" . keys %files} =
        "$kinds$_->[0]$_->[1]\0seed 3\0old result\0$text"
        for ["\0", "a/b.png"], ["\1", "b.png"], ["\0", $long];
    }
  }
  return %files;
}

# ----

my %makers = (
  picture => sub { (pngs (), jpegs ()) },
  tiff => sub { converted ("tif") },
  webp => sub { converted ("webp") },
  dictionary => \&dictionaries,
  restore => \&restorers,
  maskruns => sub {
    (block => "\x0f\x0f$runs", all => "\0\0\0\1", none => "\0\0\1",
     large => "\xff\xff" . pack "C*", 0x80, 0x80, 0x04)
  },
  exif => sub { map { ("$_->[0]$_->[1]" => exif (@$_)) } ["MM", 6], ["II", 3] },
  request => \&requests,
  record => \&records,
);

my $maker = $makers{$target} or die "seeds.pl: no target $target\n";
my %files = $maker->();
save ($_, $files{$_}) for sort keys %files;
