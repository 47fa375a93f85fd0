/* tiffmeta.c - fields of a TIFF directory that describe the picture */
#include "imaging/codec/tiffcodec.h"

#include "imaging/codec/profile.h"

#include <math.h>
#include <string.h>

/* Kept as they are.  Profile and orientation are not among them, since other
 * formats have these too; the resolution is, for its fractions. */
static const guint32 kept[] = {
  TIFFTAG_SUBFILETYPE,   TIFFTAG_DOCUMENTNAME, TIFFTAG_IMAGEDESCRIPTION,
  TIFFTAG_MAKE,          TIFFTAG_MODEL,        TIFFTAG_XRESOLUTION,
  TIFFTAG_YRESOLUTION,   TIFFTAG_PAGENAME,     TIFFTAG_XPOSITION,
  TIFFTAG_YPOSITION,     TIFFTAG_RESOLUTIONUNIT, TIFFTAG_SOFTWARE,
  TIFFTAG_DATETIME,      TIFFTAG_ARTIST,       TIFFTAG_HOSTCOMPUTER,
  TIFFTAG_XMLPACKET,     TIFFTAG_COPYRIGHT,    TIFFTAG_RICHTIFFIPTC,
  TIFFTAG_PHOTOSHOP,
};

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
            ImageMeta *meta)
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
  g_ptr_array_add (meta->chunks, image_chunk_new (name, (int) tag, values));
  return TRUE;
}

static gboolean
read_exif (TiffFile *file, gsize *room, ImageMeta *meta)
{
  toff_t offset;
  gboolean ok = TRUE;

  if (!TIFFGetField (file->tiff, TIFFTAG_EXIFIFD, &offset)
      || !TIFFReadEXIFDirectory (file->tiff, offset)) {
    g_clear_pointer (&file->message, g_free);
    return TRUE;
  }
  /* libtiff lists only fields that are not basic ones; EXIF has no others. */
  for (int i = 0; ok && i < TIFFGetTagListCount (file->tiff); i++)
    ok = keep_field (file, TIFF_CHUNK_EXIF,
                     TIFFGetTagListEntry (file->tiff, i), room, meta);
  g_clear_pointer (&file->message, g_free);
  return ok;
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

gboolean
tiffmeta_read (TiffFile *file, const ImageLimits *limits, ImageMeta *meta,
               GError **error)
{
  gsize room = limits->max_metadata;
  guint16 orientation = 1;
  gboolean ok = read_profile (file, &room, meta);

  for (gsize i = 0; ok && i < G_N_ELEMENTS (kept); i++)
    ok = keep_field (file, TIFF_CHUNK, kept[i], &room, meta);
  read_density (file->tiff, meta);
  if (TIFFGetField (file->tiff, TIFFTAG_ORIENTATION, &orientation)
      && orientation >= 1 && orientation <= 8)
    meta->orientation = orientation;
  if (ok && read_exif (file, &room, meta))
    return TRUE;
  return tessera_fail (error, TESSERA_ERROR_LIMIT,
                       "the metadata of the TIFF has more than %"
                       G_GSIZE_FORMAT " bytes",
                       limits->max_metadata);
}

/* ---- writing ---- */

static gboolean
is_named (const ImageChunk *chunk, const char *name)
{
  return g_str_equal (chunk->name, name);
}

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

void
tiffmeta_set (TiffFile *file, const ImageMeta *meta)
{
  gsize size;
  const void *data;

  if (meta->format != TESSERA_TIFF)
    set_density (file->tiff, meta);
  for (guint i = 0; meta->format == TESSERA_TIFF && meta->chunks != NULL
                    && i < meta->chunks->len;
       i++)
    if (is_named (meta->chunks->pdata[i], TIFF_CHUNK))
      set_field (file->tiff, meta->chunks->pdata[i]);
  if (meta->icc != NULL) {
    data = g_bytes_get_data (meta->icc, &size);
    TIFFSetField (file->tiff, TIFFTAG_ICCPROFILE, (guint32) size, data);
  }
  TIFFSetField (file->tiff, TIFFTAG_ORIENTATION, meta->orientation);
}

static gboolean
has_exif (const ImageMeta *meta)
{
  for (guint i = 0; meta->format == TESSERA_TIFF && meta->chunks != NULL
                    && i < meta->chunks->len;
       i++)
    if (is_named (meta->chunks->pdata[i], TIFF_CHUNK_EXIF))
      return TRUE;
  return FALSE;
}

/* The directory is written with room for the place of the EXIF directory,
 * which comes after it and is then put in. */
gboolean
tiffmeta_finish (TiffFile *file, const ImageMeta *meta)
{
  TIFF *tiff = file->tiff;
  guint64 place = 0;
  tdir_t number;

  if (!has_exif (meta))
    return TIFFWriteDirectory (tiff) != 0;
  TIFFSetField (tiff, TIFFTAG_EXIFIFD, place);
  if (!TIFFWriteDirectory (tiff))
    return FALSE;
  number = (tdir_t) (TIFFNumberOfDirectories (tiff) - 1);
  if (TIFFCreateEXIFDirectory (tiff) != 0)
    return FALSE;
  for (guint i = 0; i < meta->chunks->len; i++)
    if (is_named (meta->chunks->pdata[i], TIFF_CHUNK_EXIF))
      set_field (tiff, meta->chunks->pdata[i]);
  if (!TIFFWriteCustomDirectory (tiff, &place)
      || !TIFFSetDirectory (tiff, number)
      || !TIFFSetField (tiff, TIFFTAG_EXIFIFD, place))
    return FALSE;
  return TIFFRewriteDirectory (tiff) != 0;
}
