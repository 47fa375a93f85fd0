/* image.h - a picture in memory, with the metadata of its file
 *
 * Samples keep the range of the file, 0 .. 2^depth - 1, so that an unchanged
 * sample is written back bit for bit.  Pictures are always upright here: the
 * decoder turns them by their EXIF orientation, the encoder turns them back.
 */
#pragma once

#include "include/tessera.h"

#include <glib.h>

/* A palette PNG.  The samples of the image are the colours; @index says which
 * entry each pixel used, since entries may repeat. */
typedef struct {
  int depth;             /* bits per index, 1, 2, 4 or 8 */
  int entries;           /* 1 .. 256 */
  guint8 colour[256][4]; /* red, green, blue, alpha */
  int alpha_entries;     /* length of the tRNS chunk, 0 for none */
  guint8 *index;         /* width x height */
} ImagePalette;

/* A piece of a file that is kept unchanged: a PNG chunk or a JPEG marker
 * segment. */
typedef struct {
  char name[8]; /* "tEXt" of a PNG, "APP1" or "COM" of a JPEG */
  int place;    /* PNG: a PngPlace; JPEG: the marker code */
  GBytes *data;
} ImageChunk;

/* In the unit of the file, so that the numbers come back as they were. */
typedef enum {
  DENSITY_NONE,      /* the file says nothing */
  DENSITY_ASPECT,    /* only the shape of a pixel */
  DENSITY_PER_METRE, /* PNG */
  DENSITY_PER_CM,    /* JPEG */
  DENSITY_PER_INCH   /* JPEG */
} DensityUnit;

/* The metadata of the file.  Any pointer may be NULL.
 *
 * @chunks holds all of it as raw pieces of that format, and goes back into a
 * file of the same format bit for bit.  @icc, @exif, @xmp, @resources and the
 * density are what crosses over into another format, or into a file whose
 * @chunks lack them. */
typedef struct {
  TesseraFormat format; /* of the file, and so of @chunks; PNG without one */
  GPtrArray *chunks;    /* ImageChunk, in the order of the file */
  GBytes *icc;        /* colour profile */
  GBytes *exif;       /* TIFF data, without the "Exif\0\0" of JPEG */
  GBytes *xmp;        /* a packet of XML */
  GBytes *resources;  /* of Photoshop, which hold IPTC data: "8BIM" ... */
  int orientation;    /* 1 .. 8, how the file stores the upright picture */
  DensityUnit density_unit;
  guint32 density_x, density_y; /* along the stored picture */
  GPtrArray *left_out; /* what the file says and was not kept, char * each */
  int pages;        /* of the file; 0 if nobody has counted them */
  gboolean has_key; /* grey or colour PNG with one transparent colour */
  guint16 key[3];   /* that colour; grey in the first */
  int stored_rows;  /* that a truncated PNG or JPEG has, from the top of the
                       stored picture; 0 for all, or if that is not known */
  gboolean interlaced;
  gboolean is_premultiplied; /* colours are multiplied by alpha */
  gboolean is_lossy; /* compressed like a JPEG: colours are not exact */
  gboolean has_steps;    /* JPEG: what follows is known */
  guint16 steps[3][64];  /* of the cosines k + 8 l of Y, Cb, Cr, along the
                            stored picture; grey has only the first */
  int cell_width, cell_height; /* pixels per sample of Cb, Cr, along the stored
                                  picture; 0 or 1 if each has its own */
} ImageMeta;

typedef struct TesseraImage {
  int width, height;     /* upright, at least 1 */
  int channels;          /* 1 grey, 2 grey alpha, 3 colour, 4 colour alpha */
  int depth;             /* bits per sample: 1, 2, 4 (grey only), 8 or 16 */
  guint16 *samples;      /* interleaved, row after row, no padding */
  ImagePalette *palette; /* NULL unless the file had one */
  ImageMeta meta;
} Image;

/* A rectangle of pixels. */
typedef struct {
  int x, y, width, height;
} ImageArea;

/* Makes a black picture that did not come from a file.  Returns NULL, with @error set (MEMORY), when there is
 * not enough memory. */
Image *image_new (int width, int height, int channels, int depth,
                  GError **error);

/* Makes a black picture of the given size with the type, the palette (all
 * indices zero) and the metadata of @image.  Fails like image_new(). */
Image *image_new_like (const Image *image, int width, int height,
                       GError **error);

/* A deep copy, except that metadata blobs are shared by reference.
 * Fails like image_new(). */
Image *image_copy (const Image *image, GError **error);

/* The pixels in the middle, at most @side x @side of them, without palette and
 * metadata.  Fails like image_new(). */
Image *image_middle (const Image *image, int side, GError **error);

/* @image may be NULL. */
void image_free (Image *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Image, image_free)

/* Takes ownership of @data. */
ImageChunk *image_chunk_new (const char *name, int place, GBytes *data);

/* @chunk may be NULL. */
void image_chunk_free (ImageChunk *chunk);

/* Notes that something the file says was not kept: "a broken color profile".
 * Before @meta is copied. */
void image_leave_out (ImageMeta *meta, const char *what);

/* Removes all chunks with that name.  @chunks may be NULL. */
void image_chunks_remove (GPtrArray *chunks, const char *name);

/* An array that owns its ImageChunks; free with g_ptr_array_unref(). */
GPtrArray *image_chunks_new (void);

/* @chunks may be NULL; the copy then is empty. */
GPtrArray *image_chunks_copy (const GPtrArray *chunks);

/* The first chunk with that name, or NULL.  @chunks may be NULL. */
ImageChunk *image_chunks_find (const GPtrArray *chunks, const char *name);

/* Number of channels that are not alpha: 1 or 3. */
static inline int
image_colours (const Image *image)
{
  return image->channels <= 2 ? 1 : 3;
}

static inline gboolean
image_has_alpha (const Image *image)
{
  return image->channels % 2 == 0;
}

static inline gsize
image_pixels (const Image *image)
{
  return (gsize) image->width * (gsize) image->height;
}

/* Whether the file was compressed so that colours are not exact. */
static inline gboolean
image_is_lossy (const Image *image)
{
  return image->meta.format == TESSERA_JPEG || image->meta.is_lossy;
}

/* Whether Cb and Cr have half as many columns and rows as the picture. */
static inline gboolean
image_has_half_colours (const Image *image)
{
  return image->meta.cell_width > 1 && image->meta.cell_height > 1;
}

static inline ImageArea
image_area (const Image *image)
{
  return (ImageArea){ 0, 0, image->width, image->height };
}

/* Largest value of a sample. */
static inline int
image_peak (const Image *image)
{
  return (1 << image->depth) - 1;
}

static inline guint16 *
image_pixel (const Image *image, int x, int y)
{
  return image->samples
         + ((gsize) y * (gsize) image->width + (gsize) x)
             * (gsize) image->channels;
}

/* Column or row @i, or the one in 0 .. @size - 1 whose mirror image it is. */
static inline int
image_mirrored (int i, int size)
{
  int period = 2 * size;

  i = (i % period + period) % period;
  return MIN (i, period - 1 - i);
}

/* Largest colour sample of pixel @i (row after row). */
static inline int
image_brightest (const Image *image, gsize i)
{
  const guint16 *pixel = image->samples + i * (gsize) image->channels;
  int most = 0;

  for (int c = 0; c < image_colours (image); c++)
    most = MAX (most, pixel[c]);
  return most;
}

/* Whether pixel @i (row after row) cannot be seen at all: alpha zero, or the
 * key colour of a PNG. */
gboolean image_is_transparent (const Image *image, gsize i);

/* Moves pixel @i off the key colour by one level, if it has just that colour.
 * Call it for every pixel that was filled: none may become a hole. */
void image_avoid_key (Image *image, gsize i);

/* Makes fully transparent pixels of @area opaque.  A key colour stays: a PNG
 * with one needs nothing, since pixels that are filled avoid it. */
void image_make_opaque (Image *image, const ImageArea *area);

/* Swaps the contents of the two. */
void image_swap (Image *a, Image *b);

/* Forgets how the file was compressed: its pixels are no longer those that it
 * decodes to. */
void image_forget_compression (Image *image);

/* Forgets the palette, so that any colour can be written.  What the file said
 * about the palette goes with it. */
void image_drop_palette (Image *image);
