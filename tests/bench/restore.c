/* restore.c - speed of a restoration, and what it depends on
 *
 * Prints for each case: seconds; megapixels per second, of the picture and of
 * the hole; patches per second, and the same per GFLOP/s of sgemm measured
 * just before and after, which tells more about the code than about the
 * machine.  The scratch cases show that the time follows the hole, not the
 * picture.
 */
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/restore.h"
#include "tests/bench/bench.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>

#define SGEMM_SIZE 512

typedef enum { LOSS, SCRATCHES } Kind;

typedef struct {
  const char *name;
  Kind kind;
  int width, height;
  double amount; /* share of the pixels, or number of scratches */
  RestoreQuality quality;
} Case;

static const Case cases[] = {
  { "half lost, fast", LOSS, 600, 400, 0.5, QUALITY_FAST },
  { "half lost, normal", LOSS, 600, 400, 0.5, QUALITY_NORMAL },
  { "half lost, best", LOSS, 600, 400, 0.5, QUALITY_BEST },
  { "scratches", SCRATCHES, 1200, 1000, 12, QUALITY_NORMAL },
  { "ten times the hole", SCRATCHES, 1200, 1000, 120, QUALITY_NORMAL },
  { "ten times the picture", SCRATCHES, 4000, 3000, 12, QUALITY_NORMAL },
};

/* The bundled photograph, repeated. */
static Image *
make_picture (int width, int height)
{
  g_autoptr (Image) photo = load_photo ("mountain5");
  Image *image = image_new (width, height, 3, 8, NULL);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          image_pixel (photo, x % photo->width, y % photo->height)[c];
  return image;
}

/* A line three pixels wide and 400 long, in the upper left 1200 x 1000. */
static void
scratch (Mask *mask, guint64 number)
{
  double angle = G_PI * random_uniform (1, 0, number);
  double x = 400 + 400 * random_uniform (1, 1, number);
  double y = 100 + 400 * random_uniform (1, 2, number);

  for (int i = 0; i < 400; i++)
    for (int w = 0; w < 9; w++) {
      int px = (int) (x + i * cos (angle)) + w % 3;
      int py = (int) (y + i * sin (angle)) + w / 3;

      mask->missing[py * mask->width + px] = MASK_PIXEL;
    }
}

static Mask *
make_mask (const Case *c)
{
  Mask *mask = mask_new (c->width, c->height, NULL);

  for (gsize i = 0; i < (gsize) c->width * (gsize) c->height; i++)
    mask->missing[i] = c->kind == LOSS && random_uniform (2, 0, i) < c->amount;
  for (guint64 i = 0; c->kind == SCRATCHES && i < (guint64) c->amount; i++)
    scratch (mask, i);
  return mask;
}

static void
run_case (const Case *c)
{
  g_autoptr (Image) image = make_picture (c->width, c->height);
  g_autoptr (Mask) mask = make_mask (c);
  RestoreOptions options = { .quality = c->quality };
  g_auto (RestoreReport) report = { 0 };
  double sgemm = bench_sgemm (SGEMM_SIZE) / 2;
  double begun = bench_now (), seconds;

  image_restore (image, mask, &options, &report, NULL, NULL);
  seconds = bench_now () - begun;
  sgemm += bench_sgemm (SGEMM_SIZE) / 2;
  printf ("%-22s %5.1f MP, hole %6.3f MP: %6.2f s; %6.2f MP/s, hole %6.3f "
          "MP/s; %7.0f patches/s, %5.0f per GFLOP/s\n",
          c->name, (double) image_pixels (image) / 1e6,
          (double) report.masked_pixels / 1e6, seconds,
          (double) image_pixels (image) / 1e6 / seconds,
          (double) report.masked_pixels / 1e6 / seconds,
          (double) report.patches / seconds,
          (double) report.patches / seconds / sgemm);
}

int
main (int argc, char **argv)
{
  (void) argc;
  bench_start (argv);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (&cases[i]);
  return 0;
}
