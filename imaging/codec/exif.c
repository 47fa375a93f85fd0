/* exif.c - the first directory of EXIF data
 *
 * EXIF is a small TIFF file: a byte order, 42, and the place of a directory.
 * A directory is a count and that many entries of 12 bytes: tag, type, number
 * of values, and the value itself if it fits into four bytes.
 */
#include "imaging/codec/exif.h"

enum {
  TAG_ORIENTATION = 0x0112,
  TYPE_ASCII = 2,
  TYPE_SHORT = 3,
  TYPE_LONG = 4,
  TYPE_IFD = 13, /* of TIFF: the place of a directory */
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

#define ANY_TYPE 0

/* Where the entry with that tag and type is; 0 if there is none. */
static gsize
find_entry (const Tiff *tiff, guint32 tag, guint32 type)
{
  gsize directory = read_number (tiff, 4, 4);
  gsize entries = read_number (tiff, directory, 2);

  for (gsize i = 0; i < entries; i++) {
    gsize entry = directory + 2 + i * ENTRY_SIZE;

    if (read_number (tiff, entry, 2) == tag
        && (type == ANY_TYPE || read_number (tiff, entry + 2, 2) == type))
      return entry;
  }
  return 0;
}

int
exif_orientation (GBytes *exif)
{
  Tiff tiff;
  gsize entry;
  guint32 value;

  if (exif == NULL || !open_tiff (&tiff, exif))
    return 1;
  entry = find_entry (&tiff, TAG_ORIENTATION, TYPE_SHORT);
  if (entry == 0 || read_number (&tiff, entry + 4, 4) != 1)
    return 1;
  value = read_number (&tiff, entry + 8, 2);
  return value >= 1 && value <= 8 ? (int) value : 1;
}

gboolean
exif_has (GBytes *exif, guint32 tag)
{
  Tiff tiff;

  return exif != NULL && open_tiff (&tiff, exif)
         && find_entry (&tiff, tag, ANY_TYPE) > 0;
}

guint32
exif_place (GBytes *exif, guint32 tag)
{
  Tiff tiff;
  gsize entry;

  if (!open_tiff (&tiff, exif))
    return 0;
  entry = find_entry (&tiff, tag, TYPE_LONG);
  if (entry == 0)
    entry = find_entry (&tiff, tag, TYPE_IFD);
  return entry > 0 ? read_number (&tiff, entry + 8, 4) : 0;
}

char *
exif_text (GBytes *exif, guint32 tag)
{
  Tiff tiff;
  gsize entry, count, place;

  if (!open_tiff (&tiff, exif))
    return NULL;
  entry = find_entry (&tiff, tag, TYPE_ASCII);
  if (entry == 0)
    return NULL;
  count = read_number (&tiff, entry + 4, 4);
  place = count <= 4 ? entry + 8 : read_number (&tiff, entry + 8, 4);
  if (place > tiff.size || count > tiff.size - place)
    return NULL;
  return g_strndup ((const char *) tiff.data + place, count);
}
