/* test_mixhalf.c - low frequencies of a tile from a picture of half the size */
#include "base/random.h"
#include "imaging/denoise/denoiseprivate.h"
#include "imaging/halve.h"
#include "tests/support.h"

#include <math.h>

#define WIDTH 41
#define HEIGHT 35

/* Noise; a quarter of the pixels of the upper half cannot be seen. */
static Image *
noise (void)
{
  Image *image = image_new (WIDTH, HEIGHT, 4, 16, NULL);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      guint64 i = (guint64) (x + WIDTH * y);
      guint16 *pixel = image_pixel (image, x, y);

      for (int c = 0; c < 3; c++)
        pixel[c] = (guint16) (20000 + 20000 * random_uniform (1, (guint64) c, i));
      pixel[3] = y < HEIGHT / 2 && random_uniform (2, 0, i) < 0.25 ? 0 : 65535;
    }
  return image;
}

/* The part of @image from @left, @top on, with what cannot be seen white. */
static Planes *
part_of (const Image *image, int left, int top)
{
  Planes *planes = planes_new (WIDTH - left, HEIGHT - top, 3, NULL);

  for (int c = 0; c < 3; c++)
    for (int y = top; y < HEIGHT; y++)
      for (int x = left; x < WIDTH; x++)
        *planes_at (planes, c, x - left, y - top) =
          image_is_transparent (image, (gsize) (x + WIDTH * y))
            ? 1
            : (float) image_pixel (image, x, y)[c] / 65535;
  return planes;
}

/* Mixes the half of a picture, @more brighter, into the part of it from @left,
 * @top on: every pixel becomes brighter by as much, which is returned. */
static double
mixed (int left, int top, int more)
{
  const float hidden[3] = { 0.5f, 0.5f, 0.5f };
  g_autoptr (Image) image = noise ();
  g_autoptr (Image) half = image_halve (image, 3, hidden, NULL);
  g_autoptr (Planes) before = part_of (image, left, top);
  g_autoptr (Planes) after = part_of (image, left, top);
  Denoise d = { .from = image, .colours = 3, .coarse = half };
  Tile tile = { left, top, WIDTH, HEIGHT, left, top, NULL, after };
  double least = G_MAXDOUBLE, most = -G_MAXDOUBLE;

  for (gsize i = 0; i < image_pixels (half) * 3; i++)
    half->samples[i] = (guint16) (half->samples[i] + more);
  g_assert_true (tile_mix_half (&d, &tile, NULL));
  for (int c = 0; c < 3; c++)
    for (int y = HEIGHT / 2 + 3 - top; y < after->height; y++)
      for (int x = 0; x < after->width; x++) {
        double gain =
          *planes_at (after, c, x, y) - *planes_at (before, c, x, y);

        least = MIN (least, gain);
        most = MAX (most, gain);
      }
  assert_at_most (most - least, 3e-5);
  return (least + most) / 2;
}

/* What half the size knows as well changes nothing but by its rounding. */
static void
test_the_same (void)
{
  assert_at_most (fabs (mixed (0, 0, 0)), 1.5e-5);
  assert_at_most (fabs (mixed (24, 0, 0)), 1.5e-5);
}

/* More than half of a difference is taken over, the same share of any and
 * wherever a tile begins, and not all. */
static void
test_brighter (void)
{
  const double unit = 655 / 65535.;
  double gain = mixed (0, 0, 655);

  g_assert_cmpfloat (gain, >, 0.5 * unit);
  g_assert_cmpfloat (gain, <, 0.9 * unit);
  assert_at_most (fabs (mixed (24, 0, 655) - gain), 1.5e-5);
  assert_at_most (fabs (mixed (0, 0, 10 * 655) - 10 * gain), 3e-5);
  assert_at_most (fabs (mixed (0, 0, -655) + gain), 3e-5);
}

/* Pixels that cannot be seen have no part in the mean of four. */
static void
test_hidden (void)
{
  const float hidden[3] = { 0.5f, 0.5f, 0.5f };
  g_autoptr (Image) image = noise ();
  g_autoptr (Image) half = image_halve (image, 3, hidden, NULL);
  g_autoptr (Planes) before = part_of (image, 0, 0);
  g_autoptr (Planes) after = part_of (image, 0, 0);
  Denoise d = { .from = image, .colours = 3, .coarse = half };
  Tile tile = { 0, 0, WIDTH, HEIGHT, 0, 0, NULL, after };

  g_assert_true (tile_mix_half (&d, &tile, NULL));
  for (gsize i = 0; i < planes_samples (after); i++)
    g_assert_cmpfloat (fabs (after->data[i] - before->data[i]), <, 1.5e-5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mixhalf/same", test_the_same);
  g_test_add_func ("/mixhalf/brighter", test_brighter);
  g_test_add_func ("/mixhalf/hidden", test_hidden);
  return g_test_run ();
}
