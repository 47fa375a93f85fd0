/* test_image.c - pictures in memory: copies, transparency, orientation */
#include "base/error.h"
#include "imaging/codec/exif.h"
#include "imaging/codec/orient.h"
#include "tests/pictures.h"

static void
test_copy (void)
{
  g_test_summary ("A copy is equal, and changing it leaves the original");

  g_autoptr (Image) image = random_palette_picture (7, 5, 4, 3);
  image->meta.chunks = image_chunks_new ();
  g_ptr_array_add (image->meta.chunks,
                   image_chunk_new ("hIST", 1, g_bytes_new ("ab", 2)));
  g_ptr_array_add (image->meta.chunks,
                   image_chunk_new ("tEXt", 0, g_bytes_new ("c", 1)));
  g_autoptr (Image) copy = image_copy (image, NULL);

  assert_same_samples (image, copy);
  assert_same_palette (image, copy);
  assert_same_meta (&image->meta, &copy->meta);

  image_drop_palette (copy);
  g_assert_null (copy->palette);
  g_assert_cmpuint (copy->meta.chunks->len, ==, 1);
  g_assert_cmpuint (image->meta.chunks->len, ==, 2);
  g_assert_nonnull (image->palette);
}

static void
test_middle (void)
{
  g_test_summary ("The middle is in the middle, and at most the picture");

  g_autoptr (Image) image = random_palette_picture (9, 6, 4, 3);
  g_autoptr (Image) part = image_middle (image, 5, NULL);
  g_autoptr (Image) all = image_middle (image, 9, NULL);

  g_assert_cmpint (part->width, ==, 5);
  g_assert_cmpint (part->height, ==, 5);
  g_assert_null (part->palette);
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 5; x++)
      for (int c = 0; c < image->channels; c++)
        g_assert_cmpint (image_pixel (part, x, y)[c], ==,
                         image_pixel (image, x + 2, y)[c]);
  assert_same_samples (image, all);
}

static void
test_memory (void)
{
  g_test_summary ("A picture that cannot be held in memory is an error");

  g_autoptr (GError) error = NULL;

  g_assert_null (image_new (G_MAXINT, G_MAXINT, 4, 16, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY);
}

static void
test_transparent (void)
{
  g_test_summary ("Pixels with alpha zero or the key colour are transparent");

  g_autoptr (Image) alpha = image_new (2, 1, 4, 8, NULL);
  g_autoptr (Image) key = image_new (2, 1, 3, 8, NULL);

  alpha->samples[7] = 1;
  g_assert_true (image_is_transparent (alpha, 0));
  g_assert_false (image_is_transparent (alpha, 1));

  key->meta.has_key = TRUE;
  key->meta.key[1] = 9;
  key->samples[4] = 9;
  g_assert_false (image_is_transparent (key, 0));
  g_assert_true (image_is_transparent (key, 1));
}

static void
test_avoid_key (void)
{
  g_test_summary ("A filled pixel moves off the key colour by one level only");

  for (int depth = 1; depth <= 16; depth *= 2)
    for (int value = 0; value < 1 << depth; value += (1 << depth) - 1) {
      g_autoptr (Image) image = image_new (2, 1, 1, depth, NULL);

      image->samples[0] = (guint16) value;
      image->samples[1] = (guint16) (value ^ 1);
      image->meta.has_key = TRUE;
      image->meta.key[0] = (guint16) value;
      image_avoid_key (image, 0);
      image_avoid_key (image, 1);
      g_assert_cmpint (ABS (image->samples[0] - value), ==, 1);
      g_assert_cmpint (image->samples[0], <=, image_peak (image));
      g_assert_cmpint (image->samples[1], ==, value ^ 1);
    }
}

/* Column and row in which the file stores pixel (@x, @y) of an upright picture
 * of @w x @h, from the meaning that EXIF gives to each orientation. */
static void
stored_place (int orientation, int w, int h, int x, int y, int *column,
              int *row)
{
  const int places[8][2] = {
    { x, y },                 /* row 0 is the top, column 0 the left side */
    { w - 1 - x, y },         /* top, right */
    { w - 1 - x, h - 1 - y }, /* bottom, right */
    { x, h - 1 - y },         /* bottom, left */
    { y, x },                 /* left, top */
    { y, w - 1 - x },         /* right, top */
    { h - 1 - y, w - 1 - x }, /* right, bottom */
    { h - 1 - y, x },         /* left, bottom */
  };

  *column = places[orientation - 1][0];
  *row = places[orientation - 1][1];
}

static void
assert_stored_as (const Image *upright, const Image *stored, int orientation)
{
  gsize pixel_size = (gsize) upright->channels * sizeof (guint16);

  for (int y = 0; y < upright->height; y++)
    for (int x = 0; x < upright->width; x++) {
      int column, row;

      stored_place (orientation, upright->width, upright->height, x, y,
                    &column, &row);
      assert_same_memory (image_pixel (upright, x, y),
                          image_pixel (stored, column, row), pixel_size);
    }
}

static void
test_orientations (void)
{
  g_test_summary ("Turning follows EXIF, and turning back undoes it");

  for (int orientation = 1; orientation <= 8; orientation++)
    for (int channels = 1; channels <= 4; channels++) {
      g_autoptr (Image) stored = random_picture (7, 4, channels, 8);
      g_autoptr (Image) upright = orient_upright (stored, orientation, NULL);
      g_autoptr (Image) again = orient_stored (upright, orientation, NULL);

      g_assert_cmpint (upright->width, ==, orientation < 5 ? 7 : 4);
      assert_stored_as (upright, stored, orientation);
      assert_same_samples (again, stored);
    }
}

static void
test_palette_turns (void)
{
  g_test_summary ("Palette indices turn like the pixels");

  for (int orientation = 1; orientation <= 8; orientation++) {
    g_autoptr (Image) stored = random_palette_picture (5, 3, 4, 0);
    g_autoptr (Image) upright = orient_upright (stored, orientation, NULL);
    g_autoptr (Image) again = orient_stored (upright, orientation, NULL);

    for (gsize i = 0; i < image_pixels (upright); i++)
      g_assert_cmpint (
        upright->samples[3 * i], ==,
        upright->palette->colour[upright->palette->index[i]][0]);
    assert_same_palette (stored, again);
  }
}

/* EXIF data with one orientation entry behind one of another tag. */
static GBytes *
exif_in_order (gboolean big_endian, int orientation)
{
  static const guint8 big[] = { 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 2,
                                /* tag, type, count, value */
                                1, 0, 0, 3, 0, 0, 0, 1, 0, 9, 0, 0, 1, 0x12, 0,
                                3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0 };
  static const guint8 little[] = { 'I', 'I', 42,   0, 8, 0, 0, 0, 2, 0,
                                   0,   1,   3,    0, 1, 0, 0, 0, 9, 0,
                                   0,   0,   0x12, 1, 3, 0, 1, 0, 0, 0,
                                   0,   0,   0,    0, 0, 0, 0, 0 };
  guint8 *data = g_memdup2 (big_endian ? big : little, sizeof big);

  data[big_endian ? 31 : 30] = (guint8) orientation;
  return g_bytes_new_take (data, sizeof big);
}

static void
test_exif (void)
{
  g_test_summary ("The orientation is found in both byte orders");

  g_assert_cmpint (exif_orientation (NULL), ==, 1);
  for (int order = 0; order < 2; order++)
    for (int value = 0; value < 12; value++) {
      g_autoptr (GBytes) exif = exif_in_order (order, value);
      gboolean valid = value >= 1 && value <= 8;

      g_assert_cmpint (exif_orientation (exif), ==, valid ? value : 1);
    }
}

static void
test_exif_garbage (void)
{
  g_test_summary ("Broken EXIF data gives an orientation and no crash");

  g_autoptr (GBytes) exif = exif_in_order (TRUE, 6);
  gsize size = g_bytes_get_size (exif);

  for (gsize length = 0; length <= size; length++)
    for (int round = 0; round < 200; round++) {
      /* A block of just this size, so that a sanitizer sees its end. */
      guint8 *data = g_memdup2 (g_bytes_get_data (exif, NULL), length);
      g_autoptr (GBytes) broken = g_bytes_new_take (data, length);

      for (int i = 0; length > 0 && i < round % 4; i++)
        data[g_test_rand_int_range (0, (int) length)] =
          (guint8) g_test_rand_int_range (0, 256);
      g_assert_cmpint (exif_orientation (broken), >=, 1);
      g_assert_cmpint (exif_orientation (broken), <=, 8);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/image/copy", test_copy);
  g_test_add_func ("/image/middle", test_middle);
  g_test_add_func ("/image/memory", test_memory);
  g_test_add_func ("/image/transparent", test_transparent);
  g_test_add_func ("/image/avoid-key", test_avoid_key);
  g_test_add_func ("/image/orientations", test_orientations);
  g_test_add_func ("/image/palette-turns", test_palette_turns);
  g_test_add_func ("/image/exif", test_exif);
  g_test_add_func ("/image/exif-garbage", test_exif_garbage);
  return g_test_run ();
}
