/* tiffexif.c - fields of a TIFF as EXIF data of other formats, and back
 *
 * EXIF data are a TIFF without a picture: a directory with texts, and the
 * places of two further ones, for EXIF and GPS.
 */
#include "imaging/codec/tiffcodec.h"

#include "imaging/codec/exif.h"

#include <string.h>

/* Texts of the first directory. */
static const guint32 texts[] = {
  TIFFTAG_DOCUMENTNAME, TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE,
  TIFFTAG_MODEL,        TIFFTAG_PAGENAME,         TIFFTAG_SOFTWARE,
  TIFFTAG_DATETIME,     TIFFTAG_ARTIST,           TIFFTAG_HOSTCOMPUTER,
  TIFFTAG_COPYRIGHT,
};

/* Enough for all that libtiff makes of a few fields. */
#define ROOM (1 << 20)

static gboolean
is_text (guint32 tag)
{
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i] == tag)
      return TRUE;
  return FALSE;
}

/* Whether other formats have @chunk in their EXIF data. */
static gboolean
is_exif (const ImageChunk *chunk)
{
  return g_str_equal (chunk->name, TIFF_CHUNK_EXIF)
         || g_str_equal (chunk->name, TIFF_CHUNK_GPS)
         || (g_str_equal (chunk->name, TIFF_CHUNK)
             && is_text ((guint32) chunk->place));
}

static GPtrArray *
exif_fields (const ImageMeta *meta)
{
  GPtrArray *fields = image_chunks_new ();

  for (guint i = 0; i < meta->chunks->len; i++) {
    const ImageChunk *chunk = meta->chunks->pdata[i];

    if (is_exif (chunk))
      g_ptr_array_add (fields, image_chunk_new (chunk->name, chunk->place,
                                                g_bytes_ref (chunk->data)));
  }
  return fields;
}

/* libtiff writes places of directories with a type that TIFF has for them, but
 * EXIF has not. */
static void
set_types (const PageSink *pages)
{
  const guint16 type = TIFF_LONG;
  guint8 *entry = pages->bytes.data + pages->first;
  guint16 count, tag;

  memcpy (&count, entry, sizeof count);
  entry += sizeof count;
  for (int i = 0; i < count; i++, entry += 12) {
    memcpy (&tag, entry, sizeof tag);
    if (tag == TIFFTAG_EXIFIFD || tag == TIFFTAG_GPSIFD)
      memcpy (entry + 2, &type, sizeof type);
  }
}

GBytes *
tiffexif_pack (const ImageMeta *meta)
{
  g_autoptr (GPtrArray) fields = exif_fields (meta);
  PageSink pages = { 0 };
  TiffPlaces places;
  TiffFile file;
  gboolean ok = FALSE;

  if (fields->len == 0)
    return NULL;
  if (tiff_file_create (&file, &pages)
      && tiffmeta_write_extras (&file, fields, &places)) {
    tiffmeta_set_fields (&file, fields, &places);
    TIFFSetField (file.tiff, TIFFTAG_ORIENTATION, meta->orientation);
    ok = TIFFWriteDirectory (file.tiff) && tiff_file_finish (&file, &pages);
  }
  tiff_file_close (&file);
  if (!ok)
    return NULL;
  set_types (&pages);
  return byte_sink_finish (&pages.bytes);
}

void
tiffexif_unpack (GBytes *exif, GPtrArray *fields)
{
  gsize size, room = ROOM;
  const guint8 *data = g_bytes_get_data (exif, &size);
  TiffPlaces places = { exif_place (exif, TIFFTAG_EXIFIFD),
                        exif_place (exif, TIFFTAG_GPSIFD) };
  TiffFile file;

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    char *text = exif_text (exif, texts[i]);

    if (text != NULL)
      g_ptr_array_add (
        fields, image_chunk_new (TIFF_CHUNK, (int) texts[i],
                                 g_bytes_new_take (text, strlen (text) + 1)));
  }
  room += size;
  /* A further directory needs one before it, read or not. */
  if (tiff_file_open (&file, data, size, room)
      && TIFFCreateDirectory (file.tiff) == 0)
    tiffmeta_read_extras (&file, &places, &room, fields);
  tiff_file_close (&file);
}
