/* test_hostile.c - some thousand broken files, made from good ones
 *
 * Each file either is read, and then comes back from a file of ours, or is
 * refused in one line.  Sanitizers and debuggers find it again by its kind and
 * number, which the log of a failed test ends with.
 */
#include "base/random.h"
#include "dictlearn/builtin.h"
#include "dictlearn/initial.h"
#include "imaging/codec/exif.h"
#include "imaging/maskruns.h"
#include "tests/mutate.h"
#include "tests/pictures.h"
#include "tests/support.h"

#include <math.h>

#define SEED 20
#define PICTURES 200 /* made from each good one */
#define OTHERS 1000

/* A photograph is a thousandth of this.  What claims more is refused, and what
 * claims less is cheap. */
#define MAX_PIXELS 4000000

/* Checks one broken file. */
typedef void (*CheckFunc) (GBytes *file, gpointer data);

/* Hands @count files made from @good, which it takes over, to @check. */
static void
for_each_mutant (const char *kind, GBytes *good, int count, CheckFunc check,
                 gpointer data)
{
  for (int number = 0; number < count; number++) {
    GByteArray *copy = g_byte_array_new ();
    gsize size;
    const guint8 *bytes = g_bytes_get_data (good, &size);

    g_byte_array_append (copy, bytes, (guint) size);
    mutate (copy, SEED, (guint64) number);
    if (number % 8 != 0)
      mutate_repair_png (copy->data, copy->len);
    g_autoptr (GBytes) file = g_byte_array_free_to_bytes (copy);
    g_test_message ("%s, number %d", kind, number);
    check (file, data);
  }
  g_bytes_unref (good);
}

/* Whether there is a result; if there is none, one line says why. */
static gboolean
succeeded (gconstpointer result, const GError *error)
{
  if (result != NULL) {
    g_assert_no_error (error);
    return TRUE;
  }
  g_assert_nonnull (error);
  g_assert_true (error->domain == TESSERA_ERROR);
  g_assert_true (error->code == TESSERA_ERROR_INPUT
                 || error->code == TESSERA_ERROR_LIMIT);
  g_assert_null (strchr (error->message, '\n'));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  return FALSE;
}

/* How many were read: a mutator that breaks everything tests little. */
typedef struct {
  int files, read;
} Count;

/* ---- pictures ---- */

static void
check_picture (GBytes *file, gpointer data)
{
  Count *count = data;

  count->files++;
  for (int lenient = 0; lenient < 2; lenient++) {
    ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
    g_autoptr (GError) error = NULL;

    limits.max_pixels = MAX_PIXELS;
    limits.lenient = lenient;
    g_autoptr (Image) image = image_decode (file, "a file", &limits, &error);

    if (!succeeded (image, error))
      continue;
    count->read += !lenient;
    g_autoptr (Image) again = through_file (image, image->meta.format);

    assert_same_size (image, again);
    assert_same_meta (&image->meta, &again->meta);
    if (image->meta.format == TESSERA_PNG)
      assert_same_samples (image, again);
  }
}

/* A small photograph with so many channels and bits, and metadata. */
static Image *
small_photo (int channels, int depth)
{
  g_autoptr (Image) photo = load_photo_middle ("city10", 24, 20);
  Image *image = image_new (24, 20, channels, depth, NULL);

  for (gsize i = 0; i < image_pixels (image) * (gsize) channels; i++) {
    gsize pixel = i / (gsize) channels, c = i % (gsize) channels;

    image->samples[i] =
      (guint16) (photo->samples[3 * pixel + c % 3] * image_peak (image) / 255);
  }
  image->meta.exif = exif_with (6);
  image->meta.orientation = 6;
  image->meta.density_unit = DENSITY_PER_METRE;
  image->meta.density_x = image->meta.density_y = 2835;
  return image;
}

static void
add_palette (Image *image)
{
  ImagePalette *palette = g_new0 (ImagePalette, 1);

  image->palette = palette;
  palette->depth = 4;
  palette->entries = 16;
  palette->index = g_new (guint8, image_pixels (image));
  for (int i = 0; i < 16; i++)
    for (int c = 0; c < 4; c++)
      palette->colour[i][c] = c == 3 ? 255 : (guint8) (16 * i + c);
  for (gsize i = 0; i < image_pixels (image); i++) {
    palette->index[i] = (guint8) (i % 16);
    for (gsize c = 0; c < 3; c++)
      image->samples[3 * i + c] = palette->colour[i % 16][c];
  }
}

static void
break_picture (const char *kind, const Image *image, Count *count)
{
  for_each_mutant (kind, encode (image, image->meta.format), PICTURES,
                   check_picture, count);
}

static void
test_png (void)
{
  const int kinds[][2] = { { 1, 1 }, { 1, 4 },  { 1, 8 }, { 1, 16 }, { 2, 8 },
                           { 3, 8 }, { 3, 16 }, { 4, 8 }, { 4, 16 } };
  g_autoptr (Image) palette = small_photo (3, 8);
  g_autoptr (Image) interlaced = small_photo (3, 8);
  Count count = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (Image) image = small_photo (kinds[i][0], kinds[i][1]);
    g_autofree char *kind = g_strdup_printf ("PNG, %d channels of %d bits",
                                             kinds[i][0], kinds[i][1]);

    break_picture (kind, image, &count);
  }
  add_palette (palette);
  add_chunk (palette, "tEXt", 0, "Title");
  break_picture ("PNG with a palette", palette, &count);
  interlaced->meta.interlaced = TRUE;
  break_picture ("interlaced PNG", interlaced, &count);
  g_test_message ("%d of %d were read", count.read, count.files);
  g_assert_cmpint (count.read, >, count.files / 100);
  g_assert_cmpint (count.read, <, count.files / 2);
}

static GBytes *
load_bytes (const char *path)
{
  g_autoptr (GError) error = NULL;
  char *data;
  gsize size;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (data, size);
}

static void
test_jpeg (void)
{
  const char *const photos[] = { "beach2", "forest4" };
  Count count = { 0 };

  for (int channels = 1; channels <= 3; channels += 2) {
    g_autoptr (Image) image = small_photo (channels, 8);

    image->meta.format = TESSERA_JPEG;
    break_picture (channels == 1 ? "grey JPEG" : "JPEG", image, &count);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autofree char *path = g_strdup_printf ("data/photos/%s.jpg", photos[i]);

    for_each_mutant (path, load_bytes (path), PICTURES, check_picture, &count);
  }
  g_test_message ("%d of %d were read", count.read, count.files);
  g_assert_cmpint (count.read, >, count.files / 50);
  g_assert_cmpint (count.read, <, count.files);
}

/* ---- others ---- */

static void
check_dictionary (GBytes *file, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Dictionary) dictionary =
    dictionary_from_bytes (file, "a file", &error);
  Count *count = data;

  count->files++;
  if (!succeeded (dictionary, error))
    return;
  count->read++;
  for (int j = 0; j < dictionary->atoms.cols; j++) {
    double sum = 0;

    for (int i = 0; i < dictionary->atoms.rows; i++) {
      double value = *matf_at (&dictionary->atoms, i, j);

      sum += value * value;
    }
    g_assert_cmpfloat_with_epsilon (sum, 1, 1e-3);
  }
}

static void
test_dictionaries (void)
{
  g_autoptr (Dictionary) dictionary = dictionary_dct (3, 3, NULL);
  Count count = { 0 };

  for_each_mutant ("safetensors", dictionary_to_safetensors (dictionary, NULL),
                   OTHERS, check_dictionary, &count);
  for_each_mutant ("npy", dictionary_to_npy (dictionary, NULL), OTHERS,
                   check_dictionary, &count);
  g_test_message ("%d of %d were read", count.read, count.files);
  g_assert_cmpint (count.read, >, count.files / 50);
  g_assert_cmpint (count.read, <, count.files);
}

/* One mask, one way to write it. */
static void
check_runs (GBytes *file, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Mask) mask = mask_from_runs (file, 40, 30, &error);
  Count *count = data;

  count->files++;
  if (succeeded (mask, error)) {
    g_autoptr (GBytes) again = mask_to_runs (mask, NULL);

    count->read++;
    g_assert_true (g_bytes_equal (file, again));
  }
}

static void
test_mask_runs (void)
{
  g_autoptr (Mask) mask = mask_new (40, 30, NULL);
  Count count = { 0 };

  for (gsize i = 0; i < 40 * 30; i++)
    mask->missing[i] = random_uniform (1, 1, i / 7) < 0.3;
  for_each_mutant ("runs", mask_to_runs (mask, NULL), OTHERS, check_runs,
                   &count);
  g_test_message ("%d of %d were read", count.read, count.files);
  g_assert_cmpint (count.read, <, count.files);
}

static void
check_exif (GBytes *file, gpointer data)
{
  int orientation = exif_orientation (file);
  Count *count = data;

  count->files++;
  count->read += orientation == 6;
  g_assert_cmpint (orientation, >=, 1);
  g_assert_cmpint (orientation, <=, 8);
}

static void
test_exif (void)
{
  Count count = { 0 };

  for_each_mutant ("EXIF", exif_with (6), OTHERS, check_exif, &count);
  g_test_message ("%d of %d were read", count.read, count.files);
  g_assert_cmpint (count.read, >, 0);
  g_assert_cmpint (count.read, <, count.files);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/hostile/png", test_png);
  g_test_add_func ("/hostile/jpeg", test_jpeg);
  g_test_add_func ("/hostile/dictionaries", test_dictionaries);
  g_test_add_func ("/hostile/mask-runs", test_mask_runs);
  g_test_add_func ("/hostile/exif", test_exif);
  return g_test_run ();
}
