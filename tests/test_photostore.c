/* test_photostore.c - samples that are in memory or on disk */
#include "app/serve/photostore.h"
#include "tests/pictures.h"
#include "tests/support.h"

#include <glib/gstdio.h>
#include <string.h>

#define SIDE 64
#define BYTES (SIDE * SIDE * 3 * sizeof (guint16))

static Image *
picture (guint seed)
{
  Image *image = image_new (SIDE, SIDE, 3, 8, NULL);

  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    image->samples[i] = (guint16) ((i * 31 + seed) % 251);
  return image;
}

static void
test_memory_first (void)
{
  g_autoptr (PhotoStore) store = photo_store_new (2 * BYTES);
  PhotoPlace places[3] = { { 0, 0 } };
  PhotoPlace again = { 0, 0 };
  Image *images[3];

  g_test_summary ("What has no room in memory is on disk, and reads the same");

  for (guint i = 0; i < 3; i++) {
    g_autoptr (Image) same = picture (i);

    images[i] = picture (i);
    g_assert_true (photo_store_keep (store, images[i], &places[i], NULL));
    g_assert_cmpmem (images[i]->samples, BYTES, same->samples, BYTES);
    g_assert_cmpuint (places[i].in_memory, ==, i < 2 ? BYTES : 0);
    g_assert_cmpuint (places[i].on_disk, ==, i < 2 ? 0 : BYTES);
  }
  for (int i = 0; i < 3; i++)
    photo_store_free_image (store, images[i], &places[i]);
  /* There is room in memory again. */
  images[0] = picture (9);
  g_assert_true (photo_store_keep (store, images[0], &again, NULL));
  g_assert_cmpuint (again.in_memory, ==, BYTES);
  photo_store_free_image (store, images[0], &again);
}

static void
test_no_file_is_left (void)
{
  g_autoptr (PhotoStore) store = photo_store_new (0);
  PhotoPlace place = { 0, 0 };
  Image *image = picture (1);
  g_autoptr (GDir) folder = NULL;

  g_test_summary ("Nobody else sees what is on disk");

  g_assert_true (photo_store_keep (store, image, &place, NULL));
  folder = g_dir_open (g_getenv ("TMPDIR"), 0, NULL);
  g_assert_null (g_dir_read_name (folder));
  photo_store_free_image (store, image, &place);
}

static void
test_no_room (void)
{
  g_autoptr (PhotoStore) store = photo_store_new (BYTES);
  g_autoptr (Image) image = picture (1), same = picture (1);
  g_autofree char *folder = g_strdup (g_getenv ("TMPDIR"));
  g_autoptr (PhotoStore) empty = photo_store_new (0);
  g_autoptr (GError) error = NULL;
  PhotoPlace place = { 0, 0 };

  g_test_summary ("Without a disk there is an error, and the picture stays");

  g_assert_true (photo_store_has_room (empty, 1, NULL));
  g_setenv ("TMPDIR", "/nowhere", TRUE);
  g_assert_true (photo_store_has_room (store, BYTES, NULL));
  g_assert_false (photo_store_has_room (store, BYTES + 1, NULL));
  g_assert_false (photo_store_keep (empty, image, &place, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT);
  g_assert_cmpmem (image->samples, BYTES, same->samples, BYTES);
  g_setenv ("TMPDIR", folder, TRUE);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("photostore-XXXXXX", NULL);
  int failures;

  g_setenv ("TMPDIR", folder, TRUE);
  test_start (&argc, &argv);
  g_test_add_func ("/photostore/memory", test_memory_first);
  g_test_add_func ("/photostore/nameless", test_no_file_is_left);
  g_test_add_func ("/photostore/full", test_no_room);
  failures = g_test_run ();
  g_rmdir (folder);
  return failures;
}
