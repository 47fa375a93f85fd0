/* test_jpegpatch.c - JPEGs of which only some blocks change */
#include "imaging/codec/jpegpatch.h"
#include "imaging/codec/pngmeta.h"
#include "tests/pictures.h"

/* How far from a changed pixel others of its block can be; and if colours are
 * at half the size, where a pixel outside is mixed with the block. */
enum { REACH = 7, REACH_HALF = 17 };

static GBytes *
read_photo (const char *name)
{
  g_autofree char *path = g_strdup_printf ("data/photos/%s.jpg", name);
  g_autoptr (GError) error = NULL;
  char *data;
  gsize size;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (data, size);
}

/* A smooth picture, as a JPEG that is stored as @orientation says. */
static GBytes *
make_jpeg (int channels, int orientation)
{
  g_autoptr (Image) image = image_new (61, 43, channels, 8, NULL);

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < channels; c++)
        image_pixel (image, x, y)[c] = (guint16) (40 + 2 * x + y + 9 * c);
  image->meta.exif = exif_with (orientation);
  image->meta.orientation = orientation;
  return encode (image, TESSERA_JPEG);
}

/* Makes the pixels of a small square lighter. */
static Mask *
change_square (Image *image, int left, int top)
{
  Mask *mask = mask_new (image->width, image->height, NULL);

  for (int y = top; y < top + 3; y++)
    for (int x = left; x < left + 3; x++) {
      mask->missing[y * image->width + x] = MASK_PIXEL;
      for (int c = 0; c < image->channels; c++)
        image_pixel (image, x, y)[c] = 250;
    }
  return mask;
}

static int
largest_difference (const Image *a, const Image *b, int x, int y)
{
  int largest = 0;

  for (int c = 0; c < a->channels; c++)
    largest =
      MAX (largest, ABS (image_pixel (a, x, y)[c] - image_pixel (b, x, y)[c]));
  return largest;
}

/* Changes a square in @file, and looks at all pixels of the new file. */
static void
check_square (GBytes *file, int left, int top, int far)
{
  g_autoptr (Image) before = decode (file);
  g_autoptr (Image) wanted = decode (file);
  g_autoptr (Mask) mask = change_square (wanted, left, top);
  g_autoptr (Image) after = NULL;
  g_autoptr (GError) error = NULL;
  JpegPatch patch;

  g_assert_true (jpeg_patch (file, wanted, mask, &patch, &error));
  g_assert_no_error (error);
  g_assert_nonnull (patch.bytes);
  g_assert_cmpuint (patch.changed, >=, 1);
  g_assert_cmpuint (patch.changed, <=, 4);
  after = decode (patch.bytes);
  assert_same_size (before, after);
  assert_same_meta (&before->meta, &after->meta);
  for (int y = 0; y < after->height; y++)
    for (int x = 0; x < after->width; x++) {
      gboolean is_far = x < left - far || x > left + 2 + far || y < top - far
                        || y > top + 2 + far;

      if (is_far)
        g_assert_cmpint (largest_difference (before, after, x, y), ==, 0);
    }
  g_assert_cmpint (largest_difference (wanted, after, left + 1, top + 1), <,
                   30);
  g_assert_cmpint (largest_difference (wanted, before, left + 1, top + 1), >,
                   30);
  g_bytes_unref (patch.bytes);
}

static void
test_orientations (void)
{
  g_test_summary ("Pixels of other blocks stay, however the file is turned");

  for (int channels = 1; channels <= 3; channels += 2)
    for (int orientation = 1; orientation <= 8; orientation++) {
      g_autoptr (GBytes) file = make_jpeg (channels, orientation);

      check_square (file, 21, 13, REACH);
      check_square (file, 0, 0, REACH);
      check_square (file, 58, 40, REACH); /* blocks that are cut off */
    }
}

static void
test_photographs (void)
{
  g_test_summary ("So do those of files by others, in one pass or several");

  g_autoptr (GBytes) one = read_photo ("forest4");
  g_autoptr (GBytes) several = read_photo ("beach2");

  check_square (one, 301, 150, REACH_HALF);
  check_square (several, 301, 150, REACH_HALF);
  check_square (several, 717, 357, REACH_HALF);
}

static void
assert_no_patch (GBytes *file, const Image *image, const Mask *mask)
{
  g_autoptr (GError) error = NULL;
  JpegPatch patch;

  g_assert_true (jpeg_patch (file, image, mask, &patch, &error));
  g_assert_no_error (error);
  g_assert_null (patch.bytes);
}

static void
test_refusals (void)
{
  g_test_summary ("A file that changes mostly, or is another, is left");

  g_autoptr (GBytes) file = make_jpeg (3, 1);
  g_autoptr (GBytes) other = foreign_jpeg (JCS_RGB, 3, FALSE);
  g_autoptr (Image) image = decode (file);
  g_autoptr (Mask) all = mask_new (image->width, image->height, NULL);
  g_autoptr (GBytes) garbage = g_bytes_new ("\377\330\377\340", 4);

  for (int i = 0; i < all->width * all->height; i += 8)
    all->missing[i] = MASK_PIXEL;
  assert_no_patch (file, image, all);
  memset (all->missing, 0, (gsize) all->width * (gsize) all->height);
  assert_no_patch (garbage, image, all);
  assert_no_patch (other, image, all); /* of another size */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jpegpatch/orientations", test_orientations);
  g_test_add_func ("/jpegpatch/photographs", test_photographs);
  g_test_add_func ("/jpegpatch/refusals", test_refusals);
  return g_test_run ();
}
