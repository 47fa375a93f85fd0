/* jpegmeta.c - metadata of a JPEG */
#include "imaging/codec/jpegmeta.h"

#include "imaging/codec/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MARKER_MAX = 65533, /* bytes in one marker segment */
  ICC_PIECES_MAX = 255,
  ICC_PIECE_MAX = MARKER_MAX - 14, /* after tag, number and count */
  DENSITY_MAX = 65535,
};

/* How the content of a marker segment starts; see is_tagged(). */
typedef struct {
  int marker;
  const char *bytes;
  gsize size;
} Tag;

static const Tag tag_exif = { JPEG_APP0 + 1, "Exif\0", 6 };
static const Tag tag_icc = { JPEG_APP0 + 2, "ICC_PROFILE", 12 };
static const Tag tag_xmp = { JPEG_APP0 + 1, "http://ns.adobe.com/xap/1.0/", 29 };
static const Tag tag_resources = { JPEG_APP0 + 13, "Photoshop 3.0", 14 };

/* libjpeg writes the first two.  The last one is an index of further pictures
 * after the end of this one, which are not kept. */
static const Tag tags_dropped[] = {
  { JPEG_APP0, "JFIF", 5 },
  { JPEG_APP0 + 14, "Adobe", 5 },
  { JPEG_APP0 + 2, "MPF", 4 },
};

static gboolean
is_tagged (const ImageChunk *chunk, const Tag *tag)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (chunk->data, &size);

  return chunk->place == tag->marker && size >= tag->size
         && memcmp (data, tag->bytes, tag->size) == 0;
}

static gboolean
is_dropped (const ImageChunk *chunk)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tags_dropped); i++)
    if (is_tagged (chunk, &tags_dropped[i]))
      return TRUE;
  return FALSE;
}

/* The first chunk with that tag, or NULL.  @chunks may be NULL. */
static const ImageChunk *
find_tagged (const GPtrArray *chunks, const Tag *tag)
{
  for (guint i = 0; chunks != NULL && i < chunks->len; i++)
    if (is_tagged (chunks->pdata[i], tag))
      return chunks->pdata[i];
  return NULL;
}

static void
remove_tagged (GPtrArray *chunks, const Tag *tag)
{
  for (guint i = chunks->len; i > 0; i--)
    if (is_tagged (chunks->pdata[i - 1], tag))
      g_ptr_array_remove_index (chunks, i - 1);
}

static ImageChunk *
chunk_of_marker (const struct jpeg_marker_struct *marker)
{
  char name[sizeof ((ImageChunk *) NULL)->name] = "COM";

  if (marker->marker != JPEG_COM)
    g_snprintf (name, sizeof name, "APP%d", marker->marker - JPEG_APP0);
  return image_chunk_new (name, marker->marker,
                          g_bytes_new (marker->data, marker->data_length));
}

static void
read_chunks (j_decompress_ptr cinfo, ImageMeta *meta)
{
  meta->chunks = image_chunks_new ();
  for (jpeg_saved_marker_ptr m = cinfo->marker_list; m != NULL; m = m->next) {
    ImageChunk *chunk = chunk_of_marker (m);

    if (is_dropped (chunk))
      image_chunk_free (chunk);
    else
      g_ptr_array_add (meta->chunks, chunk);
  }
}

/* What follows the tag in the first chunk that has it, or NULL. */
static GBytes *
read_tagged (const ImageMeta *meta, const Tag *tag)
{
  const ImageChunk *chunk = find_tagged (meta->chunks, tag);

  return chunk != NULL
           ? g_bytes_new_from_bytes (chunk->data, tag->size,
                                     g_bytes_get_size (chunk->data)
                                       - tag->size)
           : NULL;
}

static void
read_icc (j_decompress_ptr cinfo, ImageMeta *meta)
{
  JOCTET *profile;
  unsigned int size;
  GBytes *data = NULL;

  if (find_tagged (meta->chunks, &tag_icc) == NULL)
    return;
  if (jpeg_read_icc_profile (cinfo, &profile, &size))
    data = g_bytes_new_with_free_func (profile, size, free, profile);
  if (!profile_set (meta, data))
    remove_tagged (meta->chunks, &tag_icc);
}

static void
read_density (j_decompress_ptr cinfo, ImageMeta *meta)
{
  static const DensityUnit units[] = { DENSITY_ASPECT, DENSITY_PER_INCH,
                                       DENSITY_PER_CM };

  if (!cinfo->saw_JFIF_marker || cinfo->density_unit >= G_N_ELEMENTS (units))
    return;
  meta->density_unit = units[cinfo->density_unit];
  meta->density_x = cinfo->X_density;
  meta->density_y = cinfo->Y_density;
}

void
jpegmeta_read (j_decompress_ptr cinfo, ImageMeta *meta)
{
  meta->format = TESSERA_JPEG;
  read_chunks (cinfo, meta);
  meta->exif = read_tagged (meta, &tag_exif);
  meta->xmp = read_tagged (meta, &tag_xmp);
  meta->resources = read_tagged (meta, &tag_resources);
  read_icc (cinfo, meta);
  read_density (cinfo, meta);
}

/* Whether @bytes, which may be NULL, fit into a marker with that tag. */
static gboolean
has_room (const Tag *tag, GBytes *bytes)
{
  return bytes == NULL || g_bytes_get_size (bytes) <= MARKER_MAX - tag->size;
}

const char *
jpegmeta_loses (const ImageMeta *meta, const ImageChunk *chunk,
                TesseraFormat to)
{
  (void) meta;
  if (is_tagged (chunk, &tag_exif) || is_tagged (chunk, &tag_icc)
      || is_tagged (chunk, &tag_xmp))
    return NULL;
  if (is_tagged (chunk, &tag_resources))
    return to == TESSERA_TIFF ? NULL : "IPTC data";
  return chunk->place == JPEG_COM ? "comments" : "markers of JPEG";
}

gboolean
jpegmeta_fits (const ImageMeta *meta, GError **error)
{
  gsize icc = meta->icc != NULL ? g_bytes_get_size (meta->icc) : 0;
  const char *what = NULL;

  if (!has_room (&tag_exif, meta->exif))
    what = "EXIF data";
  else if (!has_room (&tag_xmp, meta->xmp))
    what = "XMP data";
  else if (!has_room (&tag_resources, meta->resources))
    what = "IPTC data";
  else if (icc > (gsize) ICC_PIECES_MAX * ICC_PIECE_MAX)
    what = "color profile";
  if (what == NULL)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "the %s is too large for a JPEG; write a PNG instead", what);
  return FALSE;
}

/* A density that JFIF can hold; the unit is as in JFIF. */
typedef struct {
  UINT8 unit;
  guint32 x, y;
} JfifDensity;

/* Inches, the usual unit, unless centimetres are exact. */
static JfifDensity
from_metre (guint32 x, guint32 y)
{
  if (x % 100 == 0 && y % 100 == 0)
    return (JfifDensity){ 2, x / 100, y / 100 };
  return (JfifDensity){ 1, (guint32) lround (x * 0.0254),
                        (guint32) lround (y * 0.0254) };
}

static JfifDensity
jfif_density (const ImageMeta *meta)
{
  guint32 x = meta->density_x, y = meta->density_y;

  switch (meta->density_unit) {
  case DENSITY_PER_METRE:
    return from_metre (x, y);
  case DENSITY_PER_INCH:
    return (JfifDensity){ 1, x, y };
  case DENSITY_PER_CM:
    return (JfifDensity){ 2, x, y };
  default:
    for (; x > DENSITY_MAX || y > DENSITY_MAX; x /= 2, y /= 2)
      ; /* only their ratio counts */
    return (JfifDensity){ 0, x, y };
  }
}

void
jpegmeta_set_density (j_compress_ptr cinfo, const ImageMeta *meta)
{
  JfifDensity density = jfif_density (meta);

  if (meta->density_unit == DENSITY_NONE) {
    /* A camera's file often has EXIF in place of JFIF. */
    cinfo->write_JFIF_header &= meta->format != TESSERA_JPEG;
    return;
  }
  if (density.x > DENSITY_MAX || density.y > DENSITY_MAX)
    return;
  cinfo->density_unit = density.unit;
  cinfo->X_density = (UINT16) density.x;
  cinfo->Y_density = (UINT16) density.y;
}

static void
write_tagged (j_compress_ptr cinfo, const Tag *tag, GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  jpeg_write_m_header (cinfo, tag->marker, (unsigned int) (tag->size + size));
  for (gsize i = 0; i < tag->size; i++)
    jpeg_write_m_byte (cinfo, tag->bytes[i]);
  for (gsize i = 0; i < size; i++)
    jpeg_write_m_byte (cinfo, data[i]);
}

static void
write_icc (j_compress_ptr cinfo, GBytes *icc)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (icc, &size);

  if (size > 0)
    jpeg_write_icc_profile (cinfo, data, (unsigned int) size);
}

static void
write_chunk (j_compress_ptr cinfo, const ImageChunk *chunk)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (chunk->data, &size);

  jpeg_write_marker (cinfo, chunk->place, data, (unsigned int) size);
}

void
jpegmeta_write (j_compress_ptr cinfo, const ImageMeta *meta)
{
  const GPtrArray *chunks = meta->format == TESSERA_JPEG ? meta->chunks : NULL;

  if (meta->exif != NULL && !find_tagged (chunks, &tag_exif))
    write_tagged (cinfo, &tag_exif, meta->exif);
  if (meta->xmp != NULL && !find_tagged (chunks, &tag_xmp))
    write_tagged (cinfo, &tag_xmp, meta->xmp);
  if (meta->resources != NULL && !find_tagged (chunks, &tag_resources))
    write_tagged (cinfo, &tag_resources, meta->resources);
  if (meta->icc != NULL && !find_tagged (chunks, &tag_icc))
    write_icc (cinfo, meta->icc);
  for (guint i = 0; chunks != NULL && i < chunks->len; i++)
    write_chunk (cinfo, chunks->pdata[i]);
}
