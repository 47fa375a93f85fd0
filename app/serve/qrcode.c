/* qrcode.c - a QR code of one block of codewords
 *
 * The codewords are a header, the text, padding, and the remainder of all that
 * by a generator polynomial over GF(256), which corrects errors (Reed and
 * Solomon).  Their bits fill what the fixed patterns leave of the square, in
 * columns of two from right to left, upwards and downwards in turn, and are
 * then inverted where a mask says so.
 */
#include "app/serve/qrcode.h"

#include <string.h>

#define VERSIONS 5
#define MOST_CODEWORDS 134
#define MARGIN 4 /* light modules around the code */
#define MASKS 8

/* The header of a text is 4 bits of its kind and 8 of its length; with the 4
 * zeros at its end it takes 2 bytes. */
#define HEADER 2
#define KIND_BYTES 4
static const guint8 padding[] = { 0xec, 0x11 };

/* Codewords of each version, of data and to correct errors. */
static const struct {
  int data, check;
} sizes[VERSIONS] = {
  { 19, 7 }, { 34, 10 }, { 55, 15 }, { 80, 20 }, { 108, 26 }
};

/* The polynomials of the field, and of the code that protects the format. */
#define FIELD 0x11d
#define FORMAT_POLYNOMIAL 0x537
#define FORMAT_MASK 0x5412
#define FORMAT_LEVEL_L 1

/* The square, and which modules of it are fixed. */
typedef struct {
  QrCode *code;
  gboolean fixed[QR_MOST_SIDE][QR_MOST_SIDE];
} Square;

/* ---- codewords ---- */

static guint8
multiply (guint8 a, guint8 b)
{
  int product = 0;

  for (int bit = 7; bit >= 0; bit--) {
    product = product << 1 ^ (product >> 7) * FIELD;
    product ^= (b >> bit & 1) * a;
  }
  return (guint8) product;
}

/* The coefficients of (x - 1) (x - 2) (x - 4) ... below the first, which is
 * one. */
static void
make_generator (guint8 *generator, int degree)
{
  guint8 root = 1;

  memset (generator, 0, (gsize) degree);
  generator[degree - 1] = 1;
  for (int i = 0; i < degree; i++) {
    for (int k = 0; k < degree; k++)
      generator[k] = multiply (generator[k], root)
                     ^ (k + 1 < degree ? generator[k + 1] : 0);
    root = multiply (root, 2);
  }
}

static void
append_check (guint8 *words, int data, int check)
{
  guint8 generator[MOST_CODEWORDS];
  guint8 *rest = words + data;

  make_generator (generator, check);
  memset (rest, 0, (gsize) check);
  for (int i = 0; i < data; i++) {
    guint8 factor = words[i] ^ rest[0];

    memmove (rest, rest + 1, (gsize) check - 1);
    rest[check - 1] = 0;
    for (int k = 0; k < check; k++)
      rest[k] ^= multiply (generator[k], factor);
  }
}

static void
make_codewords (guint8 *words, const char *text, int version)
{
  gsize length = strlen (text), data = (gsize) sizes[version - 1].data;
  guint8 bytes[MOST_CODEWORDS] = { (guint8) length };

  memcpy (bytes + 1, text, length);
  for (gsize i = 0; i <= length + 1; i++)
    words[i] = (guint8) ((i > 0 ? bytes[i - 1] : KIND_BYTES) << 4
                         | (i <= length ? bytes[i] >> 4 : 0));
  for (gsize i = length + HEADER; i < data; i++)
    words[i] = padding[(i - length) % 2];
  append_check (words, (int) data, sizes[version - 1].check);
}

/* ---- what is fixed ---- */

static void
fix (Square *square, int row, int column, gboolean dark)
{
  if (row < 0 || row >= square->code->side || column < 0
      || column >= square->code->side)
    return;
  square->code->dark[row][column] = dark;
  square->fixed[row][column] = TRUE;
}

/* Rings around a middle, the outermost light or not there. */
static void
fix_rings (Square *square, int row, int column, int radius)
{
  for (int y = -radius; y <= radius; y++)
    for (int x = -radius; x <= radius; x++) {
      int ring = MAX (ABS (x), ABS (y));

      fix (square, row + y, column + x,
           radius == 4 ? ring != 2 && ring != 4 : ring != 1);
    }
}

static void
fix_patterns (Square *square)
{
  int side = square->code->side;

  for (int i = 0; i < side; i++) {
    fix (square, 6, i, i % 2 == 0);
    fix (square, i, 6, i % 2 == 0);
  }
  fix_rings (square, 3, 3, 4);
  fix_rings (square, 3, side - 4, 4);
  fix_rings (square, side - 4, 3, 4);
  if (side > 21)
    fix_rings (square, side - 7, side - 7, 2);
}

/* The level and the mask, twice. */
static void
fix_format (Square *square, int mask)
{
  int side = square->code->side, data = FORMAT_LEVEL_L << 3 | mask;
  int rest = data, bits;

  for (int i = 0; i < 10; i++)
    rest = rest << 1 ^ (rest >> 9) * FORMAT_POLYNOMIAL;
  bits = (data << 10 | rest) ^ FORMAT_MASK;
  for (int i = 0; i < 15; i++) {
    gboolean dark = bits >> i & 1;

    fix (square,
         i < 6   ? i
         : i < 8 ? i + 1
                 : 8,
         i < 8    ? 8
         : i == 8 ? 7
                  : 14 - i,
         dark);
    fix (square, i < 8 ? 8 : side - 15 + i, i < 8 ? side - 1 - i : 8, dark);
  }
  fix (square, side - 8, 8, TRUE);
}

/* ---- what is not ---- */

static void
place_codewords (Square *square, const guint8 *words, int count)
{
  int side = square->code->side, bit = 0;
  gboolean upwards = TRUE;

  /* Column 6 belongs to a pattern. */
  for (int right = side - 1; right > 0; right -= right == 8 ? 3 : 2) {
    for (int i = 0; i < 2 * side; i++) {
      int row = upwards ? side - 1 - i / 2 : i / 2, column = right - i % 2;

      if (square->fixed[row][column])
        continue;
      square->code->dark[row][column] =
        bit < 8 * count && (words[bit / 8] >> (7 - bit % 8) & 1);
      bit++;
    }
    upwards = !upwards;
  }
}

static gboolean
is_inverted (int mask, int row, int column)
{
  int product = row * column;

  switch (mask) {
  case 0:
    return (row + column) % 2 == 0;
  case 1:
    return row % 2 == 0;
  case 2:
    return column % 3 == 0;
  case 3:
    return (row + column) % 3 == 0;
  case 4:
    return (row / 2 + column / 3) % 2 == 0;
  case 5:
    return product % 2 + product % 3 == 0;
  case 6:
    return (product % 2 + product % 3) % 2 == 0;
  default:
    return ((row + column) % 2 + product % 3) % 2 == 0;
  }
}

/* Done twice, it is undone. */
static void
apply_mask (Square *square, int mask)
{
  for (int row = 0; row < square->code->side; row++)
    for (int column = 0; column < square->code->side; column++)
      if (!square->fixed[row][column] && is_inverted (mask, row, column))
        square->code->dark[row][column] ^= TRUE;
}

static int
count_squares (const QrCode *code)
{
  int count = 0;

  for (int row = 1; row < code->side; row++)
    for (int column = 1; column < code->side; column++) {
      gboolean dark = code->dark[row][column];

      count += code->dark[row - 1][column] == dark
               && code->dark[row][column - 1] == dark
               && code->dark[row - 1][column - 1] == dark;
    }
  return count;
}

static void
mask_best (Square *square)
{
  int best = 0, fewest = G_MAXINT;

  for (int mask = 0; mask < MASKS; mask++) {
    int count;

    fix_format (square, mask);
    apply_mask (square, mask);
    count = count_squares (square->code);
    apply_mask (square, mask);
    if (count < fewest) {
      fewest = count;
      best = mask;
    }
  }
  fix_format (square, best);
  apply_mask (square, best);
}

/* ---- the code ---- */

gboolean
qr_code_make (QrCode *code, const char *text)
{
  Square square = { .code = code };
  guint8 words[MOST_CODEWORDS];
  gsize length = strlen (text);
  int version = 1;

  if (length > QR_MOST_BYTES)
    return FALSE;
  while ((gsize) sizes[version - 1].data < length + HEADER)
    version++;
  *code = (QrCode){ .side = 17 + 4 * version };
  make_codewords (words, text, version);
  fix_patterns (&square);
  fix_format (&square, 0);
  place_codewords (&square, words,
                   sizes[version - 1].data + sizes[version - 1].check);
  mask_best (&square);
  return TRUE;
}

int
qr_code_columns (const QrCode *code)
{
  return code->side + 2 * MARGIN;
}

/* Whether a module of the code or its margin is light. */
static gboolean
is_light (const QrCode *code, int row, int column)
{
  row -= MARGIN;
  column -= MARGIN;
  return row < 0 || row >= code->side || column < 0 || column >= code->side
         || !code->dark[row][column];
}

char *
qr_code_draw (const QrCode *code)
{
  /* By whether the upper and the lower module are light. */
  static const char *const halves[2][2] = {
    { " ", "\xe2\x96\x84" }, { "\xe2\x96\x80", "\xe2\x96\x88" }
  };
  GString *text = g_string_new (NULL);
  int columns = qr_code_columns (code);

  for (int row = 0; row < columns; row += 2) {
    for (int column = 0; column < columns; column++)
      g_string_append (text, halves[is_light (code, row, column)]
                                   [is_light (code, row + 1, column)]);
    g_string_append_c (text, '\n');
  }
  return g_string_free (text, FALSE);
}
