#include "imaging/denoise/finecolours.h"

#include "base/error.h"
#include "base/parallel.h"
#include "imaging/halve.h"
#include "imaging/planes.h"

#include <math.h>
#include <string.h>

/* Variance of the brightness from which a slope counts half, e: about 4.5 of 255
 * levels, well above what is left of noise. */
#define LEAST_VARIANCE 3e-4f

/* Pixels per side that an eighth of the size must have. */
#define LEAST_SIDE 8

/* Rows that a thread takes at a time. */
#define ROWS 32

/* Blue and red differences. */
enum { COLOURS = 2 };

/* Planes of a model: means of Y and C, and slopes a. */
enum { BRIGHTNESS, COLOUR, SLOPE = COLOUR + COLOURS, MODEL = SLOPE + COLOURS };

/* Y, B - Y and R - Y of a pixel, where white is 1. */
static inline void
get_pixel (const Image *image, int x, int y, float pixel[1 + COLOURS])
{
  const guint16 *rgb = image_pixel (image, x, y);
  float scale = 1 / (float) image_peak (image);
  float red = scale * (float) rgb[0], blue = scale * (float) rgb[2];

  pixel[BRIGHTNESS] =
    0.299f * red + 0.587f * scale * (float) rgb[1] + 0.114f * blue;
  pixel[COLOUR] = blue - pixel[BRIGHTNESS];
  pixel[COLOUR + 1] = red - pixel[BRIGHTNESS];
}

/* ---- slopes ---- */

/* The window is that of binomial weights, about a Gaussian of deviation 1. */
enum { REACH = 2 };
static const float window[2 * REACH + 1] = { 1 / 16.f, 4 / 16.f, 6 / 16.f,
                                             4 / 16.f, 1 / 16.f };

/* Moments of a window: of Y, of C, of Y^2, of Y C. */
enum { SQUARE = COLOUR + COLOURS, PRODUCT, MOMENTS = PRODUCT + COLOURS };

/* Adds @weight times the moments of the pixels of row @y to @sums, which has
 * MOMENTS numbers per pixel. */
static void
add_row (const Planes *model, int y, float weight, float *sums)
{
  for (int x = 0; x < model->width; x++, sums += MOMENTS) {
    float bright = *planes_at (model, BRIGHTNESS, x, y);

    sums[BRIGHTNESS] += weight * bright;
    sums[SQUARE] += weight * (bright * bright);
    for (int c = 0; c < COLOURS; c++) {
      float colour = *planes_at (model, COLOUR + c, x, y);

      sums[COLOUR + c] += weight * colour;
      sums[PRODUCT + c] += weight * (bright * colour);
    }
  }
}

/* The moments around pixel @x, from sums over the rows around it. */
static void
add_columns (const float *sums, int width, int x, float moments[MOMENTS])
{
  for (int m = 0; m < MOMENTS; m++)
    moments[m] = 0;
  for (int k = -REACH; k <= REACH; k++) {
    const float *column = sums + CLAMP (x + k, 0, width - 1) * MOMENTS;

    for (int m = 0; m < MOMENTS; m++)
      moments[m] += window[k + REACH] * column[m];
  }
}

static void
set_slopes (Planes *model, int y, float *sums)
{
  memset (sums, 0, (gsize) model->width * MOMENTS * sizeof *sums);
  for (int k = -REACH; k <= REACH; k++)
    add_row (model, CLAMP (y + k, 0, model->height - 1), window[k + REACH],
             sums);
  for (int x = 0; x < model->width; x++) {
    float m[MOMENTS], variance;

    add_columns (sums, model->width, x, m);
    variance = m[SQUARE] - m[BRIGHTNESS] * m[BRIGHTNESS];
    for (int c = 0; c < COLOURS; c++)
      *planes_at (model, SLOPE + c, x, y) =
        (m[PRODUCT + c] - m[BRIGHTNESS] * m[COLOUR + c])
        / (fmaxf (variance, 0) + LEAST_VARIANCE);
  }
}

typedef struct {
  Planes *model;
  float *sums; /* a row of moments for each thread */
} Slopes;

static void
set_slopes_of_rows (int chunk, int worker, gpointer data)
{
  const Slopes *slopes = data;
  Planes *model = slopes->model;
  gsize row = (gsize) model->width * MOMENTS;

  for (int y = chunk * ROWS; y < MIN ((chunk + 1) * ROWS, model->height); y++)
    set_slopes (model, y, slopes->sums + (gsize) worker * row);
}

/* Means and slopes for a picture of which @half is the half. */
static Planes *
model_of (const Image *half, GError **error)
{
  g_autoptr (Planes) model =
    planes_new (half->width, half->height, MODEL, error);
  g_autofree float *sums = NULL;
  Slopes slopes;

  if (model == NULL)
    return NULL;
  sums = tessera_try_new (
    float, (gsize) parallel_threads () * (gsize) half->width * MOMENTS,
    "fine colors", error);
  if (sums == NULL)
    return NULL;
  for (int y = 0; y < half->height; y++)
    for (int x = 0; x < half->width; x++) {
      float pixel[1 + COLOURS];

      get_pixel (half, x, y, pixel);
      for (int c = 0; c <= COLOURS; c++)
        *planes_at (model, c, x, y) = pixel[c];
    }
  slopes = (Slopes){ model, sums };
  parallel_for ((half->height + ROWS - 1) / ROWS, set_slopes_of_rows, &slopes,
                NULL, NULL);
  return g_steal_pointer (&model);
}

/* (U a) (Y - U H Y) for a pixel of brightness @bright. */
static inline float
predict (const Planes *model, int colour, int x, int y, float bright)
{
  return planes_between (model, SLOPE + colour, x, y)
         * (bright - planes_between (model, BRIGHTNESS, x, y));
}

/* ---- trust ---- */

/* The least-squares factors between what @model has lost of the colours of
 * @image and what it predicts of that. */
static void
find_factors (const Image *image, const Planes *model, double factors[COLOURS])
{
  double products[COLOURS] = { 0 }, squares[COLOURS] = { 0 };

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      float pixel[1 + COLOURS];

      get_pixel (image, x, y, pixel);
      for (int c = 0; c < COLOURS; c++) {
        float predicted = predict (model, c, x, y, pixel[BRIGHTNESS]);
        float lost =
          pixel[COLOUR + c] - planes_between (model, COLOUR + c, x, y);

        products[c] += (double) predicted * (double) lost;
        squares[c] += (double) predicted * (double) predicted;
      }
    }
  for (int c = 0; c < COLOURS; c++)
    factors[c] = squares[c] > 0 ? products[c] / squares[c] : 0;
}

/* g of a picture of which @half is the half. */
static gboolean
find_trust (const Image *half, double trust[COLOURS], GError **error)
{
  const float hidden[3] = { 0 };
  g_autoptr (Image) quarter = image_halve (half, 3, hidden, error);
  g_autoptr (Image) eighth = NULL;
  g_autoptr (Planes) first = NULL, second = NULL;
  double g1[COLOURS], g2[COLOURS];

  if (quarter == NULL)
    return FALSE;
  eighth = image_halve (quarter, 3, hidden, error);
  if (eighth == NULL)
    return FALSE;
  first = model_of (quarter, error);
  if (first == NULL)
    return FALSE;
  second = model_of (eighth, error);
  if (second == NULL)
    return FALSE;
  find_factors (half, first, g1);
  find_factors (quarter, second, g2);
  for (int c = 0; c < COLOURS; c++)
    trust[c] = g1[c] > 0 && g2[c] > 0
                 ? fmin (g1[c], 1) * fmin (1, g1[c] / g2[c])
                 : 0;
  return TRUE;
}

/* ---- the picture ---- */

typedef struct {
  Image *image;
  const Planes *model;
  double trust[COLOURS];
} FineColours;

/* Adds to blue and red, and takes from green what keeps the brightness. */
static void
add_to_pixel (Image *image, int x, int y, float blue, float red)
{
  guint16 *rgb = image_pixel (image, x, y);
  float scale = 1 / (float) image_peak (image);
  float green = -(0.114f * blue + 0.299f * red) / 0.587f;

  rgb[0] = planes_to_sample (image, scale * (float) rgb[0] + red);
  rgb[1] = planes_to_sample (image, scale * (float) rgb[1] + green);
  rgb[2] = planes_to_sample (image, scale * (float) rgb[2] + blue);
}

static void
add_to_rows (int chunk, int worker, gpointer data)
{
  const FineColours *f = data;

  (void) worker;
  for (int y = chunk * ROWS; y < MIN ((chunk + 1) * ROWS, f->image->height);
       y++)
    for (int x = 0; x < f->image->width; x++) {
      float pixel[1 + COLOURS], more[COLOURS];

      get_pixel (f->image, x, y, pixel);
      for (int c = 0; c < COLOURS; c++)
        more[c] = (float) f->trust[c]
                  * predict (f->model, c, x, y, pixel[BRIGHTNESS]);
      add_to_pixel (f->image, x, y, more[0], more[1]);
    }
}

gboolean
image_add_fine_colours (Image *image, GError **error)
{
  const float hidden[3] = { 0 };
  g_autoptr (Image) half = NULL;
  g_autoptr (Planes) model = NULL;
  FineColours fine = { .image = image };

  if (image_colours (image) != 3
      || MIN (image->width, image->height) < 8 * LEAST_SIDE)
    return TRUE;
  half = image_halve (image, 3, hidden, error);
  if (half == NULL || !find_trust (half, fine.trust, error))
    return FALSE;
  fine.model = model = model_of (half, error);
  if (model == NULL)
    return FALSE;
  parallel_for ((image->height + ROWS - 1) / ROWS, add_to_rows, &fine, NULL,
                NULL);
  return TRUE;
}
