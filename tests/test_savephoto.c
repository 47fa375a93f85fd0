/* test_savephoto.c - files of photographs that were restored on the page */
#include "app/serve/savephoto.h"
#include "tests/pictures.h"
#include "tests/support.h"

static GBytes *
read_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  char *data;
  gsize size;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (data, size);
}

/* Opens a file, and adds a version with a light square of @side pixels. */
static Photo *
open_and_change (GBytes *file, int side)
{
  g_autoptr (PhotoStore) store = photo_store_new (G_MAXSIZE);
  Photo *photo = photo_new ("a", file, decode (file), store, NULL);
  Image *image = decode (file);

  for (int y = 0; y < side; y++)
    for (int x = 0; x < 3 * side; x++)
      image_pixel (image, 64, 64 + y)[x] = 255;
  g_assert_cmpint (photo_add_version (photo, 0, image, NULL), ==, 1);
  return photo;
}

static GBytes *
save (Photo *photo)
{
  const ImageArea all = { 0, 0, photo_width (photo), photo_height (photo) };

  return photo_save (photo, 1, &all, NULL);
}

/* Pixels of the file that are others than those of @file. */
static int
count_changed (GBytes *file, GBytes *saved)
{
  g_autoptr (Image) a = decode (file), b = decode (saved);
  int changed = 0;

  for (int y = 0; y < a->height; y++)
    for (int x = 0; x < a->width; x++)
      for (int c = 0; c < 3; c++)
        if (image_pixel (a, x, y)[c] != image_pixel (b, x, y)[c]) {
          changed++;
          break;
        }
  return changed;
}

static void
test_blocks_stay (void)
{
  g_autoptr (GBytes) file = read_file ("data/photos/beach2.jpg");
  g_autoptr (Photo) photo = open_and_change (file, 3);
  g_autoptr (GBytes) saved = save (photo);
  int changed;

  g_test_summary ("A JPEG keeps all blocks without a changed pixel");

  g_assert_nonnull (saved);
  changed = count_changed (file, saved);
  g_assert_cmpint (changed, >, 0);
  g_assert_cmpint (changed, <=, 40 * 40);
}

static void
test_nothing_changed (void)
{
  g_autoptr (GBytes) file = read_file ("data/photos/beach2.jpg");
  g_autoptr (Photo) photo = open_and_change (file, 0);
  g_autoptr (GBytes) saved = save (photo);

  g_test_summary ("A JPEG that did not change is the file that was opened");

  g_assert_true (g_bytes_equal (file, saved));
}

static void
test_most_changed (void)
{
  g_autoptr (Image) flat = image_new (80, 80, 3, 8, NULL);
  g_autoptr (GBytes) file = encode (flat, TESSERA_JPEG);
  g_autoptr (PhotoStore) store = photo_store_new (G_MAXSIZE);
  g_autoptr (Photo) photo = photo_new ("a", file, decode (file), store, NULL);
  Image *light = decode (file);
  g_autoptr (GBytes) saved = NULL, whole = NULL;

  g_test_summary ("A JPEG of which most has changed is made anew");

  for (gsize i = 0; i < 3 * image_pixels (light); i++)
    light->samples[i] = 200;
  whole = encode (light, TESSERA_JPEG);
  g_assert_cmpint (photo_add_version (photo, 0, light, NULL), ==, 1);
  saved = save (photo);
  g_assert_true (g_bytes_equal (saved, whole));
}

static void
test_part (void)
{
  g_autoptr (GBytes) file = read_file ("data/photos/beach2.jpg");
  g_autoptr (Photo) photo = open_and_change (file, 3);
  const ImageArea area = { 16, 8, 100, 90 };
  g_autoptr (GBytes) saved = photo_save (photo, 1, &area, NULL);
  g_autoptr (Image) part = decode (saved);

  g_test_summary ("A part is a file of its own");

  g_assert_cmpint (part->width, ==, 100);
  g_assert_cmpint (part->height, ==, 90);
  g_assert_cmpint (part->meta.format, ==, TESSERA_JPEG);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/savephoto/blocks", test_blocks_stay);
  g_test_add_func ("/savephoto/same", test_nothing_changed);
  g_test_add_func ("/savephoto/most", test_most_changed);
  g_test_add_func ("/savephoto/part", test_part);
  return g_test_run ();
}
