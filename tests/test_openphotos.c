/* test_openphotos.c - photographs that are open: found, counted, forgotten */
#include "app/serve/openphotos.h"
#include "imaging/codec/pages.h"
#include "tests/pictures.h"
#include "tests/support.h"

static GBytes *
small_file (int side)
{
  g_autoptr (Image) image = image_new (side, side, 3, 8, NULL);

  return encode (image, TESSERA_PNG);
}

static OpenPhotosLimits
small_limits (void)
{
  OpenPhotosLimits limits = open_photos_limits_default ();

  limits.most_photos = 3;
  limits.most_bytes = 100 * 1000;
  return limits;
}

static Photo *
open_photo (OpenPhotos *photos, int side)
{
  g_autoptr (GBytes) file = small_file (side);
  g_autoptr (GError) error = NULL;
  Photo *photo = open_photos_open (photos, "a.png", file, &error);

  g_assert_no_error (error);
  return photo;
}

static void
assert_not_opened (OpenPhotos *photos, GBytes *file, TesseraError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (open_photos_open (photos, "a.png", file, &error));
  g_assert_error (error, TESSERA_ERROR, (int) code);
}

static void
test_find_and_close (void)
{
  OpenPhotosLimits limits = small_limits ();
  g_autoptr (OpenPhotos) photos = open_photos_new (&limits);
  g_autoptr (Photo) one = open_photo (photos, 8);
  g_autoptr (Photo) other = open_photo (photos, 9);
  g_autoptr (Photo) found = open_photos_find (photos, photo_id (one), NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (found == one);
  g_assert_cmpstr (photo_id (one), !=, photo_id (other));
  g_assert_cmpint (photo_width (other), ==, 9);
  open_photos_close (photos, photo_id (one));
  open_photos_close (photos, "nobody");
  g_assert_null (open_photos_find (photos, photo_id (one), &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  /* Whoever holds it may go on. */
  g_assert_cmpint (photo_width (one), ==, 8);
}

static void
test_number_is_limited (void)
{
  OpenPhotosLimits limits = small_limits ();
  g_autoptr (OpenPhotos) photos = open_photos_new (&limits);
  g_autoptr (Photo) a = open_photo (photos, 4);
  g_autoptr (Photo) b = open_photo (photos, 4);
  g_autoptr (Photo) c = open_photo (photos, 4);
  g_autoptr (GBytes) file = small_file (4);

  assert_not_opened (photos, file, TESSERA_ERROR_LIMIT);
  open_photos_close (photos, photo_id (b));
  g_autoptr (Photo) d = open_photo (photos, 4);
  g_assert_nonnull (d);
}

/* Memory limits one picture, not how many there are: the rest is on disk. */
static void
test_memory_is_limited (void)
{
  OpenPhotosLimits limits = small_limits ();
  g_autoptr (OpenPhotos) photos = open_photos_new (&limits);
  g_autoptr (GBytes) large = small_file (120); /* 115 kB while decoded */
  g_autoptr (Photo) first = open_photo (photos, 100); /* 60 kB */
  g_autoptr (Photo) second = open_photo (photos, 100);
  g_autoptr (PhotoVersion) in_memory = photo_version (first, 0, NULL);
  g_autoptr (PhotoVersion) on_disk = photo_version (second, 0, NULL);

  assert_not_opened (photos, large, TESSERA_ERROR_LIMIT);
  g_assert_cmpuint (in_memory->place.on_disk, ==, 0);
  g_assert_cmpuint (on_disk->place.in_memory, ==, 0);
  g_assert_true (open_photos_has_room (photos, second, NULL));
  g_assert_cmpint (
    photo_add_version (second, 0, image_copy (on_disk->image, NULL), NULL), ==,
    1);
}

static void
test_more_than_thirty (void)
{
  OpenPhotosLimits limits = open_photos_limits_default ();
  g_autoptr (OpenPhotos) photos = NULL;

  g_test_summary ("Thirty scans can be open at a time, whatever the memory");

  limits.most_bytes = 5000;
  photos = open_photos_new (&limits);
  for (int i = 0; i < 35; i++)
    photo_unref (open_photo (photos, 20));
}

/* A file that is no picture takes no place. */
static void
test_broken_files (void)
{
  OpenPhotosLimits limits = small_limits ();
  g_autoptr (OpenPhotos) photos = open_photos_new (&limits);
  g_autoptr (GBytes) nonsense = g_bytes_new_static ("nonsense", 8);
  g_autoptr (GBytes) nothing = g_bytes_new (NULL, 0);

  for (int i = 0; i < 5; i++) {
    assert_not_opened (photos, nonsense, TESSERA_ERROR_INPUT);
    assert_not_opened (photos, nothing, TESSERA_ERROR_INPUT);
  }
  for (int i = 0; i < 3; i++)
    photo_unref (open_photo (photos, 4));
}

static void
note (const char *id, gpointer data)
{
  g_ptr_array_add (data, g_strdup (id));
}

/* The pages behind the first would be lost when it is saved. */
static void
test_pages_are_refused (void)
{
#ifdef HAVE_TIFF
  OpenPhotosLimits limits = small_limits ();
  g_autoptr (OpenPhotos) photos = open_photos_new (&limits);
  g_autoptr (Image) image = image_new (8, 8, 3, 8, NULL);
  g_autoptr (GBytes) one = encode (image, TESSERA_TIFF);
  g_autoptr (PageWriter) writer =
    page_writer_new (TESSERA_TIFF, &ENCODE_DEFAULTS);
  g_autoptr (GBytes) two = NULL;
  g_autoptr (Photo) photo = open_photos_open (photos, "a.tif", one, NULL);

  for (int i = 0; i < 2; i++)
    g_assert_true (page_writer_add (writer, image, NULL));
  two = page_writer_finish (writer);
  g_assert_nonnull (photo);
  assert_not_opened (photos, two, TESSERA_ERROR_INPUT);
#else
  g_test_skip ("built without TIFF");
#endif
}

static void
test_idle_ones_are_forgotten (void)
{
  OpenPhotosLimits limits = small_limits ();
  g_autoptr (GPtrArray) forgotten = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (OpenPhotos) photos = open_photos_new (&limits);
  g_autoptr (Photo) photo = open_photo (photos, 4);

  open_photos_close_idle (photos, note, forgotten);
  g_assert_cmpuint (forgotten->len, ==, 0);
  g_clear_pointer (&photos, open_photos_free);

  limits.idle_seconds = -1; /* everything is idle */
  photos = open_photos_new (&limits);
  g_autoptr (Photo) idle = open_photo (photos, 4);
  open_photos_close_idle (photos, note, forgotten);
  g_assert_cmpuint (forgotten->len, ==, 1);
  g_assert_cmpstr (forgotten->pdata[0], ==, photo_id (idle));
  g_assert_null (open_photos_find (photos, photo_id (idle), NULL));
}

/* More come at a time than there are places and decoders. */
typedef struct {
  OpenPhotos *photos;
  GBytes *file;
  gint opened; /* atomic */
} Crowd;

static gpointer
open_one (gpointer data)
{
  Crowd *crowd = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (Photo) photo =
    open_photos_open (crowd->photos, "a.png", crowd->file, &error);

  if (photo != NULL)
    g_atomic_int_inc (&crowd->opened);
  else
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT);
  return NULL;
}

static void
test_crowd (void)
{
  OpenPhotosLimits limits = small_limits ();
  g_autoptr (OpenPhotos) photos = open_photos_new (&limits);
  g_autoptr (GBytes) file = small_file (20);
  Crowd crowd = { photos, file, 0 };
  GThread *threads[12];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("client", open_one, &crowd);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (crowd.opened, ==, 3);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/openphotos/find", test_find_and_close);
  g_test_add_func ("/openphotos/number", test_number_is_limited);
  g_test_add_func ("/openphotos/memory", test_memory_is_limited);
  g_test_add_func ("/openphotos/many", test_more_than_thirty);
  g_test_add_func ("/openphotos/broken", test_broken_files);
  g_test_add_func ("/openphotos/pages", test_pages_are_refused);
  g_test_add_func ("/openphotos/idle", test_idle_ones_are_forgotten);
  g_test_add_func ("/openphotos/crowd", test_crowd);
  return g_test_run ();
}
