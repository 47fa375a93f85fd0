/* pictures.h - for the tests: making pictures, and comparing them */
#pragma once

#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include "base/error.h"
#include "imaging/codec/codec.h"

#define assert_same_memory(a, b, size)                                        \
  g_assert_cmpint (memcmp ((a), (b), (size)), ==, 0)

static inline void
fill_randomly (Image *image)
{
  gsize count = image_pixels (image) * (gsize) image->channels;

  for (gsize i = 0; i < count; i++)
    image->samples[i] =
      (guint16) g_test_rand_int_range (0, image_peak (image) + 1);
}

static inline Image *
random_picture (int width, int height, int channels, int depth)
{
  Image *image = image_new (width, height, channels, depth, NULL);

  fill_randomly (image);
  return image;
}

/* A picture with a palette, which has some colours more than once. */
static inline Image *
random_palette_picture (int width, int height, int depth, int alpha_entries)
{
  int channels = alpha_entries > 0 ? 4 : 3;
  Image *image = image_new (width, height, channels, 8, NULL);
  ImagePalette *palette = g_new0 (ImagePalette, 1);

  image->palette = palette;
  palette->depth = depth;
  palette->entries = MAX (1 << depth, 2);
  palette->alpha_entries = alpha_entries;
  palette->index = g_new (guint8, image_pixels (image));
  for (int i = 0; i < 256; i++)
    for (int c = 0; c < 4; c++)
      palette->colour[i][c] = c == 3 && i >= alpha_entries
                                ? 255
                                : (guint8) g_test_rand_int_range (0, 256);
  memcpy (palette->colour[palette->entries - 1], palette->colour[0], 3);
  for (gsize i = 0; i < image_pixels (image); i++) {
    int index = g_test_rand_int_range (0, palette->entries);

    palette->index[i] = (guint8) index;
    for (int c = 0; c < channels; c++)
      image->samples[i * (gsize) channels + (gsize) c] =
        palette->colour[index][c];
  }
  return image;
}

static inline void
assert_same_size (const Image *a, const Image *b)
{
  g_assert_cmpint (a->width, ==, b->width);
  g_assert_cmpint (a->height, ==, b->height);
  g_assert_cmpint (a->channels, ==, b->channels);
}

static inline void
assert_same_samples (const Image *a, const Image *b)
{
  gsize count = image_pixels (a) * (gsize) a->channels;

  assert_same_size (a, b);
  g_assert_cmpint (a->depth, ==, b->depth);
  assert_same_memory (a->samples, b->samples, count * sizeof *a->samples);
}

static inline void
assert_same_palette (const Image *a, const Image *b)
{
  g_assert_cmpint (a->palette != NULL, ==, b->palette != NULL);
  if (a->palette == NULL)
    return;
  g_assert_cmpint (a->palette->depth, ==, b->palette->depth);
  g_assert_cmpint (a->palette->entries, ==, b->palette->entries);
  g_assert_cmpint (a->palette->alpha_entries, ==, b->palette->alpha_entries);
  assert_same_memory (a->palette->colour, b->palette->colour,
                      4 * (gsize) a->palette->entries);
  assert_same_memory (a->palette->index, b->palette->index, image_pixels (a));
}

static inline void
assert_same_bytes (GBytes *a, GBytes *b)
{
  g_assert_cmpint (a != NULL, ==, b != NULL);
  if (a != NULL)
    g_assert_true (g_bytes_equal (a, b));
}

/* Density, profile and EXIF: what both formats have. */
static inline void
assert_same_common_meta (const ImageMeta *a, const ImageMeta *b)
{
  assert_same_bytes (a->icc, b->icc);
  assert_same_bytes (a->exif, b->exif);
  g_assert_cmpint (a->orientation, ==, b->orientation);
  g_assert_cmpint (a->density_unit, ==, b->density_unit);
  g_assert_cmpuint (a->density_x, ==, b->density_x);
  g_assert_cmpuint (a->density_y, ==, b->density_y);
}

static inline void
assert_same_chunks (const ImageMeta *a, const ImageMeta *b)
{
  guint count = a->chunks != NULL ? a->chunks->len : 0;

  g_assert_cmpuint (b->chunks != NULL ? b->chunks->len : 0, ==, count);
  for (guint i = 0; i < count; i++) {
    const ImageChunk *x = a->chunks->pdata[i], *y = b->chunks->pdata[i];

    g_assert_cmpstr (x->name, ==, y->name);
    g_assert_cmpint (x->place, ==, y->place);
    assert_same_bytes (x->data, y->data);
  }
}

static inline void
assert_same_meta (const ImageMeta *a, const ImageMeta *b)
{
  assert_same_common_meta (a, b);
  assert_same_chunks (a, b);
  g_assert_cmpint (a->format, ==, b->format);
  g_assert_cmpint (a->interlaced, ==, b->interlaced);
  g_assert_cmpint (a->has_key, ==, b->has_key);
  if (a->has_key)
    assert_same_memory (a->key, b->key, sizeof a->key);
}

static inline Image *
decode (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  Image *image = image_decode (bytes, "test", &IMAGE_LIMITS_DEFAULTS, &error);

  g_assert_no_error (error);
  return image;
}

static inline GBytes *
encode (const Image *image, TesseraFormat format)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = image_encode (image, format, &ENCODE_DEFAULTS, &error);

  g_assert_no_error (error);
  return bytes;
}

static inline Image *
through_file (const Image *image, TesseraFormat format)
{
  g_autoptr (GBytes) bytes = encode (image, format);

  return decode (bytes);
}

static inline void
add_chunk (Image *image, const char *name, int place, const char *text)
{
  if (image->meta.chunks == NULL)
    image->meta.chunks = image_chunks_new ();
  g_ptr_array_add (
    image->meta.chunks,
    image_chunk_new (name, place, g_bytes_new (text, strlen (text))));
}

/* Bytes that do not pack well, and begin like a profile of that size. */
static inline GBytes *
random_profile (guint32 size)
{
  guint8 *data = g_malloc (size);
  guint32 stored = GUINT32_TO_BE (size);

  for (guint32 i = 0; i < size; i++)
    data[i] = (guint8) g_test_rand_int_range (0, 256);
  memcpy (data, &stored, sizeof stored);
  return g_bytes_new_take (data, size);
}

/* The same, but with another size at its start. */
static inline GBytes *
false_profile (guint32 size, guint32 claimed)
{
  guint8 *data = g_malloc0 (size);
  guint32 stored = GUINT32_TO_BE (claimed);

  memcpy (data, &stored, sizeof stored);
  return g_bytes_new_take (data, size);
}

static inline GBytes *
exif_with (int orientation)
{
  guint8 data[] = { 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                    3,   0,   0, 0,  1, 0, 0, 0, 0, 0, 0, 0,    0 };

  data[19] = (guint8) orientation;
  return g_bytes_new (data, sizeof data);
}

/* A JPEG that our encoder does not write. */
static inline GBytes *
foreign_jpeg (J_COLOR_SPACE colours, int channels, gboolean progressive)
{
  struct jpeg_error_mgr errors;
  struct jpeg_compress_struct cinfo = { .err = jpeg_std_error (&errors) };
  unsigned char *data = NULL;
  unsigned long size = 0;
  guint8 row[64 * 4], *rows[] = { row };

  jpeg_create_compress (&cinfo);
  jpeg_mem_dest (&cinfo, &data, &size);
  cinfo.image_width = cinfo.image_height = 64;
  cinfo.input_components = channels;
  cinfo.in_color_space = colours;
  jpeg_set_defaults (&cinfo);
  if (progressive)
    jpeg_simple_progression (&cinfo);
  jpeg_start_compress (&cinfo, TRUE);
  for (int y = 0; y < 64; y++) {
    for (gsize i = 0; i < sizeof row; i++)
      row[i] = (guint8) g_test_rand_int_range (0, 256);
    jpeg_write_scanlines (&cinfo, rows, 1);
  }
  jpeg_finish_compress (&cinfo);
  jpeg_destroy_compress (&cinfo);
  return g_bytes_new_with_free_func (data, size, free, data);
}

static inline void
assert_fails (GBytes *bytes, const ImageLimits *limits, TesseraError code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Image) image = image_decode (bytes, "a file", limits, &error);

  g_assert_null (image);
  g_assert_error (error, TESSERA_ERROR, (int) code);
  g_assert_true (g_str_has_prefix (error->message, "a file: "));
  g_assert_null (strchr (error->message, '\n'));
}

/* The file must be found out before anything is unpacked. */
static inline void
assert_found_truncated (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (image_decode (bytes, "x", &IMAGE_LIMITS_DEFAULTS, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_true (g_str_has_suffix (error->message, "is truncated"));
}
