#include "imaging/veil/stain.h"

#include "base/error.h"
#include "imaging/detect/marks.h"
#include "imaging/distance.h"
#include "imaging/planes.h"

#include <math.h>

/* Pixels of depth from which on a mark is a stain. */
#define STAIN_DEPTH 12

#define OUTSIDE 4      /* layers outside that are looked at */
#define MOST_LAYERS 64 /* inside; beyond, all is as in the last */
#define LEAST_PAIRS 60
#define PAIRS_PER_SAMPLE 4. /* as neighbours say much the same */

/* Standard errors from which on a step is one, and how many in a row that are
 * none end the edge of the stain. */
#define SIGNIFICANT 3.
#define MOST_QUIET 3

#define MOST_SLOPE 1.9

/* What is left of the contrast, at least, and at most. */
#define LEAST_THROUGH 0.15
#define MOST_THROUGH 1.5

/* Layers are filled in which neighbours differ by more than this many times
 * what they do outside (as variances), or which differ from a neighbouring one
 * by more levels than that in the mean: half a pixel matters there, and no
 * outline is that exact. */
#define RIM_RATIO 4.
#define RIM_STEP 16.

/* No layer. */
#define NOWHERE G_MININT16

/* One connected stain, with a margin. */
typedef struct {
  Image *image;
  Mask *missing;
  ImageArea box;
  gint16 *layer; /* of each pixel of the box: 0 .. inside, -1 .. outside */
  guint16 *depth; /* in thirds of a pixel */
  int colours, deepest;
} Stain;

/* y = through x + added, in levels of 8 bits. */
typedef struct {
  double through[3], added[3];
  double residual; /* of the step to this layer, undone */
  double step;     /* that, in levels of the mean */
} Layer;

/* Sums over neighbours p and q in two layers. */
typedef struct {
  double count;
  double p[3], q[3], d[3], m[3], dd[3], dm[3], mm[3];
} Pairs;

/* ---- 1. layers ---- */

static gsize
box_pixels (const Stain *stain)
{
  return (gsize) stain->box.width * (gsize) stain->box.height;
}

static gsize
picture_pixel (const Stain *stain, int x, int y)
{
  return (gsize) (stain->box.y + y) * (gsize) stain->image->width
         + (gsize) (stain->box.x + x);
}

/* Distance to the nearest pixel of the box that is part of the stain, if
 * @inside, or not. */
static guint16 *
distances_to (const Stain *stain, const guint8 *part, gboolean inside)
{
  guint16 *distance = g_try_new (guint16, box_pixels (stain));

  if (distance == NULL)
    return NULL;
  for (gsize i = 0; i < box_pixels (stain); i++)
    distance[i] = (part[i] != 0) == inside ? 0 : CHAMFER_FAR;
  chamfer_distances (distance, stain->box.width, stain->box.height);
  for (gsize i = 0; i < box_pixels (stain); i++)
    distance[i] = MIN (distance[i], G_MAXINT16);
  return distance;
}

/* Layers by depth.  Outside, only pixels that are known have one. */
static gboolean
find_layers (Stain *stain, const guint8 *part)
{
  guint16 *depth = stain->depth = distances_to (stain, part, FALSE);
  g_autofree guint16 *height = distances_to (stain, part, TRUE);

  stain->layer = g_try_new (gint16, box_pixels (stain));
  if (depth == NULL || height == NULL || stain->layer == NULL)
    return FALSE;
  for (gsize i = 0; i < box_pixels (stain); i++) {
    gsize j = picture_pixel (stain, (int) (i % (gsize) stain->box.width),
                             (int) (i / (gsize) stain->box.width));
    int up = (2 * height[i] - CHAMFER_PIXEL) / (2 * CHAMFER_PIXEL);

    if (part[i])
      stain->layer[i] =
        (gint16) ((2 * depth[i] - CHAMFER_PIXEL) / (2 * CHAMFER_PIXEL));
    else
      stain->layer[i] = up < OUTSIDE && !stain->missing->missing[j]
                            && !image_is_transparent (stain->image, j)
                          ? (gint16) (-1 - up)
                          : NOWHERE;
    stain->deepest = MAX (stain->deepest, stain->layer[i]);
  }
  return TRUE;
}

/* ---- 2. from layer to layer ---- */

static double
level_of (const Image *image, gsize i, int c)
{
  return 255. / image_peak (image)
         * image->samples[i * (gsize) image->channels + (gsize) c];
}

/* The mean of the pixels of layer @number around @x, @y.  FALSE if there are
 * none. */
static gboolean
mean_around (const Stain *stain, int x, int y, int number, double mean[3])
{
  int count = 0;

  for (int c = 0; c < 3; c++)
    mean[c] = 0;
  for (int row = MAX (0, y - 1); row <= MIN (y + 1, stain->box.height - 1);
       row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, stain->box.width - 1);
         col++) {
      if (stain->layer[row * stain->box.width + col] != number)
        continue;
      for (int c = 0; c < stain->colours; c++)
        mean[c] += level_of (stain->image, picture_pixel (stain, col, row), c);
      count++;
    }
  for (int c = 0; c < 3 && count > 0; c++)
    mean[c] /= count;
  return count > 0;
}

static void
add_pair (const Stain *stain, int x, int y, int number, Pairs *pairs)
{
  double p[3];

  if (!mean_around (stain, x, y, number - 1, p))
    return;
  pairs->count++;
  for (int c = 0; c < stain->colours; c++) {
    double q = level_of (stain->image, picture_pixel (stain, x, y), c);
    double d = q - p[c], m = 0.5 * (q + p[c]);

    pairs->p[c] += p[c];
    pairs->q[c] += q;
    pairs->d[c] += d;
    pairs->m[c] += m;
    pairs->dd[c] += d * d;
    pairs->dm[c] += d * m;
    pairs->mm[c] += m * m;
  }
}

/* Pairs of layer @number and the one before it. */
static Pairs
pairs_of (const Stain *stain, int number)
{
  Pairs pairs = { 0 };

  for (int y = 0; y < stain->box.height; y++)
    for (int x = 0; x < stain->box.width; x++)
      if (stain->layer[y * stain->box.width + x] == number)
        add_pair (stain, x, y, number, &pairs);
  return pairs;
}

/* The change of one colour from a layer to the next. */
typedef struct {
  double alpha, beta;
  double residual; /* variance */
  gboolean is_significant;
} Change;

static Change
regress (const Pairs *pairs, int c)
{
  double n = pairs->count, d = pairs->d[c] / n, m = pairs->m[c] / n;
  double mm = pairs->mm[c] / n - m * m + 1 / n;
  double dm = pairs->dm[c] / n - d * m, dd = pairs->dd[c] / n - d * d;
  double s = dm / mm, residual = MAX (dd - s * dm, 1e-3);
  double error = residual * PAIRS_PER_SAMPLE / n;
  double limit = SIGNIFICANT * SIGNIFICANT * error;
  Change change = { .residual = residual };

  change.is_significant = d * d > limit || s * s * mm > limit;
  s = CLAMP (s, -MOST_SLOPE, MOST_SLOPE);
  change.alpha = (1 + 0.5 * s) / (1 - 0.5 * s);
  change.beta = (pairs->q[c] - change.alpha * pairs->p[c]) / n;
  return change;
}

/* Mean residual outside: what neighbouring layers of the picture differ by. */
static double
residual_outside (const Stain *stain)
{
  double sum = 0, count = 1e-9;

  for (int number = 1 - OUTSIDE; number < 0; number++) {
    const Pairs pairs = pairs_of (stain, number);

    for (int c = 0; c < stain->colours && pairs.count >= LEAST_PAIRS; c++) {
      sum += regress (&pairs, c).residual;
      count++;
    }
  }
  return sum / count;
}

/* A stain makes no colour darker than black, nor brighter than white.  Where
 * colour @c of @layer does, which has the mean @mean, its contrast is wrong
 * and the mean right: x = (mean - added) / through stays. */
static void
hold_to_range (Layer *layer, int c, double mean)
{
  double x = (mean - layer->added[c]) / layer->through[c];

  if (layer->added[c] < 0 && x > 0) {
    layer->through[c] = mean / x;
    layer->added[c] = 0;
  } else if (255 * layer->through[c] + layer->added[c] > 255 && x < 255) {
    layer->through[c] = (255 - mean) / (255 - x);
    layer->added[c] = 255 * (1 - layer->through[c]);
  }
}

/* Goes from @before to the next layer.  Returns whether anything changes. */
static gboolean
step_in (const Pairs *pairs, int colours, const Layer *before, Layer *layer)
{
  Change change[3];
  gboolean changes = FALSE;

  for (int c = 0; c < colours; c++) {
    change[c] = regress (pairs, c);
    changes |= change[c].is_significant;
  }
  *layer = *before;
  layer->residual = layer->step = 0;
  for (int c = 0; c < colours; c++) {
    if (changes) {
      layer->through[c] = change[c].alpha * before->through[c];
      layer->added[c] =
        change[c].alpha * before->added[c] + change[c].beta;
      hold_to_range (layer, c, pairs->q[c] / pairs->count);
      layer->step = MAX (layer->step, fabs (pairs->d[c]) / pairs->count);
    }
    layer->residual += change[c].residual
                       / (layer->through[c] * layer->through[c] + 1e-6)
                       / colours;
  }
  return changes;
}

/* Fills in @layers and returns their number; 0 if there is no edge. */
static int
find_profile (const Stain *stain, Layer layers[MOST_LAYERS])
{
  const Layer outside = { { 1, 1, 1 }, { 0 }, 0, 0 };
  int count = 0, quiet = 0;
  gboolean begun = FALSE;

  for (; count < MIN (stain->deepest, MOST_LAYERS); count++) {
    const Pairs pairs = pairs_of (stain, count);

    if (pairs.count < LEAST_PAIRS || (begun && quiet == MOST_QUIET))
      break;
    if (step_in (&pairs, stain->colours,
                 count > 0 ? &layers[count - 1] : &outside, &layers[count])) {
      begun = TRUE;
      quiet = 0;
    } else {
      quiet++;
    }
  }
  return begun ? count : 0;
}

/* ---- 3. the picture below ---- */

static gboolean
lets_through (const Layer *layer, int colours)
{
  for (int c = 0; c < colours; c++)
    if (layer->through[c] < LEAST_THROUGH || layer->through[c] > MOST_THROUGH)
      return FALSE;
  return TRUE;
}

static void
undo_pixel (const Stain *stain, gsize i, const Layer *layer)
{
  guint16 *pixel =
    stain->image->samples + i * (gsize) stain->image->channels;

  for (int c = 0; c < stain->colours; c++) {
    double x = (level_of (stain->image, i, c) - layer->added[c])
               / layer->through[c];

    pixel[c] = planes_to_sample (stain->image, (float) (x / 255));
  }
  image_avoid_key (stain->image, i);
  if (stain->image->palette != NULL)
    stain->image->palette->index[i] = 0;
  stain->missing->missing[i] = 0;
}

/* The stain at pixel @i of the box: between the middles of two layers, where
 * the depth is a whole number. */
static Layer
layer_at (const Stain *stain, const Layer *layers, int count, int i)
{
  double at = CLAMP (stain->depth[i] / (double) CHAMFER_PIXEL - 1, 0, count - 1);
  int number = MIN ((int) at, MAX (count - 2, 0));
  const Layer *above = &layers[number];
  const Layer *below = &layers[MIN (number + 1, count - 1)];
  double share = at - number;
  Layer layer = { .residual = MAX (above->residual, below->residual),
                  .step = MAX (above->step, below->step) };

  for (int c = 0; c < stain->colours; c++) {
    layer.through[c] =
      above->through[c] + share * (below->through[c] - above->through[c]);
    layer.added[c] =
      above->added[c] + share * (below->added[c] - above->added[c]);
  }
  return layer;
}

static void
undo_layers (const Stain *stain, const Layer *layers, int count)
{
  double most = RIM_RATIO * MAX (residual_outside (stain), 1);

  for (int y = 0; y < stain->box.height; y++)
    for (int x = 0; x < stain->box.width; x++) {
      int at = y * stain->box.width + x;
      const Layer layer = layer_at (stain, layers, count, at);
      gsize i = picture_pixel (stain, x, y);

      if (stain->layer[at] < 0 || image_is_transparent (stain->image, i))
        continue;
      if (layer.residual > most || layer.step > RIM_STEP
          || !lets_through (&layer, stain->colours))
        stain->missing->missing[i] &= (guint8) ~MASK_THROUGH;
      else
        undo_pixel (stain, i, &layer);
    }
}

/* Forgets that it might be looked through. */
static void
close_stain (const Stain *stain)
{
  for (int y = 0; y < stain->box.height; y++)
    for (int x = 0; x < stain->box.width; x++)
      if (stain->layer[y * stain->box.width + x] >= 0)
        stain->missing->missing[picture_pixel (stain, x, y)] &=
          (guint8) ~MASK_THROUGH;
}

static void
undo (const Stain *stain)
{
  Layer layers[MOST_LAYERS];
  int count;

  if (stain->deepest < STAIN_DEPTH)
    return;
  count = find_profile (stain, layers);
  if (count > 0 && lets_through (&layers[count - 1], stain->colours))
    undo_layers (stain, layers, count);
  else
    close_stain (stain);
}

/* ---- 4. all stains ---- */

static ImageArea
with_margin (const ImageArea *area, const Image *image)
{
  int left = MAX (0, area->x - OUTSIDE - 1);
  int top = MAX (0, area->y - OUTSIDE - 1);
  int right = MIN (image->width, area->x + area->width + OUTSIDE + 1);
  int bottom = MIN (image->height, area->y + area->height + OUTSIDE + 1);

  return (ImageArea){ left, top, right - left, bottom - top };
}

/* Undoes the stain that consists of @pixels. */
static gboolean
undo_one (Image *image, Mask *missing, const ImageArea *bounds,
          const List *pixels)
{
  Stain stain = { .image = image,
                  .missing = missing,
                  .box = with_margin (bounds, image),
                  .colours = image_colours (image) };
  g_autofree guint8 *part = g_try_new0 (guint8, box_pixels (&stain));
  g_autofree gint16 *layer = NULL;
  g_autofree guint16 *depth = NULL;
  gboolean ok;

  for (guint k = 0; part != NULL && k < pixels->len; k++) {
    gsize i = list_at (pixels, gsize, k);
    int x = (int) (i % (gsize) image->width) - stain.box.x;
    int y = (int) (i / (gsize) image->width) - stain.box.y;

    part[(gsize) y * (gsize) stain.box.width + (gsize) x] = 1;
  }
  ok = part != NULL && find_layers (&stain, part);
  layer = stain.layer;
  depth = stain.depth;
  if (ok)
    undo (&stain);
  return ok;
}

gboolean
image_undo_stains (Image *image, Mask *missing, int *stains, GError **error)
{
  g_auto (BytePlane) left = { 0 };
  g_autoptr (List) pixels = list_new (sizeof (gsize), NULL);

  *stains = 0;
  if (!byte_plane_init (&left, missing->width, missing->height, error))
    return FALSE;
  for (gsize i = 0; i < byte_plane_size (&left); i++)
    left.data[i] = missing->missing[i] & MASK_THROUGH;
  for (gsize i = 0; i < byte_plane_size (&left); i++) {
    ImageArea bounds;

    if (left.data[i] == 0)
      continue;
    list_cut (pixels, 0);
    bounds = byte_plane_collect (&left, i, NULL, NULL, pixels);
    if (!list_check (pixels, "the pixels of a stain", error))
      return FALSE;
    if (MIN (bounds.width, bounds.height) <= 2 * STAIN_DEPTH)
      continue;
    ++*stains;
    if (!undo_one (image, missing, &bounds, pixels))
      return tessera_fail (error, TESSERA_ERROR_MEMORY,
                           "not enough memory to see through stains");
  }
  return TRUE;
}
