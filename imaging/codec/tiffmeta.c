/* tiffmeta.c - fields of a TIFF directory that describe the picture */
#include "imaging/codec/tiffcodec.h"

#include "imaging/codec/pngmeta.h"
#include "imaging/codec/profile.h"

#include <math.h>
#include <string.h>

/* Kept as they are.  Profile and orientation are not among them, since other
 * formats have these too; the resolution is, for its fractions. */
static const guint32 kept[] = {
  TIFFTAG_SUBFILETYPE, TIFFTAG_DOCUMENTNAME,   TIFFTAG_IMAGEDESCRIPTION,
  TIFFTAG_MAKE,        TIFFTAG_MODEL,          TIFFTAG_XRESOLUTION,
  TIFFTAG_YRESOLUTION, TIFFTAG_PAGENAME,       TIFFTAG_XPOSITION,
  TIFFTAG_YPOSITION,   TIFFTAG_RESOLUTIONUNIT, TIFFTAG_SOFTWARE,
  TIFFTAG_DATETIME,    TIFFTAG_ARTIST,         TIFFTAG_HOSTCOMPUTER,
  TIFFTAG_XMLPACKET,   TIFFTAG_COPYRIGHT,      TIFFTAG_RICHTIFFIPTC,
  TIFFTAG_PHOTOSHOP,   TIFFTAG_WHITEPOINT,     TIFFTAG_PRIMARYCHROMATICITIES,
};

/* Directories beside that of the page. */
typedef struct {
  const char *name; /* of chunks */
  int (*read) (TIFF *tiff, toff_t place);
  int (*create) (TIFF *tiff);
} Extra;

static const Extra extra_exif = { TIFF_CHUNK_EXIF, TIFFReadEXIFDirectory,
                                  TIFFCreateEXIFDirectory };
static const Extra extra_gps = { TIFF_CHUNK_GPS, TIFFReadGPSDirectory,
                                 TIFFCreateGPSDirectory };

/* In the EXIF directory: the place of a further one, which is not kept. */
#define TAG_INTEROPERABILITY 40965

static gboolean
is_named (const ImageChunk *chunk, const char *name)
{
  return g_str_equal (chunk->name, name);
}

/* ---- one field ---- */

/* Bytes of one value in memory. */
static gsize
value_size (const TIFFField *field)
{
  return (gsize) TIFFFieldSetGetSize ((TIFFField *) field);
}

/* The values of a field, or NULL if it is not there. */
static GBytes *
get_field (TIFF *tiff, const TIFFField *field)
{
  guint32 tag = TIFFFieldTag (field);
  gsize size = value_size (field);
  int count = TIFFFieldReadCount (field);
  guint32 many = 0;
  guint16 some = 0;
  void *values = NULL;
  guint8 one[8] = { 0 };

  if (TIFFFieldPassCount (field)) {
    gboolean long_count = count == TIFF_VARIABLE2;

    if (long_count ? !TIFFGetField (tiff, tag, &many, &values)
                   : !TIFFGetField (tiff, tag, &some, &values))
      return NULL;
    many = long_count ? many : some;
    return values != NULL ? g_bytes_new (values, many * size) : NULL;
  }
  if (TIFFFieldDataType (field) == TIFF_ASCII) {
    if (!TIFFGetField (tiff, tag, &values) || values == NULL)
      return NULL;
    return g_bytes_new (values, strlen (values) + 1);
  }
  if (count > 1)
    return TIFFGetField (tiff, tag, &values) && values != NULL
             ? g_bytes_new (values, (gsize) count * size)
             : NULL;
  return size <= sizeof one && TIFFGetField (tiff, tag, one)
           ? g_bytes_new (one, size)
           : NULL;
}

static void
set_one (TIFF *tiff, guint32 tag, TIFFDataType type, const void *data,
         gsize size)
{
  if (type == TIFF_FLOAT || type == TIFF_DOUBLE || type == TIFF_RATIONAL
      || type == TIFF_SRATIONAL) {
    double real = 0;

    if (size == sizeof (float)) {
      float narrow;

      memcpy (&narrow, data, sizeof narrow);
      real = narrow;
    } else
      memcpy (&real, data, sizeof real);
    TIFFSetField (tiff, tag, real);
  } else if (size == 8) {
    guint64 wide;

    memcpy (&wide, data, sizeof wide);
    TIFFSetField (tiff, tag, wide);
  } else {
    guint32 number = 0;

    /* The bytes of a small number, on either kind of machine. */
    if (size == 1)
      number = *(const guint8 *) data;
    else if (size == 2) {
      guint16 narrow;

      memcpy (&narrow, data, sizeof narrow);
      number = narrow;
    } else
      memcpy (&number, data, MIN (size, sizeof number));
    TIFFSetField (tiff, tag, number);
  }
}

static void
set_field (TIFF *tiff, const ImageChunk *chunk)
{
  guint32 tag = (guint32) chunk->place;
  const TIFFField *field = TIFFFindField (tiff, tag, TIFF_ANY);
  gsize size;
  const void *data = g_bytes_get_data (chunk->data, &size);
  gsize each = field != NULL ? value_size (field) : 0;

  if (each == 0 || size == 0)
    return;
  if (TIFFFieldPassCount (field)) {
    if (TIFFFieldWriteCount (field) == TIFF_VARIABLE2)
      TIFFSetField (tiff, tag, (guint32) (size / each), data);
    else
      TIFFSetField (tiff, tag, (int) MIN (size / each, G_MAXUINT16), data);
  } else if (TIFFFieldDataType (field) == TIFF_ASCII
             || TIFFFieldWriteCount (field) > 1)
    TIFFSetField (tiff, tag, data);
  else
    set_one (tiff, tag, TIFFFieldDataType (field), data, size);
}

/* ---- reading ---- */

/* Keeps a field if it is there; FALSE when there is no room for it. */
static gboolean
keep_field (TiffFile *file, const char *name, guint32 tag, gsize *room,
            GPtrArray *chunks)
{
  const TIFFField *field = TIFFFindField (file->tiff, tag, TIFF_ANY);
  GBytes *values = field != NULL ? get_field (file->tiff, field) : NULL;
  gsize size = values != NULL ? g_bytes_get_size (values) : 0;

  if (values == NULL)
    return TRUE;
  if (size > *room) {
    g_bytes_unref (values);
    return FALSE;
  }
  *room -= size;
  g_ptr_array_add (chunks, image_chunk_new (name, (int) tag, values));
  return TRUE;
}

static gboolean
is_anonymous (TIFF *tiff, guint32 tag)
{
  const TIFFField *field = TIFFFindField (tiff, tag, TIFF_ANY);

  return field == NULL || TIFFFieldIsAnonymous (field);
}

static gboolean
read_extra (TiffFile *file, const Extra *extra, guint64 place, gsize *room,
            GPtrArray *chunks)
{
  gboolean ok = TRUE;

  if (place == 0 || !extra->read (file->tiff, place)) {
    g_clear_pointer (&file->message, g_free);
    return TRUE;
  }
  /* libtiff lists only fields that are not basic ones; here are no others. */
  for (int i = 0; ok && i < TIFFGetTagListCount (file->tiff); i++) {
    guint32 tag = TIFFGetTagListEntry (file->tiff, i);

    if (tag != TAG_INTEROPERABILITY && !is_anonymous (file->tiff, tag))
      ok = keep_field (file, extra->name, tag, room, chunks);
  }
  g_clear_pointer (&file->message, g_free);
  return ok;
}

gboolean
tiffmeta_read_extras (TiffFile *file, const TiffPlaces *places, gsize *room,
                      GPtrArray *chunks)
{
  return read_extra (file, &extra_exif, places->exif, room, chunks)
         && read_extra (file, &extra_gps, places->gps, room, chunks);
}

static gboolean
is_kept (guint32 tag)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    if (kept[i] == tag)
      return TRUE;
  return tag == TIFFTAG_ICCPROFILE || tag == TIFFTAG_EXIFIFD
         || tag == TIFFTAG_GPSIFD;
}

/* Notes fields that say something, as far as anybody knows, and are not
 * kept. */
static void
note_others (TIFF *tiff, ImageMeta *meta)
{
  g_autoptr (GString) tags = g_string_new (NULL);
  guint16 *red, *green, *blue;

  for (int i = 0; i < TIFFGetTagListCount (tiff); i++) {
    guint32 tag = TIFFGetTagListEntry (tiff, i);

    if (!is_kept (tag))
      g_string_append_printf (tags, "%s%u", tags->len > 0 ? " " : "", tag);
  }
  if (tags->len > 0) {
    g_string_prepend (tags, "TIFF fields ");
    image_leave_out (meta, tags->str);
  }
  if (TIFFGetField (tiff, TIFFTAG_TRANSFERFUNCTION, &red, &green, &blue))
    image_leave_out (meta, "the transfer function");
}

static gboolean
read_profile (TiffFile *file, gsize *room, ImageMeta *meta)
{
  guint32 size;
  const void *data;

  if (!TIFFGetField (file->tiff, TIFFTAG_ICCPROFILE, &size, &data)
      || size == 0)
    return TRUE;
  if (size > *room)
    return FALSE;
  *room -= size;
  profile_set (meta, g_bytes_new (data, size));
  return TRUE;
}

/* In whole numbers, for other formats. */
static void
read_density (TIFF *tiff, ImageMeta *meta)
{
  static const DensityUnit units[] = { DENSITY_NONE, DENSITY_ASPECT,
                                       DENSITY_PER_INCH, DENSITY_PER_CM };
  guint16 unit = RESUNIT_INCH;
  float x, y;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
  if (unit >= G_N_ELEMENTS (units)
      || !TIFFGetField (tiff, TIFFTAG_XRESOLUTION, &x)
      || !TIFFGetField (tiff, TIFFTAG_YRESOLUTION, &y) || !(x >= 0.5f)
      || !(y >= 0.5f) || x > 1e6f || y > 1e6f)
    return;
  meta->density_unit = units[unit];
  meta->density_x = (guint32) lroundf (x);
  meta->density_y = (guint32) lroundf (y);
}

static const ImageChunk *
find_field (const ImageMeta *meta, guint32 tag)
{
  for (guint i = 0; i < meta->chunks->len; i++) {
    const ImageChunk *chunk = meta->chunks->pdata[i];

    if (is_named (chunk, TIFF_CHUNK) && chunk->place == (int) tag)
      return chunk;
  }
  return NULL;
}

/* Whether resources of Photoshop, which may be NULL, hold IPTC data. */
static gboolean
has_iptc (GBytes *resources)
{
  static const char head[6] = { '8', 'B', 'I', 'M', 4, 4 };
  gsize size = 0;
  const void *data =
    resources != NULL ? g_bytes_get_data (resources, &size) : NULL;

  return data != NULL && memmem (data, size, head, sizeof head) != NULL;
}

/* @resources, which may be NULL, and IPTC data among them.  libtiff takes
 * these for whole numbers, and turns their bytes where the file has another
 * order; IPTC data begin with 0x1C. */
static GBytes *
add_iptc (GBytes *resources, GBytes *iptc)
{
  static const guint8 head[8] = { '8', 'B', 'I', 'M', 4, 4, 0, 0 };
  GByteArray *all = g_byte_array_new ();
  gsize size = 0, before = 0;
  const guint8 *data = g_bytes_get_data (iptc, &size);
  gboolean is_turned = size >= 4 && data[0] != 0x1c && data[3] == 0x1c;
  guint32 length = GUINT32_TO_BE ((guint32) size);

  if (resources != NULL) {
    const guint8 *old = g_bytes_get_data (resources, &before);

    g_byte_array_append (all, old, (guint) before);
  }
  g_byte_array_append (all, head, sizeof head);
  g_byte_array_append (all, (const guint8 *) &length, sizeof length);
  for (gsize i = 0; i < size; i++)
    g_byte_array_append (all, data + (is_turned ? i ^ 3 : i), 1);
  if (size % 2 != 0)
    g_byte_array_append (all, (const guint8 *) "", 1);
  return g_byte_array_free_to_bytes (all);
}

/* What other formats have too. */
static void
interpret (ImageMeta *meta)
{
  const ImageChunk *xmp = find_field (meta, TIFFTAG_XMLPACKET);
  const ImageChunk *resources = find_field (meta, TIFFTAG_PHOTOSHOP);
  const ImageChunk *iptc = find_field (meta, TIFFTAG_RICHTIFFIPTC);

  if (xmp != NULL)
    meta->xmp = g_bytes_ref (xmp->data);
  if (resources != NULL)
    meta->resources = g_bytes_ref (resources->data);
  if (iptc != NULL && !has_iptc (meta->resources)) {
    GBytes *both = add_iptc (meta->resources, iptc->data);

    g_clear_pointer (&meta->resources, g_bytes_unref);
    meta->resources = both;
  }
  meta->exif = tiffexif_pack (meta);
}

gboolean
tiffmeta_read (TiffFile *file, const ImageLimits *limits, ImageMeta *meta,
               GError **error)
{
  gsize room = limits->max_metadata;
  guint16 orientation = 1;
  gboolean ok = read_profile (file, &room, meta);
  toff_t exif = 0, gps = 0;

  for (gsize i = 0; ok && i < G_N_ELEMENTS (kept); i++)
    ok = keep_field (file, TIFF_CHUNK, kept[i], &room, meta->chunks);
  note_others (file->tiff, meta);
  read_density (file->tiff, meta);
  if (TIFFGetField (file->tiff, TIFFTAG_ORIENTATION, &orientation)
      && orientation >= 1 && orientation <= 8)
    meta->orientation = orientation;
  TIFFGetField (file->tiff, TIFFTAG_EXIFIFD, &exif);
  TIFFGetField (file->tiff, TIFFTAG_GPSIFD, &gps);
  if (!ok
      || !tiffmeta_read_extras (file, &(TiffPlaces){ exif, gps }, &room,
                                meta->chunks))
    return tessera_fail (
      error, TESSERA_ERROR_LIMIT,
      "the metadata of the TIFF has more than %" G_GSIZE_FORMAT " bytes",
      limits->max_metadata);
  interpret (meta);
  return TRUE;
}

const char *
tiffmeta_loses (const ImageMeta *meta, const ImageChunk *chunk,
                TesseraFormat to)
{
  if (is_named (chunk, TIFF_CHUNK_STORE))
    return NULL;
  if (!is_named (chunk, TIFF_CHUNK))
    return meta->exif == NULL ? "EXIF data" : NULL;
  switch (chunk->place) {
  case TIFFTAG_PHOTOSHOP:
  case TIFFTAG_RICHTIFFIPTC:
    return to == TESSERA_JPEG ? NULL : "IPTC data";
  case TIFFTAG_WHITEPOINT:
  case TIFFTAG_PRIMARYCHROMATICITIES:
    return "white point and primaries";
  case TIFFTAG_XPOSITION:
  case TIFFTAG_YPOSITION:
    return "the position on the page";
  default:
    return NULL;
  }
}

/* ---- writing ---- */

static void
set_density (TIFF *tiff, const ImageMeta *meta)
{
  static const int units[] = { [DENSITY_ASPECT] = RESUNIT_NONE,
                               [DENSITY_PER_METRE] = RESUNIT_CENTIMETER,
                               [DENSITY_PER_CM] = RESUNIT_CENTIMETER,
                               [DENSITY_PER_INCH] = RESUNIT_INCH };
  double scale = meta->density_unit == DENSITY_PER_METRE ? 0.01 : 1;

  if (meta->density_unit == DENSITY_NONE)
    return;
  TIFFSetField (tiff, TIFFTAG_RESOLUTIONUNIT, units[meta->density_unit]);
  TIFFSetField (tiff, TIFFTAG_XRESOLUTION, meta->density_x * scale);
  TIFFSetField (tiff, TIFFTAG_YRESOLUTION, meta->density_y * scale);
}

static void
add_blob (GPtrArray *fields, guint32 tag, GBytes *bytes)
{
  if (bytes != NULL)
    g_ptr_array_add (
      fields, image_chunk_new (TIFF_CHUNK, (int) tag, g_bytes_ref (bytes)));
}

static gboolean
has_tag (const GPtrArray *fields, int tag)
{
  for (guint i = 0; i < fields->len; i++) {
    const ImageChunk *field = fields->pdata[i];

    if (is_named (field, TIFF_CHUNK) && field->place == tag)
      return TRUE;
  }
  return FALSE;
}

/* Texts of a PNG, unless its EXIF data have had their say. */
static void
add_texts (GPtrArray *fields, const GPtrArray *chunks)
{
  for (guint i = 0; i < chunks->len; i++) {
    int tag = 0;
    char *text = pngmeta_text (chunks->pdata[i], &tag);

    if (text == NULL || has_tag (fields, tag))
      g_free (text);
    else
      g_ptr_array_add (
        fields, image_chunk_new (TIFF_CHUNK, tag,
                                 g_bytes_new_take (text, strlen (text) + 1)));
  }
}

GPtrArray *
tiffmeta_fields (const ImageMeta *meta)
{
  GPtrArray *fields;

  if (meta->format == TESSERA_TIFF)
    return image_chunks_copy (meta->chunks);
  fields = image_chunks_new ();
  add_blob (fields, TIFFTAG_XMLPACKET, meta->xmp);
  add_blob (fields, TIFFTAG_PHOTOSHOP, meta->resources);
  if (meta->exif != NULL)
    tiffexif_unpack (meta->exif, fields);
  if (meta->format == TESSERA_PNG && meta->chunks != NULL)
    add_texts (fields, meta->chunks);
  return fields;
}

static void
set_fields (TIFF *tiff, const GPtrArray *fields, const char *name)
{
  for (guint i = 0; i < fields->len; i++)
    if (is_named (fields->pdata[i], name))
      set_field (tiff, fields->pdata[i]);
}

static gboolean
write_extra (TIFF *tiff, const Extra *extra, const GPtrArray *fields,
             guint64 *place)
{
  *place = 0;
  if (image_chunks_find (fields, extra->name) == NULL)
    return TRUE;
  if (extra->create (tiff) != 0)
    return FALSE;
  set_fields (tiff, fields, extra->name);
  if (!TIFFWriteCustomDirectory (tiff, place))
    return FALSE;
  TIFFFreeDirectory (tiff); /* the next one takes its place */
  return TIFFCreateDirectory (tiff) == 0;
}

gboolean
tiffmeta_write_extras (TiffFile *file, const GPtrArray *fields,
                       TiffPlaces *places)
{
  return write_extra (file->tiff, &extra_exif, fields, &places->exif)
         && write_extra (file->tiff, &extra_gps, fields, &places->gps);
}

void
tiffmeta_set_fields (TiffFile *file, const GPtrArray *fields,
                     const TiffPlaces *places)
{
  set_fields (file->tiff, fields, TIFF_CHUNK);
  if (places->exif > 0)
    TIFFSetField (file->tiff, TIFFTAG_EXIFIFD, places->exif);
  if (places->gps > 0)
    TIFFSetField (file->tiff, TIFFTAG_GPSIFD, places->gps);
}

void
tiffmeta_set (TiffFile *file, const ImageMeta *meta)
{
  gsize size;
  const void *data;

  if (meta->format != TESSERA_TIFF)
    set_density (file->tiff, meta);
  if (meta->icc != NULL) {
    data = g_bytes_get_data (meta->icc, &size);
    TIFFSetField (file->tiff, TIFFTAG_ICCPROFILE, (guint32) size, data);
  }
  TIFFSetField (file->tiff, TIFFTAG_ORIENTATION, meta->orientation);
}
