#include "imaging/veil/piece.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

#define LEAST_PIXELS 6
#define LEAST_CONTRAST 4. /* levels, over all colours */

/* Variance of rounding and of what is not white noise. */
#define ROUNDING 2.

/* The cover that is assumed until it is known; only its shape counts then. */
#define USUAL_COVER 0.7
#define MOST_COVER 0.9

/* Expected square of the error of a fill, as a part of the mean square of the
 * differences of neighbours around: measured on scratches and dust in ten
 * training pictures, 0.37 next to what is known, 0.9 four pixels away. */
#define ERROR_BASE 0.25
#define ERROR_PER_DEPTH 0.15
#define LEAST_ERROR 3.

/* Distances within which these are measured, from the middle of a piece and
 * from all of a speck.  In 226 training pictures, what is within 8 pixels of a
 * speck predicts the logarithm of the error of its fill to 1.0, what is within
 * 2 to 0.88. */
#define NEAR_PIECE 8
#define NEAR_SPECK 3

/* Keeps colours near that of the mark from being weighed as certain. */
#define LEAST_SQUARE 25.

/* Share from which on a pixel is inside, and the fewest that say something. */
#define INSIDE 0.95
#define LEAST_INSIDE 4

/* A whole speck reaches no further from the first of its pixels. */
#define WHOLE_RADIUS 24
#define SIDE (2 * WHOLE_RADIUS + 1)

/* The pixels of a piece. */
typedef struct {
  int count;
  gsize index[SHAPE_PIXELS];
  int x[SHAPE_PIXELS], y[SHAPE_PIXELS];
  double damaged[SHAPE_PIXELS][3], filled[SHAPE_PIXELS][3];
  double error[SHAPE_PIXELS];
  double around; /* as of a piece */
} Cut;

VeilScene
veil_scene (const Image *damaged, const Mask *missing, double noise,
            const Thickness *thickness, const Image *filled)
{
  return (VeilScene){ .damaged = damaged,
                      .filled = filled,
                      .missing = missing,
                      .thickness = thickness,
                      .colours = image_colours (damaged),
                      .grain = noise * noise,
                      .noise = ROUNDING + noise * noise };
}

void
veil_colours (const VeilScene *scene, const Image *image, gsize i,
              double out[3])
{
  const guint16 *pixel = image->samples + i * (gsize) image->channels;

  for (int c = 0; c < scene->colours; c++)
    out[c] = 255. / image_peak (image) * pixel[c];
}

/* ---- 1. pixels ---- */

static gboolean
is_inside (const VeilScene *scene, int x, int y)
{
  return x >= 0 && y >= 0 && x < scene->missing->width
         && y < scene->missing->height;
}

static guint8
byte_at (const VeilScene *scene, int x, int y)
{
  return scene->missing
    ->missing[(gsize) y * (gsize) scene->missing->width + (gsize) x];
}

static void
add_pixel (const VeilScene *scene, int x, int y, Cut *cut)
{
  int n = cut->count++;

  cut->index[n] = (gsize) y * (gsize) scene->missing->width + (gsize) x;
  cut->x[n] = x;
  cut->y[n] = y;
  veil_colours (scene, scene->damaged, cut->index[n], cut->damaged[n]);
  veil_colours (scene, scene->filled, cut->index[n], cut->filled[n]);
}

/* Adds the neighbours of pixel number @i of @cut that are not @seen yet, and
 * within @radius of @x, @y.  FALSE if there are others. */
static gboolean
add_neighbours (const VeilScene *scene, int x, int y, int radius, int i,
                guint8 seen[SIDE][SIDE], Cut *cut)
{
  gboolean is_all = TRUE;

  for (int k = 0; k < 9; k++) {
    int col = cut->x[i] + k % 3 - 1, row = cut->y[i] + k / 3 - 1;
    int dx = col - x, dy = row - y;

    if (!is_inside (scene, col, row)
        || !(byte_at (scene, col, row) & MASK_THROUGH))
      continue;
    if (dx * dx + dy * dy > radius * radius) {
      is_all = FALSE;
      continue;
    }
    if (seen[dy + WHOLE_RADIUS][dx + WHOLE_RADIUS])
      continue;
    if (cut->count == SHAPE_PIXELS)
      return FALSE;
    seen[dy + WHOLE_RADIUS][dx + WHOLE_RADIUS] = 1;
    add_pixel (scene, col, row, cut);
  }
  return is_all;
}

/* Collects what hangs together with @x, @y; the list is the queue, too.  FALSE
 * if that goes on beyond @radius, or is too much. */
static gboolean
collect (const VeilScene *scene, int x, int y, int radius, Cut *cut)
{
  guint8 seen[SIDE][SIDE] = { 0 };
  gboolean is_all = TRUE;

  seen[WHOLE_RADIUS][WHOLE_RADIUS] = 1;
  cut->count = 0;
  add_pixel (scene, x, y, cut);
  for (int next = 0; next < cut->count; next++)
    if (!add_neighbours (scene, x, y, radius, next, seen, cut))
      is_all = FALSE;
  return is_all;
}

/* Adds the square of the difference of two neighbours if both are known. */
static void
add_difference (const VeilScene *scene, int x, int y, int dx, int dy,
                double *sum, double *count)
{
  double a[3], b[3];
  gsize i = (gsize) y * (gsize) scene->missing->width + (gsize) x;
  gsize j = i + (gsize) dx + (gsize) dy * (gsize) scene->missing->width;

  if (!is_inside (scene, x + dx, y + dy) || byte_at (scene, x, y)
      || byte_at (scene, x + dx, y + dy))
    return;
  veil_colours (scene, scene->damaged, i, a);
  veil_colours (scene, scene->damaged, j, b);
  for (int c = 0; c < scene->colours; c++)
    *sum += (a[c] - b[c]) * (a[c] - b[c]) / scene->colours;
  *count += 1;
}

/* Sets what is expected of the fill, from the differences of pixels that are
 * known within @near of the first @count ones of @cut. */
static void
expect_errors (const VeilScene *scene, int count, int near, Cut *cut)
{
  int left = cut->x[0], right = left, top = cut->y[0], bottom = top;
  double sum = 0, pairs = 1e-3;

  for (int i = 1; i < count; i++) {
    left = MIN (left, cut->x[i]);
    right = MAX (right, cut->x[i]);
    top = MIN (top, cut->y[i]);
    bottom = MAX (bottom, cut->y[i]);
  }
  for (int row = MAX (0, top - near);
       row <= MIN (bottom + near, scene->missing->height - 1); row++)
    for (int col = MAX (0, left - near);
         col <= MIN (right + near, scene->missing->width - 1);
         col++) {
      add_difference (scene, col, row, 1, 0, &sum, &pairs);
      add_difference (scene, col, row, 0, 1, &sum, &pairs);
    }
  cut->around = sum / pairs;
  for (int i = 0; i < cut->count; i++) {
    double depth = scene->thickness->depth[cut->index[i]] / 3.;

    cut->error[i] = MAX (LEAST_ERROR, cut->around
                                        * (ERROR_BASE
                                           + ERROR_PER_DEPTH * depth));
  }
}

/* ---- 2. covers, pixel by pixel ---- */

/* How far each pixel is from the fill in the direction in which most are, 1
 * for those in the middle of the mark.  FALSE if that is hardly at all. */
static gboolean
find_heights (const Cut *cut, int colours, double *height)
{
  double mean[3] = { 0 }, length = 0, top, sorted[SHAPE_PIXELS];

  for (int i = 0; i < cut->count; i++)
    for (int c = 0; c < colours; c++)
      mean[c] += (cut->damaged[i][c] - cut->filled[i][c]) / cut->count;
  for (int c = 0; c < colours; c++)
    length += mean[c] * mean[c];
  length = sqrt (length);
  if (length < LEAST_CONTRAST)
    return FALSE;
  for (int i = 0; i < cut->count; i++) {
    height[i] = 0;
    for (int c = 0; c < colours; c++)
      height[i] +=
        (cut->damaged[i][c] - cut->filled[i][c]) * mean[c] / length;
  }
  memcpy (sorted, height, (gsize) cut->count * sizeof *sorted);
  sort_doubles (sorted, (gsize) cut->count);
  top = MAX (sorted[cut->count * 4 / 5], 1);
  for (int i = 0; i < cut->count; i++)
    height[i] = CLAMP (height[i] / top, 0, 1.1);
  return TRUE;
}

/* The colour of the mark, if it has the usual cover in its middle. */
static void
guess_colour (const Cut *cut, int colours, const double *height,
              double colour[3])
{
  double weights = 0, ground[3] = { 0 }, mark[3] = { 0 };

  for (int i = 0; i < cut->count; i++) {
    double w = MAX (height[i] - 0.3, 0) * MAX (height[i] - 0.3, 0) + 1e-6;

    weights += w;
    for (int c = 0; c < colours; c++) {
      ground[c] += w * cut->filled[i][c];
      mark[c] += w * cut->damaged[i][c];
    }
  }
  for (int c = 0; c < colours; c++)
    colour[c] =
      (ground[c] + (mark[c] - ground[c]) / USUAL_COVER) / weights;
}

static void
measure_covers (const VeilScene *scene, const Cut *cut, const double colour[3],
                CoverPoint *points)
{
  for (int i = 0; i < cut->count; i++) {
    double product = 0, square = LEAST_SQUARE, open;

    for (int c = 0; c < scene->colours; c++) {
      double way = colour[c] - cut->filled[i][c];

      product += way * (cut->damaged[i][c] - cut->filled[i][c]);
      square += way * way;
    }
    points[i].x = cut->x[i];
    points[i].y = cut->y[i];
    points[i].cover = CLAMP (product / square, -0.3, 1.3);
    open = 1 - CLAMP (points[i].cover, 0, MOST_COVER);
    /* Errors of a fill are alike in all colours. */
    points[i].weight =
      square
      / (scene->colours * (open * open * cut->error[i] + scene->noise));
  }
}

/* ---- 3. regression ---- */

/* Weight of pixel @i, the inverse of its expected error. */
static double
weight_of (const VeilScene *scene, const Cut *cut, const CoverShape *shape,
           int i)
{
  double open = 1 - MIN (USUAL_COVER * shape->share[i], MOST_COVER);

  return 1 / (open * open * cut->error[i] + scene->noise);
}

static void
find_means (Piece *piece, const VeilScene *scene, const Cut *cut,
            const CoverShape *shape)
{
  double total = 1e-9;

  for (int i = 0; i < cut->count; i++) {
    double s = shape->share[i], w = weight_of (scene, cut, shape, i) * s;

    total += w * s;
    for (int c = 0; c < scene->colours; c++) {
      piece->ground[c] += w * s * cut->filled[i][c];
      piece->contrast[c] += w * (cut->damaged[i][c] - cut->filled[i][c]);
    }
  }
  for (int c = 0; c < scene->colours; c++) {
    piece->ground[c] /= total;
    piece->contrast[c] /= total;
  }
}

static void
find_sums (Piece *piece, const VeilScene *scene, const Cut *cut,
           const CoverShape *shape)
{
  for (int i = 0; i < cut->count; i++) {
    double s = shape->share[i], w = weight_of (scene, cut, shape, i) * s;

    for (int c = 0; c < scene->colours; c++) {
      double x = cut->filled[i][c] - piece->ground[c];
      double z =
        cut->damaged[i][c] - cut->filled[i][c] - s * piece->contrast[c];

      piece->square += w * s * x * x;
      piece->product -= w * x * z;
    }
  }
}

/* Whether nothing shines through: the inside varies no more than noise. */
static gboolean
is_opaque (const VeilScene *scene, const Cut *cut, const CoverShape *shape)
{
  double sum[3] = { 0 }, square = 0, count = 0, mean = 0;

  for (int i = 0; i < cut->count; i++)
    for (int c = 0; c < scene->colours && shape->share[i] > INSIDE; c++) {
      sum[c] += cut->damaged[i][c];
      square += cut->damaged[i][c] * cut->damaged[i][c];
      count += c == 0;
    }
  if (count < LEAST_INSIDE)
    return FALSE;
  for (int c = 0; c < scene->colours; c++)
    mean += sum[c] * sum[c] / count;
  return square - mean < scene->noise * count * scene->colours;
}

/* The shape of the pixels of @cut; @colour is that of the mark, or NULL if it
 * is not known.  FALSE if nothing can be said. */
static gboolean
find_shape (const VeilScene *scene, const Cut *cut, const double *colour,
            CoverShape *shape)
{
  CoverPoint points[SHAPE_PIXELS];
  double height[SHAPE_PIXELS], guessed[3];

  if (!find_heights (cut, scene->colours, height))
    return FALSE;
  guess_colour (cut, scene->colours, height, guessed);
  measure_covers (scene, cut, colour != NULL ? colour : guessed, points);
  cover_shape_fit (points, cut->count, shape);
  return TRUE;
}

/* The piece of which @cut has the pixels, which are appended to @pixels. */
static Piece
make_piece (const VeilScene *scene, const Cut *cut, const CoverShape *shape,
            List *pixels)
{
  Piece piece = { .x = cut->x[0],
                  .y = cut->y[0],
                  .first = pixels->len,
                  .count = (guint) cut->count,
                  .is_line = shape->is_line,
                  .dx = shape->dx,
                  .dy = shape->dy,
                  .around = cut->around,
                  .is_opaque = is_opaque (scene, cut, shape) };

  find_means (&piece, scene, cut, shape);
  find_sums (&piece, scene, cut, shape);
  for (int i = 0; i < cut->count; i++) {
    PiecePixel pixel = { cut->index[i], (float) shape->share[i],
                         (float) shape->depth[i],
                         (float) shape->variance[i], (float) cut->error[i] };

    if (!list_append (pixels, &pixel, 1)) {
      piece.count = (guint) i;
      break;
    }
  }
  return piece;
}

gboolean
piece_init (Piece *piece, const VeilScene *scene, int x, int y, List *pixels)
{
  Cut cut;
  CoverShape shape;

  collect (scene, x, y, PIECE_RADIUS, &cut);
  if (cut.count < LEAST_PIXELS)
    return FALSE;
  expect_errors (scene, 1, NEAR_PIECE, &cut);
  if (!find_shape (scene, &cut, NULL, &shape))
    return FALSE;
  *piece = make_piece (scene, &cut, &shape, pixels);
  return !pixels->is_short;
}

gboolean
piece_init_speck (Piece *piece, const VeilScene *scene, int x, int y,
                  const double *colour, List *pixels)
{
  Cut cut;
  CoverShape shape;

  if (!collect (scene, x, y, WHOLE_RADIUS, &cut) || cut.count < LEAST_PIXELS)
    return FALSE;
  expect_errors (scene, cut.count, NEAR_SPECK, &cut);
  if (!find_shape (scene, &cut, colour, &shape) || shape.is_line)
    return FALSE;
  *piece = make_piece (scene, &cut, &shape, pixels);
  return !pixels->is_short;
}
