/* find.c - speed of finding damage, kind by kind and all at once
 *
 * Prints for each kind and for all, on 12 megapixels as they are and with
 * scratches: core seconds and seconds, and the core seconds as a multiple of
 * what the product of two matrices of side SGEMM_SIZE takes in the same
 * minutes, which tells more about the code than about the machine.
 */
#include "base/random.h"
#include "imaging/detect/detect.h"
#include "tests/bench/bench.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>

#define SGEMM_SIZE 512
#define WIDTH 4000
#define HEIGHT 3000

/* With this many scratches, 0.8 % of the pixels. */
#define SCRATCHES 100
#define LENGTH 400

/* The bundled photograph, repeated. */
static Image *
make_picture (void)
{
  g_autoptr (Image) photo = load_photo ("mountain5");
  Image *image = image_new (WIDTH, HEIGHT, 3, 8, NULL);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          image_pixel (photo, x % photo->width, y % photo->height)[c];
  return image;
}

/* A light line, mostly opaque, that leads down. */
static void
scratch (Image *image, guint64 number)
{
  double x = 50 + (WIDTH - 100) * random_uniform (1, 0, number);
  int y = (int) ((HEIGHT - LENGTH) * random_uniform (1, 1, number));
  double slant = 0.6 * random_uniform (1, 2, number) - 0.3;

  for (int i = 0; i < LENGTH; i++)
    for (int w = 0; w < 2; w++) {
      int column = CLAMP ((int) (x + slant * i) + w, 0, WIDTH - 1);
      guint16 *pixel = image_pixel (image, column, y + i);

      for (int c = 0; c < 3; c++)
        pixel[c] = (guint16) (0.2 * pixel[c] + 0.8 * 235);
    }
}

/* One speck for so many pixels. */
#define PIXELS_TO_A_SPECK 4400

/* A light or dark disc, mostly opaque. */
static void
speck (Image *image, guint64 number)
{
  double x = WIDTH * random_uniform (2, 0, number);
  double y = HEIGHT * random_uniform (2, 1, number);
  double radius = 1 + 4 * random_uniform (2, 2, number);
  double shade = number % 2 == 0 ? 225 : 25;

  for (int v = MAX (0, (int) (y - radius)); v < MIN (y + radius + 1, HEIGHT);
       v++)
    for (int u = MAX (0, (int) (x - radius)); u < MIN (x + radius + 1, WIDTH);
         u++) {
      double cover = 0.8 * CLAMP (radius - hypot (u - x, v - y) + 0.5, 0, 1);
      guint16 *pixel = image_pixel (image, u, v);

      for (int c = 0; c < 3; c++)
        pixel[c] = (guint16) ((1 - cover) * pixel[c] + cover * shade);
    }
}

/* The seconds and core seconds of what is between start and print. */
typedef struct {
  double sgemm, begun, used;
} Timing;

static Timing
timing_start (void)
{
  double product = 2 * pow (SGEMM_SIZE, 3) / 1e9;
  double sgemm = product / bench_sgemm (SGEMM_SIZE);

  return (Timing){ sgemm, bench_now (), bench_core_seconds () };
}

static void
timing_print (const Timing *timing, const char *name, const char *kind,
              const Mask *found)
{
  double seconds = bench_now () - timing->begun;
  double core = bench_core_seconds () - timing->used;
  double pixels = (double) found->width * found->height;

  printf ("%-10s %-31s %5.2f core s, %5.2f s; %6.0f products; %5.2f %%\n",
          name, kind, core, seconds, core / timing->sgemm,
          100. * (double) mask_count (found) / pixels);
}

static void
find_each (const Image *image, const char *name)
{
  for (int i = 0; detectors[i] != NULL; i++) {
    Timing timing = timing_start ();
    g_autoptr (Mask) mask = detectors[i]->find (image, 1, NULL, NULL);

    timing_print (&timing, name, detectors[i]->noun, mask);
  }
}

static void
find_all (const Image *image, const char *name)
{
  g_autoptr (GPtrArray) kinds = detectors_named ("all", NULL);
  const DamageSearch search = { kinds, 1 };
  Timing timing = timing_start ();
  g_autoptr (Mask) mask = damage_find (image, &search, NULL, NULL, NULL);

  timing_print (&timing, name, "all kinds at once", mask);
}

int
main (int argc, char **argv)
{
  g_autoptr (Image) image = NULL;
  g_autoptr (Image) dusty = NULL;

  (void) argc;
  bench_start (argv);
  image = make_picture ();
  dusty = image_copy (image, NULL);
  find_each (image, "clean");
  find_all (image, "clean");
  for (guint64 i = 0; i < WIDTH * HEIGHT / PIXELS_TO_A_SPECK; i++)
    speck (dusty, i);
  find_each (dusty, "dusty");
  find_all (dusty, "dusty");
  for (guint64 i = 0; i < SCRATCHES; i++)
    scratch (image, i);
  find_each (image, "scratched");
  find_all (image, "scratched");
  return 0;
}
