/* tiff.c - TIFF, by libtiff: files in memory, and the row of the table */
#include "imaging/codec/tiffcodec.h"

#include <stdio.h>
#include <string.h>

/* ---- memory as a file ---- */

static tmsize_t
read_bytes (thandle_t handle, void *buffer, tmsize_t size)
{
  TiffFile *file = handle;
  const guint8 *data = file->data != NULL ? file->data : file->sink.data;
  gsize all = file->data != NULL ? file->size : file->sink.size;
  gsize left = file->at < all ? all - file->at : 0;
  gsize count = MIN (left, (gsize) MAX (0, size));

  if (count > 0)
    memcpy (buffer, data + file->at, count);
  file->at += count;
  return (tmsize_t) count;
}

/* Fills up to where the next byte goes, which may be behind the end. */
static gboolean
pad (TiffFile *file)
{
  static const guint8 zeros[4096];

  while (file->sink.size < file->at)
    if (!byte_sink_append (&file->sink, zeros,
                           MIN (sizeof zeros, file->at - file->sink.size)))
      return FALSE;
  return TRUE;
}

static tmsize_t
write_bytes (thandle_t handle, void *buffer, tmsize_t size)
{
  TiffFile *file = handle;
  gsize count = (gsize) size, over;

  if (file->data != NULL || size < 0)
    return 0;
  if (!pad (file)) {
    file->is_full = TRUE;
    return 0;
  }
  over = MIN (count, file->sink.size - file->at);
  if (over > 0)
    memcpy (file->sink.data + file->at, buffer, over);
  if (!byte_sink_append (&file->sink, (const guint8 *) buffer + over,
                         count - over)) {
    file->is_full = TRUE;
    return 0;
  }
  file->at += count;
  return size;
}

static toff_t
file_size (thandle_t handle)
{
  const TiffFile *file = handle;

  return file->data != NULL ? file->size : file->sink.size;
}

static toff_t
seek (thandle_t handle, toff_t offset, int whence)
{
  TiffFile *file = handle;

  if (whence == SEEK_CUR)
    offset += file->at;
  else if (whence == SEEK_END)
    offset += file_size (handle);
  file->at = (gsize) offset;
  return offset;
}

static int
close_nothing (thandle_t handle)
{
  (void) handle;
  return 0;
}

/* ---- directories ----
 *
 * A TIFF begins with its byte order, 42, and the place of a directory of 12
 * bytes for each of its fields, a BigTIFF with 43, and a directory has 20 for
 * each.  Behind the fields is the place of the next directory, or 0. */

typedef struct {
  const guint8 *data;
  gsize size;
  gboolean big_endian, is_big;
} Chain;

static Chain
open_chain (const guint8 *data, gsize size)
{
  Chain chain = { data, size, FALSE, FALSE };

  if (size >= 8) {
    chain.big_endian = data[0] == 'M';
    chain.is_big = data[2] == 43 || data[3] == 43;
  }
  return chain;
}

/* The number in @count bytes at @place; 0 if they are not there. */
static guint64
read_number (const Chain *chain, guint64 place, int count)
{
  guint64 value = 0;

  if (place > chain->size || chain->size - place < (gsize) count)
    return 0;
  for (int i = 0; i < count; i++)
    value = value << 8
            | chain->data[place
                          + (guint64) (chain->big_endian ? i
                                                         : count - 1 - i)];
  return value;
}

guint64
tiff_first_page (const guint8 *data, gsize size)
{
  Chain chain = open_chain (data, size);

  return chain.is_big ? read_number (&chain, 8, 8)
                      : read_number (&chain, 4, 4);
}

/* Where the directory at @place has the place of the next one, or 0 if that
 * is outside of the file. */
static guint64
end_of_directory (const Chain *chain, guint64 place)
{
  guint64 head = chain->is_big ? 8 : 2, each = chain->is_big ? 20 : 12;
  guint64 tail = chain->is_big ? 8 : 4;
  guint64 fields = read_number (chain, place, (int) head);

  if (place < 8 || fields == 0 || fields > chain->size / each
      || head + fields * each + tail > chain->size - place)
    return 0;
  return place + head + fields * each;
}

gboolean
tiff_is_page (const guint8 *data, gsize size, guint64 place)
{
  Chain chain = open_chain (data, size);

  return end_of_directory (&chain, place) > 0;
}

guint64
tiff_next_page (const guint8 *data, gsize size, guint64 place)
{
  Chain chain = open_chain (data, size);
  guint64 end = end_of_directory (&chain, place);

  return end > 0 ? read_number (&chain, end, chain.is_big ? 8 : 4) : 0;
}

/* As far as the chain goes: to its end, to a place where no directory can be,
 * or to a page that was there already. */
static void
find_pages (const guint8 *data, gsize size, GArray *places)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint64 place = tiff_first_page (data, size);

  while (tiff_is_page (data, size, place) && places->len < G_MAXINT
         && g_hash_table_add (seen, GSIZE_TO_POINTER (place))) {
    g_array_append_val (places, place);
    place = tiff_next_page (data, size, place);
  }
}

/* ---- messages ---- */

/* Messages may hold bytes of the file. */
static char *
clean (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (char *p = valid; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = ' ';
  return g_steal_pointer (&valid);
}

static int
on_error (TIFF *tiff, void *user_data, const char *module, const char *format,
          va_list args)
{
  TiffFile *file = user_data;

  (void) tiff;
  (void) module;
  if (file->message == NULL) {
    g_autofree char *text = g_strdup_vprintf (format, args);

    file->message = clean (text);
  }
  return 1;
}

/* Warnings about a block after which all of it is there.  libtiff has no
 * codes, only words. */
static gboolean
is_harmless (const char *text)
{
  return strstr (text, "extraneous bytes") != NULL           /* JPEG */
         || strstr (text, "not terminated with EOI") != NULL /* LZW */
         || strstr (text, "Discarding") != NULL;             /* PackBits */
}

static int
on_warning (TIFF *tiff, void *user_data, const char *module,
            const char *format, va_list args)
{
  TiffFile *file = user_data;
  g_autofree char *text = NULL;

  (void) tiff;
  (void) module;
  if (file->warning != NULL)
    return 1;
  text = g_strdup_vprintf (format, args);
  if (!is_harmless (text))
    file->warning = clean (text);
  return 1;
}

static gboolean
open_with (TiffFile *file, const char *mode, gsize max_piece)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();

  if (options == NULL)
    return FALSE;
  if (max_piece > 0)
    TIFFOpenOptionsSetMaxSingleMemAlloc (options, (tmsize_t) max_piece);
  TIFFOpenOptionsSetErrorHandlerExtR (options, on_error, file);
  TIFFOpenOptionsSetWarningHandlerExtR (options, on_warning, file);
  file->tiff =
    TIFFClientOpenExt ("picture", mode, file, read_bytes, write_bytes, seek,
                       close_nothing, file_size, NULL, NULL, options);
  TIFFOpenOptionsFree (options);
  return file->tiff != NULL;
}

gboolean
tiff_file_open (TiffFile *file, const guint8 *data, gsize size,
                gsize max_piece)
{
  *file = (TiffFile){ .data = data, .size = size };
  return open_with (file, "rhm", max_piece);
}

/* libtiff looks for the last directory from the first one on, each time.  It
 * is led to the last one: while a page is added, that is the first. */
static void
set_first_page (ByteSink *sink, guint64 place)
{
  guint32 narrow = (guint32) place; /* as long as we write no BigTIFF */

  memcpy (sink->data + 4, &narrow, sizeof narrow);
}

gboolean
tiff_file_create (TiffFile *file, PageSink *pages)
{
  gboolean is_new = pages->bytes.size == 0;

  *file = (TiffFile){ .sink = pages->bytes };
  pages->bytes = (ByteSink){ 0 };
  if (!is_new)
    set_first_page (&file->sink, pages->last);
  return open_with (file, is_new ? "w" : "a", 0);
}

gboolean
tiff_file_finish (TiffFile *file, PageSink *pages)
{
  ByteSink *sink = &file->sink;

  TIFFClose (file->tiff);
  file->tiff = NULL;
  if (file->is_full)
    return FALSE;
  if (pages->last == 0)
    pages->first = pages->last = tiff_first_page (sink->data, sink->size);
  else
    pages->last = tiff_next_page (sink->data, sink->size, pages->last);
  set_first_page (sink, pages->first);
  pages->bytes = *sink;
  *sink = (ByteSink){ 0 };
  return TRUE;
}

void
tiff_file_close (TiffFile *file)
{
  if (file->tiff != NULL)
    TIFFClose (file->tiff);
  file->tiff = NULL;
  byte_sink_clear (&file->sink);
  g_clear_pointer (&file->message, g_free);
  g_clear_pointer (&file->warning, g_free);
}

gboolean
tiff_file_fail (const TiffFile *file, TesseraError code, const char *trouble,
                GError **error)
{
  const char *why = file->message != NULL ? file->message : file->warning;

  if (file->message != NULL
      && strstr (file->message, "llowed limit") != NULL)
    return tessera_fail (error, TESSERA_ERROR_LIMIT, "%s: %s", trouble,
                         file->message);
  return tessera_fail (error, code, "%s%s%s", trouble,
                       why != NULL ? ": " : "", why != NULL ? why : "");
}

/* ---- */

void
tiff_store_set (ImageMeta *meta, guint32 tag, guint32 value)
{
  g_ptr_array_add (meta->chunks,
                   image_chunk_new (TIFF_CHUNK_STORE, (int) tag,
                                    g_bytes_new (&value, sizeof value)));
}

guint32
tiff_store_get (const ImageMeta *meta, guint32 tag, guint32 otherwise)
{
  guint32 value = otherwise;

  if (meta->format != TESSERA_TIFF || meta->chunks == NULL)
    return otherwise;
  for (guint i = 0; i < meta->chunks->len; i++) {
    const ImageChunk *chunk = meta->chunks->pdata[i];

    if (chunk->place == (int) tag
        && g_str_equal (chunk->name, TIFF_CHUNK_STORE))
      memcpy (&value, g_bytes_get_data (chunk->data, NULL), sizeof value);
  }
  return value;
}

static gboolean
has_signature (const guint8 *data, gsize size)
{
  static const char signatures[][4] = {
    { 'I', 'I', 42, 0 }, { 'M', 'M', 0, 42 }, /* TIFF */
    { 'I', 'I', 43, 0 }, { 'M', 'M', 0, 43 }, /* BigTIFF */
  };

  for (gsize i = 0; size >= 8 && i < G_N_ELEMENTS (signatures); i++)
    if (memcmp (data, signatures[i], sizeof signatures[i]) == 0)
      return TRUE;
  return FALSE;
}

static Image *
decode (const guint8 *data, gsize size, const ImageLimits *limits,
        GError **error)
{
  return tiffcodec_read (data, size, tiff_first_page (data, size), limits,
                         error);
}

static GBytes *
encode (const Image *image, const EncodeOptions *options, GError **error)
{
  PageSink pages = { 0 };

  return tiffcodec_append (image, &pages, options, error)
           ? byte_sink_finish (&pages.bytes)
           : NULL;
}

static Image *
decode_page (const guint8 *data, gsize size, guint64 place,
             const ImageLimits *limits, GError **error)
{
  return place == 0 ? decode (data, size, limits, error)
                    : tiffcodec_read (data, size, place, limits, error);
}

static const char *const extensions[] = { "tif", "tiff", NULL };

const Codec codec_tiff = {
  .format = TESSERA_TIFF,
  .name = "TIFF",
  .type = "image/tiff",
  .extensions = extensions,
  .stores_orientation = TRUE,
  .stores_premultiplied = TRUE,
  .matches = has_signature,
  .decode = decode,
  .encode = encode,
  .loses = tiffmeta_loses,
  .find_pages = find_pages,
  .decode_page = decode_page,
  .append = tiffcodec_append,
};
