/* pngmeta.c - metadata of a PNG */
#include "imaging/codec/pngmeta.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "imaging/codec/profile.h"

enum {
  PHYS_SIZE = 9,     /* two numbers of 4 bytes, and the unit */
  ICC_NAME_MAX = 79, /* of the name in front of the profile */
};

static const guint8 exif_prefix[6] = "Exif\0";

/* An iTXt with XMP that is not compressed starts like this: the keyword, two
 * zeros for that, no language, no other keyword. */
static const char xmp_prefix[22] = "XML:com.adobe.xmp\0\0\0\0";

gboolean
pngmeta_may_copy (const char *name)
{
  /* A lower-case fourth letter means that the chunk does not depend on the
   * pixels.  Of the others we keep those known to remain valid; a copied iDOT
   * (Apple), which points into IDAT, or dSIG, a signature, would not. */
  static const char *const known[] = { "bKGD", "cHRM", "cICP", "cLLI", "cLLi",
                                       "gAMA", "hIST", "iCCP", "mDCV", "mDCv",
                                       "pCAL", "sBIT", "sCAL", "sPLT", "sRGB",
                                       "sTER", "tIME", NULL };

  return g_ascii_islower (name[3]) || g_strv_contains (known, name);
}

static guint32
read_u32 (const guint8 *data)
{
  guint32 value;

  memcpy (&value, data, sizeof value);
  return GUINT32_FROM_BE (value);
}

static void
write_u32 (guint8 *data, guint32 value)
{
  guint32 stored = GUINT32_TO_BE (value);

  memcpy (data, &stored, sizeof stored);
}

/* Skips the name and the method in front of a compressed profile.  Returns
 * NULL if there is no such profile. */
static GBytes *
packed_profile (const ImageChunk *iccp)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (iccp->data, &size);
  const guint8 *end =
    size > 0 ? memchr (data, '\0', MIN (size, ICC_NAME_MAX + 1)) : NULL;
  gsize start = end != NULL ? (gsize) (end - data) + 2 : size;

  if (start >= size || data[start - 1] != 0)
    return NULL;
  return g_bytes_new_from_bytes (iccp->data, start, size - start);
}

/* Reads exactly @size bytes; FALSE if there are fewer, or zlib fails. */
static gboolean
read_exactly (GInputStream *stream, guint8 *to, gsize size)
{
  gsize got;

  return g_input_stream_read_all (stream, to, size, &got, NULL, NULL)
         && got == size;
}

/* Whether there are more than @size bytes. */
static gboolean
has_more (GInputStream *stream, gsize size)
{
  guint8 part[4096];
  gsize got = sizeof part, all = 0;

  while (
    all <= size && got == sizeof part
    && g_input_stream_read_all (stream, part, sizeof part, &got, NULL, NULL))
    all += got;
  return all > size;
}

/* Decompresses the rest of a profile after @header, which starts with the
 * total size.  Leaves *@icc unchanged if there are fewer bytes than that. */
static gboolean
unpack_rest (GInputStream *stream, const guint8 *header, gsize max_size,
             GBytes **icc, GError **error)
{
  gsize size = profile_size (header);

  if (size < PROFILE_HEADER_SIZE
      || (size > max_size && !has_more (stream, max_size)))
    return TRUE;
  if (size > max_size) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                 "the color profile has %" G_GSIZE_FORMAT
                 " bytes, more than the limit for metadata",
                 size);
    return FALSE;
  }

  g_autofree guint8 *profile =
    tessera_try_new (guint8, size, "the color profile", error);

  if (profile == NULL)
    return FALSE;
  memcpy (profile, header, PROFILE_HEADER_SIZE);
  if (read_exactly (stream, profile + PROFILE_HEADER_SIZE,
                    size - PROFILE_HEADER_SIZE))
    *icc = g_bytes_new_take (g_steal_pointer (&profile), size);
  return TRUE;
}

static gboolean
interpret_iccp (const ImageChunk *iccp, gsize max_size, GBytes **icc,
                GError **error)
{
  g_autoptr (GBytes) packed = packed_profile (iccp);

  if (packed == NULL)
    return TRUE;

  g_autoptr (GInputStream) source =
    g_memory_input_stream_new_from_bytes (packed);
  g_autoptr (GZlibDecompressor) inflate =
    g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  g_autoptr (GInputStream) stream =
    g_converter_input_stream_new (source, G_CONVERTER (inflate));
  guint8 header[PROFILE_HEADER_SIZE];

  if (!read_exactly (stream, header, sizeof header))
    return TRUE;
  return unpack_rest (stream, header, max_size, icc, error);
}

/* Some programs leave in the prefix that belongs in a JPEG. */
static GBytes *
interpret_exif (const ImageChunk *exif)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (exif->data, &size);

  if (size >= sizeof exif_prefix
      && memcmp (data, exif_prefix, sizeof exif_prefix) == 0)
    return g_bytes_new_from_bytes (exif->data, sizeof exif_prefix,
                                   size - sizeof exif_prefix);
  return g_bytes_ref (exif->data);
}

static void
interpret_phys (const ImageChunk *phys, ImageMeta *meta)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (phys->data, &size);

  if (size != PHYS_SIZE)
    return;
  meta->density_x = read_u32 (data);
  meta->density_y = read_u32 (data + 4);
  meta->density_unit = data[8] == 1 ? DENSITY_PER_METRE : DENSITY_ASPECT;
}

static gboolean
is_xmp (const ImageChunk *chunk)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (chunk->data, &size);

  return g_str_equal (chunk->name, "iTXt") && size >= sizeof xmp_prefix
         && memcmp (data, xmp_prefix, sizeof xmp_prefix) == 0;
}

static const ImageChunk *
find_xmp (const GPtrArray *chunks)
{
  for (guint i = 0; chunks != NULL && i < chunks->len; i++)
    if (is_xmp (chunks->pdata[i]))
      return chunks->pdata[i];
  return NULL;
}

static ImageChunk *
make_xmp (GBytes *xmp)
{
  GByteArray *data = g_byte_array_new ();
  gsize size;
  const guint8 *packet = g_bytes_get_data (xmp, &size);

  g_byte_array_append (data, (const guint8 *) xmp_prefix, sizeof xmp_prefix);
  g_byte_array_append (data, packet, (guint) size);
  return image_chunk_new ("iTXt", PLACE_BEFORE_PLTE,
                          g_byte_array_free_to_bytes (data));
}

char *
pngmeta_text (const ImageChunk *chunk, int *tag)
{
  static const struct {
    const char *keyword;
    int tag;
  } known[] = { { "Title", 269 },
                { "Description", 270 },
                { "Software", 305 },
                { "Author", 315 },
                { "Copyright", 33432 } };
  gsize size;
  const char *data = g_bytes_get_data (chunk->data, &size);

  for (gsize i = 0;
       g_str_equal (chunk->name, "tEXt") && i < G_N_ELEMENTS (known); i++) {
    gsize length = strlen (known[i].keyword) + 1;

    if (size <= length || memcmp (data, known[i].keyword, length) != 0)
      continue;
    *tag = known[i].tag;
    return g_convert (data + length, (gssize) (size - length), "UTF-8",
                      "ISO-8859-1", NULL, NULL, NULL);
  }
  return NULL;
}

const char *
pngmeta_loses (const ImageMeta *meta, const ImageChunk *chunk,
               TesseraFormat to)
{
  static const char *const kept[] = { "iCCP", "eXIf", "pHYs", "sRGB", NULL };
  static const char *const texts[] = { "tEXt", "zTXt", "iTXt", NULL };
  static const char *const colours[] = { "gAMA", "cHRM", "cICP", NULL };
  g_autofree char *text = NULL;
  int tag;

  (void) meta;
  if (g_strv_contains (kept, chunk->name) || is_xmp (chunk))
    return NULL;
  if (to == TESSERA_TIFF && (text = pngmeta_text (chunk, &tag)) != NULL)
    return NULL;
  return g_strv_contains (texts, chunk->name)     ? "texts"
         : g_strv_contains (colours, chunk->name) ? "gamma and primaries"
                                                  : "chunks of PNG";
}

gboolean
pngmeta_interpret (ImageMeta *meta, gsize max_profile, GError **error)
{
  const ImageChunk *iccp = image_chunks_find (meta->chunks, "iCCP");
  const ImageChunk *exif = image_chunks_find (meta->chunks, "eXIf");
  const ImageChunk *phys = image_chunks_find (meta->chunks, "pHYs");
  const ImageChunk *xmp = find_xmp (meta->chunks);

  if (exif != NULL)
    meta->exif = interpret_exif (exif);
  if (phys != NULL)
    interpret_phys (phys, meta);
  if (xmp != NULL)
    meta->xmp = g_bytes_new_from_bytes (xmp->data, sizeof xmp_prefix,
                                        g_bytes_get_size (xmp->data)
                                          - sizeof xmp_prefix);
  if (iccp == NULL)
    return TRUE;
  if (!interpret_iccp (iccp, max_profile, &meta->icc, error))
    return FALSE;
  if (meta->icc == NULL) {
    profile_leave_out (meta);
    image_chunks_remove (meta->chunks, "iCCP");
  }
  return TRUE;
}

/* A chunk with the compressed profile, after a generic name. */
static ImageChunk *
make_iccp (GBytes *icc)
{
  static const char head[] = "ICC profile\0"; /* name, its end, method 0 */
  g_autoptr (GZlibCompressor) deflate =
    g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, -1);
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) packer =
    g_converter_output_stream_new (memory, G_CONVERTER (deflate));
  gsize size;
  gconstpointer profile = g_bytes_get_data (icc, &size);

  /* Writing to memory does not fail. */
  g_output_stream_write_all (memory, head, sizeof head, NULL, NULL, NULL);
  g_output_stream_write_all (packer, profile, size, NULL, NULL, NULL);
  g_output_stream_close (packer, NULL, NULL);
  return image_chunk_new (
    "iCCP", PLACE_BEFORE_PLTE,
    g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory)));
}

static guint32
per_metre (guint32 density, DensityUnit unit)
{
  switch (unit) {
  case DENSITY_PER_INCH:
    return (guint32) lround (density / 0.0254);
  case DENSITY_PER_CM:
    return density * 100;
  default:
    return density;
  }
}

static ImageChunk *
make_phys (const ImageMeta *meta)
{
  guint8 data[PHYS_SIZE];

  write_u32 (data, per_metre (meta->density_x, meta->density_unit));
  write_u32 (data + 4, per_metre (meta->density_y, meta->density_unit));
  data[8] = meta->density_unit == DENSITY_ASPECT ? 0 : 1;
  return image_chunk_new ("pHYs", PLACE_BEFORE_PLTE,
                          g_bytes_new (data, sizeof data));
}

/* Adds a chunk in front of all others, where any kind is allowed. */
static void
prepend (GPtrArray *chunks, ImageChunk *chunk)
{
  g_ptr_array_insert (chunks, 0, chunk);
}

GPtrArray *
pngmeta_chunks (const ImageMeta *meta)
{
  gboolean ours = meta->format == TESSERA_PNG;
  GPtrArray *chunks = image_chunks_copy (ours ? meta->chunks : NULL);

  if (meta->density_unit != DENSITY_NONE
      && !image_chunks_find (chunks, "pHYs"))
    prepend (chunks, make_phys (meta));
  if (meta->xmp != NULL && !find_xmp (chunks))
    prepend (chunks, make_xmp (meta->xmp));
  if (meta->exif != NULL && !image_chunks_find (chunks, "eXIf"))
    prepend (chunks, image_chunk_new ("eXIf", PLACE_BEFORE_PLTE,
                                      g_bytes_ref (meta->exif)));
  if (meta->icc != NULL && !image_chunks_find (chunks, "iCCP"))
    prepend (chunks, make_iccp (meta->icc));
  return chunks;
}
