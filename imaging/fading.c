#include "imaging/fading.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/spdsolve.h"
#include "imaging/planes.h"

#include <math.h>
#include <string.h>

/* Step 1: the longest side; and rows of the result that a thread takes. */
#define REDUCED 256
#define ROWS 16

/* Quantiles of a channel, and of a cell. */
#define TAIL 0.005
#define CELL_TAIL 0.01

/* Step 3: cells along the longer side, s, the weight of r < 0, the penalty
 * and what is taken off a field. */
#define CELLS 8
#define NEARNESS 0.1
#define BELOW 3.
#define PENALTY 0.05
#define DEAD_ZONE 0.1
#define FIT_STEPS 20

/* Step 4: B and W, the largest gain, and the least w - b. */
#define BLACK 0.08
#define WHITE 0.93
#define MAX_GAIN 2.2
#define MIN_FIELD 0.5

/* Spans and black points at which the correction begins and is complete. */
#define SPAN_CLEAN 0.5
#define SPAN_FADED 0.47
#define BLACK_CLEAN 0.05
#define BLACK_FADED 0.1

/* Pictures with less contrast than that have nothing to bring back. */
#define MIN_SPAN 0.08

/* Of a channel in a division. */
#define SPAN_FLOOR 0.02

/* Largest share of the colours of a toned picture that its brightness does not
 * explain, and levels of brightness in that. */
#define TONED 0.08
#define TONE_LEVELS 32

/* Fewer squares than that say nothing. */
#define MIN_SQUARES 64

enum { TERMS = 6, COLOURS = 3 };

/* b + (w - b) x for the channel or the brightness, as t = (y - low) scale. */
typedef struct {
  double low, scale;
} Levels;

/* A quadratic function of the place, -1 .. 1 along each side. */
typedef struct {
  double c[TERMS];
} Field;

/* The picture in small, and what was estimated from it. */
typedef struct {
  const Image *image;
  const Mask *missing;
  int square;            /* side of a square, in pixels */
  int width, height;     /* in squares */
  int colours;           /* 1 if the brightness stands for all */
  float *values;         /* COLOURS per square, then one of each in turn */
  guint8 *counts;        /* whether enough pixels of a square do */
  float *sorted;         /* room for one value per square */
  gsize used;            /* squares that count */
  Levels levels[COLOURS];
  Field black, white;
} Small;

/* How samples change: out = offset + slope (t - b) / (w - b). */
typedef struct {
  Image *image;
  const Small *small;
  double slope[COLOURS], offset[COLOURS];
  double strength;
  gboolean is_toned;
  gboolean is_neutral; /* toned pictures become grey */
} Undoing;

static inline float
brightness_of (const float value[COLOURS])
{
  return 0.299f * value[0] + 0.587f * value[1] + 0.114f * value[2];
}

/* ---- 1. the picture in small ---- */

static inline void
get_value (const Image *image, gsize i, float value[COLOURS])
{
  const guint16 *sample = image->samples + i * (gsize) image->channels;
  float scale = 1 / (float) image_peak (image);

  for (int c = 0; c < COLOURS; c++)
    value[c] = scale * (float) sample[image_colours (image) == 1 ? 0 : c];
}

static void
reduce_square (Small *small, int x, int y)
{
  const Image *image = small->image;
  int side = small->square, pixels = 0, counted = 0;
  guint64 sums[COLOURS] = { 0 };
  gsize square = (gsize) y * (gsize) small->width + (gsize) x;

  for (int v = y * side; v < MIN ((y + 1) * side, image->height); v++)
    for (int u = x * side; u < MIN ((x + 1) * side, image->width); u++) {
      gsize i = (gsize) v * (gsize) image->width + (gsize) u;
      const guint16 *sample = image_pixel (image, u, v);

      pixels++;
      if (small->missing->missing[i] != 0 || image_is_transparent (image, i))
        continue;
      counted++;
      for (int c = 0; c < COLOURS; c++)
        sums[c] += sample[image_colours (image) == 1 ? 0 : c];
    }
  small->counts[square] = counted > 0 && 2 * counted >= pixels;
  for (int c = 0; c < COLOURS && counted > 0; c++)
    small->values[square * COLOURS + (gsize) c] =
      (float) ((double) sums[c] / counted / image_peak (image));
}

static void
reduce_rows (int chunk, int worker, gpointer data)
{
  Small *small = data;

  (void) worker;
  for (int y = chunk * ROWS; y < MIN ((chunk + 1) * ROWS, small->height); y++)
    for (int x = 0; x < small->width; x++)
      reduce_square (small, x, y);
}

static void
small_clear (Small *small)
{
  g_free (small->values);
  g_free (small->counts);
  g_free (small->sorted);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Small, small_clear)

static gboolean
reduce (Small *small, const Image *image, const Mask *missing, GError **error)
{
  int side = MAX (image->width, image->height);
  gsize squares;

  small->image = image;
  small->missing = missing;
  small->square = (side + REDUCED - 1) / REDUCED;
  small->width = (image->width + small->square - 1) / small->square;
  small->height = (image->height + small->square - 1) / small->square;
  squares = (gsize) small->width * (gsize) small->height;
  small->values =
    tessera_try_new (float, COLOURS * squares, "a small picture", error);
  if (small->values == NULL)
    return FALSE;
  small->counts = tessera_try_new (guint8, squares, "a small picture", error);
  if (small->counts == NULL)
    return FALSE;
  small->sorted = tessera_try_new (float, squares, "a small picture", error);
  if (small->sorted == NULL)
    return FALSE;
  parallel_for ((small->height + ROWS - 1) / ROWS, reduce_rows, small, NULL,
                NULL);
  for (gsize i = 0; i < squares; i++)
    small->used += small->counts[i];
  return TRUE;
}

/* ---- is it toned? ---- */

/* The sum of squares of what the brightness does not explain of channel @c. */
static double
unexplained (const Small *small, int c, double low, double span)
{
  double sums[TONE_LEVELS] = { 0 }, squares[TONE_LEVELS] = { 0 };
  double counts[TONE_LEVELS] = { 0 }, rest = 0;

  for (gsize i = 0; i < (gsize) small->width * (gsize) small->height; i++) {
    const float *value = small->values + i * COLOURS;
    double bright = brightness_of (value), colour = value[c] - bright;
    int level = (int) CLAMP (TONE_LEVELS * (bright - low) / span, 0,
                             TONE_LEVELS - 1);

    if (!small->counts[i])
      continue;
    counts[level]++;
    sums[level] += colour;
    squares[level] += colour * colour;
  }
  for (int level = 0; level < TONE_LEVELS; level++)
    if (counts[level] > 0)
      rest += squares[level] - sums[level] * sums[level] / counts[level];
  return MAX (rest, 0);
}

/* The values that count at @offset of each square, in ascending order. */
static const float *
sort_values (Small *small, int offset)
{
  gsize used = 0;

  for (gsize i = 0; i < (gsize) small->width * (gsize) small->height; i++)
    if (small->counts[i])
      small->sorted[used++] = small->values[i * COLOURS + (gsize) offset];
  sort_floats (small->sorted, used);
  return small->sorted;
}

static double
quantile (const float *sorted, gsize count, double q)
{
  return sorted[(gsize) (q * (double) (count - 1) + 0.5)];
}

static gboolean
is_toned (Small *small)
{
  double low = 1, high = 0, mean = 0, variance = 0;

  for (gsize i = 0; i < (gsize) small->width * (gsize) small->height; i++) {
    double bright = brightness_of (small->values + i * COLOURS);

    if (!small->counts[i])
      continue;
    low = MIN (low, bright);
    high = MAX (high, bright);
    mean += bright;
    variance += bright * bright;
  }
  mean /= (double) small->used;
  variance -= (double) small->used * mean * mean;
  if (high - low < SPAN_FLOOR)
    return TRUE;
  return unexplained (small, 0, low, high - low)
             + unexplained (small, 2, low, high - low)
           < 2 * TONED * TONED * variance;
}

/* ---- 2. levels ---- */

/* Of toned pictures, the brightness is all that is looked at. */
static void
keep_brightness (Small *small)
{
  for (gsize i = 0; i < (gsize) small->width * (gsize) small->height; i++)
    small->values[i * COLOURS] =
      brightness_of (small->values + i * COLOURS);
}

static void
find_levels (Small *small)
{
  for (int c = 0; c < small->colours; c++) {
    const float *sorted = sort_values (small, c);
    double low = quantile (sorted, small->used, TAIL);
    double high = quantile (sorted, small->used, 1 - TAIL);

    small->levels[c] = (Levels){ low, 1 / MAX (high - low, SPAN_FLOOR) };
  }
}

/* The largest h - l. */
static double
global_span (const Small *small)
{
  double span = 0;

  for (int c = 0; c < small->colours; c++)
    span = MAX (span, 1 / small->levels[c].scale);
  return span;
}

static double
lowest (const Small *small)
{
  double low = 1;

  for (int c = 0; c < small->colours; c++)
    low = MIN (low, small->levels[c].low);
  return low;
}

/* ---- 3. fields ---- */

static void
terms_at (double u, double v, double terms[TERMS])
{
  terms[0] = 1;
  terms[1] = u;
  terms[2] = v;
  terms[3] = u * u - 1. / 3;
  terms[4] = v * v - 1. / 3;
  terms[5] = u * v;
}

static double
field_at (const Field *field, const double terms[TERMS])
{
  double sum = 0;

  for (int i = 0; i < TERMS; i++)
    sum += field->c[i] * terms[i];
  return sum;
}

/* The quantile of a cell that counts. */
typedef struct {
  double terms[TERMS];
  double low, high;
} Cell;

/* One step of the fit to the low quantiles of @cells, or to the high ones,
 * times @sign. */
static void
fit_once (const GArray *cells, int sign, Field *field)
{
  double A[TERMS][TERMS] = { 0 }, b[TERMS] = { 0 };

  for (guint n = 0; n < cells->len; n++) {
    const Cell *cell = &g_array_index (cells, Cell, n);
    double value = sign > 0 ? cell->low : -cell->high;
    double r = value - field_at (field, cell->terms);
    double near = NEARNESS * NEARNESS / (NEARNESS * NEARNESS + r * r);
    double weight = r > 0 ? near * near : BELOW;

    for (int i = 0; i < TERMS; i++) {
      b[i] += weight * value * cell->terms[i];
      for (int j = 0; j < TERMS; j++)
        A[i][j] += weight * cell->terms[i] * cell->terms[j];
    }
  }
  for (int i = 1; i < TERMS; i++)
    A[i][i] += PENALTY * cells->len;
  spd_factor (A[0], TERMS, TERMS);
  spd_solve_lower (A[0], TERMS, TERMS, b);
  spd_solve_upper (A[0], TERMS, TERMS, b);
  memcpy (field->c, b, sizeof b);
}

static int
compare_low (gconstpointer a, gconstpointer b)
{
  double x = ((const Cell *) a)->low, y = ((const Cell *) b)->low;

  return (x > y) - (x < y);
}

static int
compare_high (gconstpointer a, gconstpointer b)
{
  double x = ((const Cell *) a)->high, y = ((const Cell *) b)->high;

  return (x < y) - (x > y);
}

/* Begins at a twentieth of the cells from the end. */
static Field
fit (GArray *cells, int sign)
{
  Field field = { { 0 } };
  const Cell *first;

  g_array_sort (cells, sign > 0 ? compare_low : compare_high);
  first = &g_array_index (cells, Cell, cells->len / 20);
  field.c[0] = sign > 0 ? first->low : -first->high;
  for (int step = 0; step < FIT_STEPS; step++)
    fit_once (cells, sign, &field);
  for (int i = 0; i < TERMS; i++)
    field.c[i] *= sign;
  return field;
}

/* T of square @i. */
static float
mean_value (const Small *small, gsize i)
{
  double sum = 0;

  for (int c = 0; c < small->colours; c++)
    sum += (small->values[i * COLOURS + (gsize) c] - small->levels[c].low)
           * small->levels[c].scale;
  return (float) (sum / small->colours);
}

/* Adds the cell of the squares from @x0, @y0 to @x1, @y1, without the last
 * ones, if a quarter of them counts. */
static void
add_cell (Small *small, int x0, int y0, int x1, int y1, GArray *cells)
{
  gsize used = 0;
  Cell cell;

  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) {
      gsize i = (gsize) y * (gsize) small->width + (gsize) x;

      if (small->counts[i])
        small->sorted[used++] = mean_value (small, i);
    }
  if (used == 0 || 4 * used < (gsize) (x1 - x0) * (gsize) (y1 - y0))
    return;
  sort_floats (small->sorted, used);
  cell.low = quantile (small->sorted, used, CELL_TAIL);
  cell.high = quantile (small->sorted, used, 1 - CELL_TAIL);
  terms_at ((double) (x0 + x1) / small->width - 1,
            (double) (y0 + y1) / small->height - 1, cell.terms);
  g_array_append_val (cells, cell);
}

static GArray *
find_cells (Small *small)
{
  GArray *cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  int side = MAX (small->width, small->height);
  int across = MAX ((CELLS * small->width + side / 2) / side, 1);
  int down = MAX ((CELLS * small->height + side / 2) / side, 1);

  for (int y = 0; y < down; y++)
    for (int x = 0; x < across; x++)
      add_cell (small, x * small->width / across, y * small->height / down,
                (x + 1) * small->width / across,
                (y + 1) * small->height / down, cells);
  return cells;
}

/* Takes the mean off @field, and of the rest what content may bring about. */
static void
take_off (Field *field)
{
  double most = 0, factor;

  field->c[0] = 0;
  for (int y = 0; y <= CELLS; y++)
    for (int x = 0; x <= CELLS; x++) {
      double terms[TERMS];

      terms_at (2. * x / CELLS - 1, 2. * y / CELLS - 1, terms);
      most = MAX (most, fabs (field_at (field, terms)));
    }
  factor = most > DEAD_ZONE ? 1 - DEAD_ZONE / most : 0;
  for (int i = 0; i < TERMS; i++)
    field->c[i] *= factor;
}

/* Fits both fields; returns the mean of w - b before anything is taken off. */
static double
find_fields (Small *small)
{
  g_autoptr (GArray) cells = find_cells (small);
  double span = 1;

  if (cells->len > 0) {
    small->black = fit (cells, 1);
    small->white = fit (cells, -1);
    span = small->white.c[0] - small->black.c[0];
  }
  take_off (&small->black);
  take_off (&small->white);
  return span;
}

/* b and w - b at a place, -1 .. 1. */
static inline void
fields_at (const Small *small, double u, double v, double *black,
           double *span)
{
  double terms[TERMS];

  terms_at (u, v, terms);
  *black = field_at (&small->black, terms);
  *span = MAX (1 + field_at (&small->white, terms) - *black, MIN_FIELD);
}

/* ---- 4. undo ---- */

/* Replaces the values of the small picture by (t - b) / (w - b). */
static void
apply_to_small (Small *small)
{
  for (int y = 0; y < small->height; y++)
    for (int x = 0; x < small->width; x++) {
      float *value =
        small->values
        + ((gsize) y * (gsize) small->width + (gsize) x) * COLOURS;
      double black, span;

      fields_at (small, (2. * x + 1) / small->width - 1,
                 (2. * y + 1) / small->height - 1, &black, &span);
      for (int c = 0; c < small->colours; c++)
        value[c] = (float) (((value[c] - small->levels[c].low)
                               * small->levels[c].scale
                             - black)
                            / span);
    }
}

/* Contrast is never taken away. */
static void
choose_curve (Small *small, int c, Undoing *undoing)
{
  const Levels *levels = &small->levels[c];
  const float *sorted = sort_values (small, c);
  double low = quantile (sorted, small->used, TAIL);
  double high = quantile (sorted, small->used, 1 - TAIL);
  double black = MIN (BLACK, levels->low);
  double white = MAX (WHITE, levels->low + 1 / levels->scale);
  double slope = (white - black) / MAX (high - low, SPAN_FLOOR);

  undoing->slope[c] = MIN (slope, MAX_GAIN / levels->scale);
  undoing->offset[c] =
    (black + white) / 2 - undoing->slope[c] * (low + high) / 2;
}

/* The value @value of channel @c, of a place with @black and @span. */
static inline double
undo_value (const Undoing *undoing, int c, double value, double black,
            double span)
{
  const Levels *levels = &undoing->small->levels[c];
  double t = (value - levels->low) * levels->scale;
  double out = undoing->offset[c] + undoing->slope[c] * (t - black) / span;

  return value + undoing->strength * (out - value);
}

static void
undo_pixel (const Undoing *undoing, int x, int y)
{
  Image *image = undoing->image;
  gsize i = (gsize) y * (gsize) image->width + (gsize) x;
  guint16 *sample = image_pixel (image, x, y);
  float value[COLOURS];
  double black, span, shift = 0, bright = 0;

  get_value (image, i, value);
  fields_at (undoing->small, (2. * x + 1) / image->width - 1,
             (2. * y + 1) / image->height - 1, &black, &span);
  if (undoing->is_toned) {
    bright = brightness_of (value);
    shift = undo_value (undoing, 0, bright, black, span) - bright;
  }
  for (int c = 0; c < image_colours (image); c++) {
    double from = undoing->is_neutral ? bright : value[c];
    double to = undoing->is_toned
                  ? from + shift
                  : undo_value (undoing, c, value[c], black, span);

    sample[c] = planes_to_sample (image, (float) to);
  }
  image_avoid_key (image, i);
}

static void
undo_rows (int chunk, int worker, gpointer data)
{
  const Undoing *undoing = data;
  const Image *image = undoing->image;

  (void) worker;
  for (int y = chunk * ROWS; y < MIN ((chunk + 1) * ROWS, image->height); y++)
    for (int x = 0; x < image->width; x++)
      if (!image_is_transparent (image,
                                 (gsize) y * (gsize) image->width + (gsize) x))
        undo_pixel (undoing, x, y);
}

/* ---- */

static double
ramp (double value, double from, double to)
{
  return CLAMP ((value - from) / (to - from), 0, 1);
}

/* How much is done about fading. */
static double
choose_strength (const Small *small, FadingMode mode, double span)
{
  if (global_span (small) < MIN_SPAN)
    return 0;
  if (mode == FADING_ALWAYS)
    return 1;
  return ramp (span, SPAN_CLEAN, SPAN_FADED)
         * ramp (lowest (small), BLACK_CLEAN, BLACK_FADED);
}

gboolean
image_undo_fading (Image *image, const Mask *missing, FadingMode mode,
                   FoundFading *found, GError **error)
{
  g_auto (Small) small = { .colours = COLOURS };
  Undoing undoing = { .image = image, .small = &small };

  *found = (FoundFading){ 0 };
  if (mode == FADING_KEEP || image->depth < 8)
    return TRUE;
  if (!reduce (&small, image, missing, error))
    return FALSE;
  if (small.used < MIN_SQUARES)
    return TRUE;
  undoing.is_toned = found->is_toned = is_toned (&small);
  undoing.is_neutral = undoing.is_toned && mode == FADING_NEUTRAL;
  if (undoing.is_toned) {
    keep_brightness (&small);
    small.colours = 1;
  }
  find_levels (&small);
  found->span = global_span (&small) * (1 + find_fields (&small)) / 2;
  found->strength = choose_strength (&small, mode, found->span);
  if (found->strength <= 0 && !undoing.is_neutral)
    return TRUE;
  found->is_changed = TRUE;
  undoing.strength = found->strength;
  apply_to_small (&small);
  for (int c = 0; c < small.colours; c++)
    choose_curve (&small, c, &undoing);
  image_drop_palette (image);
  parallel_for ((image->height + ROWS - 1) / ROWS, undo_rows, &undoing, NULL,
                NULL);
  image_forget_compression (image);
  return TRUE;
}
