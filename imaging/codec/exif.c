/* exif.c - the one thing we read from EXIF data: how the picture is turned
 *
 * EXIF is a small TIFF file: a byte order, 42, and the place of a directory.
 * A directory is a count and that many entries of 12 bytes: tag, type, number
 * of values, and the value itself if it fits into four bytes.
 */
#include "imaging/codec/exif.h"

enum {
  TAG_ORIENTATION = 0x0112,
  TYPE_SHORT = 3,
  ENTRY_SIZE = 12,
};

typedef struct {
  const guint8 *data;
  gsize size;
  gboolean big_endian;
} Tiff;

/* @count bytes from @offset as a number.  Bytes past the end read as zero,
 * which is no valid directory, tag or orientation. */
static guint32
read_number (const Tiff *tiff, gsize offset, int count)
{
  guint32 value = 0;

  if (offset > tiff->size || tiff->size - offset < (gsize) count)
    return 0;
  for (int i = 0; i < count; i++) {
    int place = tiff->big_endian ? i : count - 1 - i;

    value = value << 8 | tiff->data[offset + (gsize) place];
  }
  return value;
}

static gboolean
is_orientation (const Tiff *tiff, gsize entry)
{
  return read_number (tiff, entry, 2) == TAG_ORIENTATION
         && read_number (tiff, entry + 2, 2) == TYPE_SHORT
         && read_number (tiff, entry + 4, 4) == 1;
}

/* The orientation that the entry at @entry holds. */
static int
orientation_of (const Tiff *tiff, gsize entry)
{
  guint32 value = read_number (tiff, entry + 8, 2);

  return value >= 1 && value <= 8 ? (int) value : 1;
}

/* Reads byte order and magic number. */
static gboolean
open_tiff (Tiff *tiff, GBytes *exif)
{
  tiff->data = g_bytes_get_data (exif, &tiff->size);
  if (tiff->size < 8 || tiff->data[0] != tiff->data[1]
      || (tiff->data[0] != 'I' && tiff->data[0] != 'M'))
    return FALSE;
  tiff->big_endian = tiff->data[0] == 'M';
  return read_number (tiff, 2, 2) == 42;
}

int
exif_orientation (GBytes *exif)
{
  Tiff tiff;

  if (exif == NULL || !open_tiff (&tiff, exif))
    return 1;

  gsize directory = read_number (&tiff, 4, 4);
  gsize entries = read_number (&tiff, directory, 2);

  for (gsize i = 0; i < entries; i++) {
    gsize entry = directory + 2 + i * ENTRY_SIZE;

    if (is_orientation (&tiff, entry))
      return orientation_of (&tiff, entry);
  }
  return 1;
}
