/* test_bridge.c - a second look at a picture without what was found */
#include "base/random.h"
#include "imaging/detect/bridge.h"
#include "imaging/detect/detect.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 400, HEIGHT = 300 };

/* A slope with some grain. */
static Image *
make_picture (int channels, int depth)
{
  Image *image = image_new (WIDTH, HEIGHT, channels, depth, NULL);
  double unit = depth == 16 ? 257 : 1;

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < channels; c++) {
        guint64 index = (guint64) ((y * WIDTH + x) * channels + c);
        double grain = 6 * random_uniform (3, 1, index);

        image_pixel (image, x, y)[c] =
          (guint16) (unit * (70 + x / 10. + y / 12. + grain));
      }
  return image;
}

static void
test_bridge (void)
{
  g_test_summary ("Marked pixels come near what they were; others stay");
  for (int k = 0; k < 4; k++) {
    int channels = k % 2 ? 4 : 1, depth = k / 2 ? 16 : 8;
    double unit = depth == 16 ? 257 : 1;
    g_autoptr (Image) truth = make_picture (channels, depth);
    g_autoptr (Image) image = image_copy (truth, NULL);
    g_autoptr (Image) bridged = NULL;
    g_autoptr (Mask) mask = mask_new (WIDTH, HEIGHT, NULL);

    for (int y = 0; y < HEIGHT; y++)
      for (int x = MAX (0, y - 1); x <= y + 1; x++) {
        mask->missing[y * WIDTH + x] = MASK_PIXEL;
        for (int c = 0; c < image_colours (image); c++)
          image_pixel (image, x, y)[c] = 0;
      }
    bridged = image_bridge (image, mask, NULL);
    g_assert_nonnull (bridged);
    for (gsize i = 0; i < WIDTH * HEIGHT * (gsize) channels; i++) {
      int far = bridged->samples[i] - truth->samples[i];

      if (mask->missing[i / (gsize) channels])
        g_assert_cmpfloat (fabs (far / unit), <=, 7);
      else
        g_assert_cmpint (far, ==, 0);
    }
  }
}

static void
test_nothing_near (void)
{
  g_autoptr (Image) image = make_picture (3, 8);
  g_autoptr (Mask) mask = mask_new (WIDTH, HEIGHT, NULL);
  g_autoptr (Image) bridged = NULL;

  g_test_summary ("Where all is marked, the picture stays as it is");
  memset (mask->missing, MASK_PIXEL, WIDTH * HEIGHT);
  bridged = image_bridge (image, mask, NULL);
  g_assert_cmpmem (bridged->samples, WIDTH * HEIGHT * 3 * sizeof (guint16),
                   image->samples, WIDTH * HEIGHT * 3 * sizeof (guint16));
}

/* Draws a steep line of @shade, bent a little, with soft edges. */
static void
draw_scratch (Image *image, double x0, double width, double shade, Mask *truth)
{
  for (int y = 0; y < HEIGHT; y++) {
    double middle = x0 + 0.1 * y + 3 * sin (y / 40. + x0);

    for (int x = (int) middle - 4; x <= (int) middle + 5; x++) {
      double cover = CLAMP (0.5 * width + 0.5 - fabs (x - middle), 0, 1);

      if (x < 0 || x >= WIDTH || cover <= 0)
        continue;
      for (int c = 0; c < 3; c++) {
        guint16 *sample = &image_pixel (image, x, y)[c];

        *sample = (guint16) lround (*sample + cover * (shade - *sample));
      }
      if (truth != NULL && cover > 0.5)
        truth->missing[y * WIDTH + x] = MASK_PIXEL;
    }
  }
}

static void
test_faint_beside_strong (void)
{
  g_autoptr (Image) image = make_picture (3, 8);
  g_autoptr (Mask) truth = mask_new (WIDTH, HEIGHT, NULL);
  g_autoptr (Mask) found = NULL;
  gsize hit = 0;

  g_test_summary ("A faint scratch among strong ones is found");
  for (int k = 0; k < 8; k++)
    draw_scratch (image, 30 + 40 * k, 3, 250, NULL);
  for (int k = 0; k < 7; k++)
    draw_scratch (image, 50 + 40 * k, 1.4, 150, truth);
  found = detector_scratches.find (image, 1, NULL, NULL);
  g_assert_nonnull (found);
  for (gsize i = 0; i < WIDTH * HEIGHT; i++)
    hit += truth->missing[i] && found->missing[i];
  g_test_message ("%zu of %zu pixels", hit, mask_count (truth));
  g_assert_cmpuint (10 * hit, >=, 8 * mask_count (truth));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bridge/marked", test_bridge);
  g_test_add_func ("/bridge/nothing-near", test_nothing_near);
  g_test_add_func ("/bridge/faint", test_faint_beside_strong);
  return g_test_run ();
}
