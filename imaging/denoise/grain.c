#include "imaging/denoise/grain.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/sort.h"
#include "dictlearn/initial.h"
#include "imaging/planes.h"

#include <math.h>

#define STREAM 0x677261696e000000u /* "grain" */

/* Blocks begin at multiples of half their side. */
#define STEP (NOISE_SIDE / 2)

/* Squares for which the factor is chosen, the distance from their middle within
 * which pixels are compared, and how many known ones that takes; where there
 * are fewer, the distance is doubled. */
#define TILE 16
#define REACH 24
#define LEAST_KNOWN 256

/* Most pixels that are compared: of larger squares, evenly spaced ones. */
#define MOST_COMPARED (2 * REACH * 2 * REACH)

typedef struct {
  Image *image;
  const Mask *filled;
  Mask *near; /* what is filled, and all pixels beside it */
  const NoiseModel *model;
  guint64 seed;
  float share;
  Planes *noise;                    /* its mixed colours */
  float root[NOISE_COSINES][3][3];  /* L, where R = L L' */
  double cosine[NOISE_SIDE][NOISE_SIDE]; /* number k at i */
  float window[NOISE_SIDE];
  int pass;                         /* 0 .. 3: blocks that do not overlap */
  float *factors;                   /* of the tiles */
} Grain;

/* ---- 1. noise ---- */

/* L L' = R(f); what rounding has made negative is 0. */
static void
take_root (const NoiseModel *model, int f, float L[3][3])
{
  for (int a = 0; a < model->colours; a++)
    for (int b = 0; b <= a; b++) {
      double left = (double) model->correlation[f][a][b];

      for (int k = 0; k < b; k++)
        left -= (double) L[a][k] * (double) L[b][k];
      if (a == b)
        L[a][a] = (float) sqrt (fmax (left, 0));
      else
        L[a][b] = L[b][b] > 0 ? (float) left / L[b][b] : 0;
    }
}

static void
prepare (Grain *g)
{
  for (int f = 0; f < NOISE_COSINES; f++)
    take_root (g->model, f, g->root[f]);
  for (int i = 0; i < NOISE_SIDE; i++) {
    g->window[i] = (float) sin (G_PI * (i + 0.5) / NOISE_SIDE);
    for (int k = 0; k < NOISE_SIDE; k++)
      g->cosine[k][i] = dct_entry (k, i, NOISE_SIDE);
  }
}

/* The part of the block at @x, @y that lies in the picture. */
static ImageArea
block_area (const Grain *g, int x, int y)
{
  int left = MAX (x, 0), top = MAX (y, 0);

  return (ImageArea){ left, top, MIN (x + NOISE_SIDE, g->image->width) - left,
                      MIN (y + NOISE_SIDE, g->image->height) - top };
}

static gboolean
is_needed (const Grain *g, const ImageArea *area)
{
  for (int y = area->y; y < area->y + area->height; y++)
    for (int x = area->x; x < area->x + area->width; x++)
      if (g->near->missing[(gsize) y * (gsize) g->image->width + (gsize) x])
        return TRUE;
  return FALSE;
}

/* Mean of the colours of a pixel, where white is 1. */
static float
brightness (const Image *image, int x, int y)
{
  const guint16 *pixel = image_pixel (image, x, y);
  int colours = image_colours (image), sum = 0;

  for (int c = 0; c < colours; c++)
    sum += pixel[c];
  return (float) sum / (float) (colours * image_peak (image));
}

static int
level_of (const Grain *g, const ImageArea *area)
{
  float sum = 0;

  for (int y = area->y; y < area->y + area->height; y++)
    for (int x = area->x; x < area->x + area->width; x++)
      sum += brightness (g->image, x, y);
  return noise_model_level (sum / (float) (area->width * area->height));
}

/* The cosines of the mixed colours of block (@i, @j). */
static void
draw_codes (const Grain *g, int i, int j, int level,
            double codes[3][NOISE_COSINES])
{
  guint64 block = (guint64) j << 24 | (guint64) i;
  int colours = g->model->colours;

  for (int f = 0; f < NOISE_COSINES; f++) {
    double normal[3];

    for (int c = 0; c < colours; c++)
      normal[c] = random_normal (
        g->seed, STREAM,
        block << 8 | (guint64) (4 * f) | (guint64) c);
    for (int a = 0; a < colours; a++) {
      codes[a][f] = 0;
      for (int b = 0; b <= a; b++)
        codes[a][f] += (double) g->model->deviation[level][a]
                       * (double) g->root[f][a][b] * normal[b];
    }
  }
}

/* Adds what @codes of mixed colour @a mean to the block at @x, @y. */
static void
add_codes (const Grain *g, const double codes[NOISE_COSINES], int a, int x,
           int y, const ImageArea *area)
{
  double rows[NOISE_SIDE][NOISE_SIDE] = { { 0 } }; /* cosine l, column u */

  for (int l = 0; l < NOISE_SIDE; l++)
    for (int k = 0; k < NOISE_SIDE; k++)
      for (int u = 0; u < NOISE_SIDE; u++)
        rows[l][u] += codes[k + NOISE_SIDE * l] * g->cosine[k][u];
  for (int v = area->y - y; v < area->y - y + area->height; v++)
    for (int u = area->x - x; u < area->x - x + area->width; u++) {
      double sum = 0;

      for (int l = 0; l < NOISE_SIDE; l++)
        sum += rows[l][u] * g->cosine[l][v];
      *planes_at (g->noise, a, x + u, y + v) +=
        g->window[u] * g->window[v] * (float) sum;
    }
}

static void
draw_block (const Grain *g, int i, int j)
{
  int x = STEP * (i - 1), y = STEP * (j - 1);
  const ImageArea area = block_area (g, x, y);
  double codes[3][NOISE_COSINES];

  if (!is_needed (g, &area))
    return;
  draw_codes (g, i, j, level_of (g, &area), codes);
  for (int a = 0; a < g->model->colours; a++)
    add_codes (g, codes[a], a, x, y, &area);
}

/* How many blocks, or tiles, of that distance cover @length. */
static int
count_of (int length, int distance)
{
  return (length + distance - 1) / distance;
}

/* Every second block of every second row: the one of number @row. */
static void
draw_row (int row, int worker, gpointer data)
{
  const Grain *g = data;
  int across = count_of (g->image->width, STEP) + 1;
  int j = 2 * row + g->pass / 2;

  (void) worker;
  if (j > count_of (g->image->height, STEP))
    return;
  for (int i = g->pass % 2; i < across; i += 2)
    draw_block (g, i, j);
}

static gboolean
draw_noise (Grain *g, GError **error)
{
  int down = count_of (g->image->height, STEP) + 1;

  prepare (g);
  for (g->pass = 0; g->pass < 4; g->pass++)
    if (!parallel_for ((down + 1) / 2, draw_row, g, NULL, error))
      return FALSE;
  return TRUE;
}

/* ---- 2. how much of it ---- */

/* The noise of brightness, in units of brightness(). */
static float
noise_at (const Grain *g, int x, int y)
{
  return *planes_at (g->noise, 0, x, y)
         / sqrtf ((float) g->model->colours);
}

static float
picture_at (const Grain *g, int x, int y)
{
  return brightness (g->image, x, y);
}

/* What is left of the pixel without the weighted mean of 3 x 3, absolute. */
static float
high_pass (const Grain *g, float (*at) (const Grain *g, int x, int y), int x,
           int y)
{
  static const float weights[3] = { 0.25f, 0.5f, 0.25f };
  float sum = 0;

  for (int v = -1; v <= 1; v++)
    for (int u = -1; u <= 1; u++)
      sum += weights[u + 1] * weights[v + 1]
             * at (g, CLAMP (x + u, 0, g->image->width - 1),
                   CLAMP (y + v, 0, g->image->height - 1));
  return fabsf (at (g, x, y) - sum);
}

static double
median (float *values, int count)
{
  if (count == 0)
    return 0;
  sort_floats (values, (gsize) count);
  return (double) values[count / 2];
}

/* The high-pass of some pixels in a square. */
typedef struct {
  float known[MOST_COMPARED], fill[MOST_COMPARED], noise[MOST_COMPARED];
  int known_count, fill_count;
} Compared;

static void
compare (const Grain *g, int x, int y, int reach, Compared *result)
{
  int spacing = reach / REACH;

  result->known_count = result->fill_count = 0;
  for (int v = y - reach; v < y + reach; v += spacing)
    for (int u = x - reach; u < x + reach; u += spacing) {
      gsize i = (gsize) v * (gsize) g->image->width + (gsize) u;

      if (u < 0 || v < 0 || u >= g->image->width || v >= g->image->height
          || image_is_transparent (g->image, i))
        continue;
      if (!g->near->missing[i])
        result->known[result->known_count++] = high_pass (g, picture_at, u, v);
      else if (g->filled->missing[i]) {
        result->fill[result->fill_count] = high_pass (g, picture_at, u, v);
        result->noise[result->fill_count++] = high_pass (g, noise_at, u, v);
      }
    }
}

/* The factor for the tile around @x, @y; 1 where nothing is known that could
 * tell. */
static float
factor_at (const Grain *g, int x, int y, Compared *c)
{
  int most = MAX (g->image->width, g->image->height);
  double known, fill, noise;

  for (int reach = REACH;; reach *= 2) {
    compare (g, x, y, reach, c);
    if (c->known_count >= LEAST_KNOWN || reach >= most)
      break;
  }
  if (c->known_count == 0 || c->fill_count == 0)
    return 1;
  known = median (c->known, c->known_count);
  fill = median (c->fill, c->fill_count);
  noise = median (c->noise, c->fill_count);
  if (!(known > fill && noise > 0))
    return 0;
  return (float) fmin (1, sqrt (known * known - fill * fill) / noise);
}

/* Chooses the factors of a row of tiles. */
static void
choose_row (int row, int worker, gpointer data)
{
  const Grain *g = data;
  int across = count_of (g->image->width, TILE);
  g_autofree Compared *compared = g_new (Compared, 1);

  (void) worker;
  for (int i = 0; i < across; i++) {
    const ImageArea area = { TILE * i, TILE * row,
                             MIN (TILE, g->image->width - TILE * i),
                             MIN (TILE, g->image->height - TILE * row) };

    if (is_needed (g, &area))
      g->factors[row * across + i] = factor_at (
        g, area.x + TILE / 2, area.y + TILE / 2, compared);
  }
}

/* ---- 3. into the picture ---- */

static void
add_to_pixel (const Grain *g, int x, int y)
{
  guint16 *pixel = image_pixel (g->image, x, y);
  gsize i = (gsize) y * (gsize) g->image->width + (gsize) x;
  guint8 missing = g->filled->missing[i];
  int colours = image_colours (g->image), mixed = g->model->colours;
  int across = count_of (g->image->width, TILE);
  float factor = g->share * g->factors[y / TILE * across + x / TILE];

  for (int c = 0; c < colours; c++) {
    float sum = 0;

    for (int a = 0; a < mixed; a++)
      sum += *planes_at (g->noise, a, x, y)
             * (float) dct_entry (a, c % mixed, mixed);
    if (mask_hides (missing, c))
      pixel[c] = planes_to_sample (
        g->image,
        (float) pixel[c] / (float) image_peak (g->image) + factor * sum);
  }
  /* That may move the last colour, which must not be one that is known. */
  if (mask_hides (missing, colours - 1))
    image_avoid_key (g->image, i);
}

static void
add_noise (const Grain *g)
{
  for (int y = 0; y < g->image->height; y++)
    for (int x = 0; x < g->image->width; x++) {
      gsize i = (gsize) y * (gsize) g->image->width + (gsize) x;

      if (g->filled->missing[i] && !image_is_transparent (g->image, i))
        add_to_pixel (g, x, y);
    }
}

gboolean
image_add_grain (Image *image, const Mask *filled, const NoiseModel *noise,
                 double share, guint64 seed, GError **error)
{
  int across = count_of (image->width, TILE);
  int down = count_of (image->height, TILE);
  g_autoptr (Planes) planes =
    planes_new (image->width, image->height, noise->colours, error);
  g_autoptr (Mask) near = planes != NULL ? mask_widened (filled, 1, error)
                                         : NULL;
  g_autofree float *factors =
    near != NULL
      ? tessera_try_new0 (float, (gsize) across * (gsize) down, "grain", error)
      : NULL;
  Grain g = { .image = image,
              .filled = filled,
              .near = near,
              .model = noise,
              .seed = seed,
              .share = (float) share,
              .noise = planes,
              .factors = factors };

  if (factors == NULL || !draw_noise (&g, error)
      || !parallel_for (down, choose_row, &g, NULL, error))
    return FALSE;
  add_noise (&g);
  return TRUE;
}
