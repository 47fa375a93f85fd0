#include "tests/mutate.h"

#include "base/random.h"

#include <string.h>

/* Where headers end, more or less. */
#define FRONT 256

/* The longest piece that is moved about. */
#define LONGEST_PIECE 1024

/* Numbers at which something overflows, wraps or is taken for an end. */
static const guint64 bad_numbers[] = {
  0,          1,          2,           0x7f,       0x80,       0xff,
  0x7fff,     0x8000,     0xffff,      0x10000,    0x7ffffffe, 0x7fffffff,
  0x80000000, 0xfffffffe, 0xffffffffu, G_MAXINT64, G_MAXUINT64
};

/* A sequence of random numbers. */
typedef struct {
  guint64 seed, stream, count;
} Dice;

/* One of 0 .. @n - 1; 0 if there is none. */
static gsize
roll (Dice *dice, gsize n)
{
  return n < 2 ? 0 : random_below (dice->seed, dice->stream, dice->count++, n);
}

static gsize
some_place (Dice *dice, gsize size)
{
  return roll (dice, roll (dice, 2) ? size : MIN (size, FRONT));
}

/* The length of a piece from @at on, short ones more often. */
static gsize
some_length (Dice *dice, const GByteArray *file, gsize at)
{
  gsize most = (gsize) 1 << roll (dice, 11);
  gsize length = 1 + roll (dice, MIN (most, LONGEST_PIECE));

  return MIN (length, file->len - at);
}

/* ---- changes; the file is not empty ---- */

static void
flip_bits (GByteArray *file, Dice *dice)
{
  for (gsize left = 1 + roll (dice, 8); left > 0; left--)
    file->data[some_place (dice, file->len)] ^= (guint8) (1 << roll (dice, 8));
}

/* Writes a bad number of 1, 2, 4 or 8 bytes, in either order. */
static void
write_number (GByteArray *file, Dice *dice)
{
  gsize size = (gsize) 1 << roll (dice, 4), at;
  guint64 number = bad_numbers[roll (dice, G_N_ELEMENTS (bad_numbers))];
  gboolean big_endian = roll (dice, 2) != 0;

  if (file->len < size)
    return;
  at = some_place (dice, file->len - size + 1);
  for (gsize i = 0; i < size; i++)
    file->data[at + (big_endian ? size - 1 - i : i)] =
      (guint8) (number >> (8 * i));
}

static void
cut_end (GByteArray *file, Dice *dice)
{
  g_byte_array_set_size (file, (guint) some_place (dice, file->len));
}

static void
remove_piece (GByteArray *file, Dice *dice)
{
  gsize at = some_place (dice, file->len);

  g_byte_array_remove_range (file, (guint) at,
                             (guint) some_length (dice, file, at));
}

/* Puts @size bytes in front of place @at. */
static void
insert (GByteArray *file, gsize at, const guint8 *piece, gsize size)
{
  gsize old = file->len;

  g_byte_array_set_size (file, (guint) (old + size));
  memmove (file->data + at + size, file->data + at, old - at);
  memcpy (file->data + at, piece, size);
}

static void
repeat_piece (GByteArray *file, Dice *dice)
{
  gsize from = some_place (dice, file->len);
  gsize size = some_length (dice, file, from);
  g_autofree guint8 *piece = g_memdup2 (file->data + from, size);

  for (gsize left = 1 + roll (dice, 4); left > 0; left--)
    insert (file, some_place (dice, file->len), piece, size);
}

static void
swap_pieces (GByteArray *file, Dice *dice)
{
  gsize a = some_place (dice, file->len), b = some_place (dice, file->len);
  gsize size = some_length (dice, file, MAX (a, b));

  for (gsize i = 0; i < size; i++) {
    guint8 byte = file->data[a + i];

    file->data[a + i] = file->data[b + i];
    file->data[b + i] = byte;
  }
}

static void
flatten_piece (GByteArray *file, Dice *dice)
{
  gsize at = some_place (dice, file->len);

  memset (file->data + at, roll (dice, 2) ? 0xff : 0,
          some_length (dice, file, at));
}

static void
invent_piece (GByteArray *file, Dice *dice)
{
  gsize at = some_place (dice, file->len);
  gsize size = some_length (dice, file, at);
  g_autofree guint8 *piece = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    piece[i] = (guint8) roll (dice, 256);
  if (roll (dice, 2))
    insert (file, at, piece, size);
  else
    memcpy (file->data + at, piece, size);
}

void
mutate (GByteArray *file, guint64 seed, guint64 number)
{
  static void (*const changes[]) (GByteArray *, Dice *) = {
    flip_bits,    write_number, write_number,  remove_piece,
    repeat_piece, swap_pieces,  flatten_piece, invent_piece,
  };
  Dice dice = { seed, number, 0 };

  for (gsize left = 1 + roll (&dice, 1 + roll (&dice, 4));
       left > 0 && file->len > 0; left--)
    changes[roll (&dice, G_N_ELEMENTS (changes))](file, &dice);
  if (roll (&dice, 8) == 0 && file->len > 0)
    cut_end (file, &dice);
}

/* ---- checksums ---- */

static guint32
read_word (const guint8 *data)
{
  return (guint32) data[0] << 24 | (guint32) data[1] << 16
         | (guint32) data[2] << 8 | data[3];
}

static guint32
crc (const guint8 *data, gsize size)
{
  guint32 value = 0xffffffff;

  for (gsize i = 0; i < size; i++) {
    value ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      value = (value >> 1) ^ (value & 1 ? 0xedb88320u : 0);
  }
  return ~value;
}

void
mutate_repair_png (guint8 *data, gsize size)
{
  static const guint8 signature[] = { 0x89, 'P', 'N', 'G', 13, 10, 26, 10 };
  gsize at = sizeof signature;

  if (size < at || memcmp (data, signature, at) != 0)
    return;
  /* A chunk is its length, its name, that many bytes and the checksum. */
  while (size - at >= 12 && read_word (data + at) <= size - at - 12) {
    gsize length = read_word (data + at);
    guint32 sum = crc (data + at + 4, length + 4);

    for (gsize i = 0; i < 4; i++)
      data[at + 8 + length + i] = (guint8) (sum >> (24 - 8 * i));
    at += 12 + length;
  }
}
