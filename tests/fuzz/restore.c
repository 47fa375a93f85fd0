/* restore.c - any bytes are a dictionary that restores a picture, or fail cleanly
 *
 * The first byte says how: see options_of(). */
#include "tests/fuzz/fuzz.h"

#include "base/random.h"
#include "imaging/restore.h"

/* Small, for the sake of speed, and with sides that no patch divides. */
enum { WIDTH = 21, HEIGHT = 17 };

static gsize
samples_of (const Image *image)
{
  return image_pixels (image) * (gsize) image->channels;
}

static Image *
make_picture (gboolean grey)
{
  Image *image = image_new (WIDTH, HEIGHT, grey ? 1 : 3, 8, NULL);

  for (gsize i = 0; i < samples_of (image); i++)
    image->samples[i] = (guint16) random_below (1, 0, i, 256);
  return image;
}

/* Single pixels, and a block that some patches do not see beyond. */
static Mask *
make_mask (void)
{
  Mask *mask = mask_new (WIDTH, HEIGHT, NULL);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      mask->missing[y * WIDTH + x] =
        (x + 3 * y) % 7 == 0 || (x > 8 && x < 14 && y > 5 && y < 11);
  return mask;
}

static RestoreOptions
options_of (uint8_t byte, const Dictionary *dictionary)
{
  static const double sigmas[] = { 0, 0.5, 25, 255 };

  return (RestoreOptions){ .quality = QUALITY_FAST,
                           .dictionary = dictionary,
                           .sigma = sigmas[byte & 3],
                           .pursuit = (byte & 4) != 0,
                           .see_through = (byte & 8) != 0,
                           .paper_protocol = (byte & 16) != 0 };
}

/* Either all samples are in range, or the picture is as it was. */
static void
check_restored (const Image *image, const Image *before, const GError *error)
{
  fuzz_check_result (error == NULL ? image : NULL, error);
  for (gsize i = 0; i < samples_of (image); i++)
    fuzz_must (error == NULL ? image->samples[i] <= image_peak (image)
                             : image->samples[i] == before->samples[i]);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes =
    size > 0 ? g_bytes_new (data + 1, size - 1) : g_bytes_new (NULL, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (Dictionary) dictionary =
    dictionary_from_bytes (bytes, "fuzz", &error);
  g_autoptr (Image) image = NULL, before = NULL;
  g_autoptr (Mask) mask = NULL;
  g_auto (RestoreReport) report = { 0 };
  RestoreOptions options;

  fuzz_check_result (dictionary, error);
  if (dictionary == NULL)
    return 0;
  options = options_of (data[0], dictionary);
  image = make_picture ((data[0] & 32) != 0);
  before = image_copy (image, NULL);
  mask = make_mask ();
  if ((data[0] & 64) != 0)
    memset (mask->missing, 0, image_pixels (image));
  image_restore (image, mask, &options, &report, NULL, &error);
  check_restored (image, before, error);
  return 0;
}
