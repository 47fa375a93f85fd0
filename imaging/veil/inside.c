#include "imaging/veil/inside.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Depth in pixels from which on a pixel is inside, and the fewest of them. */
#define DEPTH 0.8
#define LEAST_PIXELS 4

/* Pixels further from the others than this many standard deviations, or this
 * many levels, are not inside; where they are many it is not one speck. */
#define OUTLIER 4.
#define LEAST_DEVIATION 2.
#define MOST_OUTLIERS 0.25

/* No cover is known better than that. */
#define LEAST_SPREAD 0.01

/* Variance of the best of fills, and the factor by which others are worse below
 * a speck than on average. */
#define FILL_ERROR 1.
#define WORSE_INSIDE 2.

/* ---- 1. pixels and means ---- */

static void
collect (Inside *inside, const VeilScene *scene, const Piece *piece,
         const PiecePixel *pixels)
{
  inside->count = 0;
  for (guint k = 0; k < piece->count; k++) {
    InsidePixel *next = &inside->pixels[inside->count];

    if (pixels[k].depth <= DEPTH)
      continue;
    next->pixel = &pixels[k];
    veil_colours (scene, scene->damaged, pixels[k].index, next->damaged);
    veil_colours (scene, scene->filled, pixels[k].index, next->filled);
    inside->count++;
  }
}

static void
find_means (Inside *inside, const VeilScene *scene)
{
  double total = 0;

  memset (inside->damaged_mean, 0, sizeof inside->damaged_mean);
  memset (inside->filled_mean, 0, sizeof inside->filled_mean);
  for (int i = 0; i < inside->count; i++) {
    const InsidePixel *at = &inside->pixels[i];
    double distance = scene->thickness->depth[at->pixel->index] / 3.;
    double w = 1 / (distance * distance);

    total += w;
    for (int c = 0; c < scene->colours; c++) {
      inside->damaged_mean[c] += w * at->damaged[c];
      inside->filled_mean[c] += w * at->filled[c];
    }
  }
  for (int c = 0; c < scene->colours; c++) {
    inside->damaged_mean[c] /= total;
    inside->filled_mean[c] /= total;
  }
}

/* ---- 2. opacity ---- */

static void
add_pair (Shine *shine, const InsidePixel *a, const InsidePixel *b,
          int colours)
{
  shine->pairs += 1;
  for (int c = 0; c < colours; c++) {
    double damaged = a->damaged[c] - b->damaged[c];
    double filled = a->filled[c] - b->filled[c];

    shine->damaged += damaged * damaged / colours;
    shine->product += damaged * filled / colours;
    shine->filled += filled * filled / colours;
  }
}

static Shine
find_shine (const Inside *inside, const VeilScene *scene)
{
  gsize width = (gsize) scene->missing->width;
  Shine shine = { 0 };

  for (int i = 0; i < inside->count; i++)
    for (int j = 0; j < inside->count; j++) {
      const InsidePixel *a = &inside->pixels[i], *b = &inside->pixels[j];
      gsize p = a->pixel->index, q = b->pixel->index;

      if (q == p + width || (q == p + 1 && q % width > 0))
        add_pair (&shine, a, b, scene->colours);
    }
  return shine;
}

static void
find_opacity (Inside *inside, const VeilScene *scene, const Piece *piece)
{
  MarkEvidence *evidence = &inside->evidence;

  *evidence = (MarkEvidence){ .shine = find_shine (inside, scene),
                              .around = piece->around,
                              .noise = scene->grain,
                              .colours = scene->colours };
  for (int c = 0; c < scene->colours; c++) {
    evidence->ground[c] = inside->filled_mean[c];
    evidence->contrast[c] = inside->damaged_mean[c] - inside->filled_mean[c];
  }
  opacity_find (&inside->opacity, evidence);
}

/* ---- 3. outliers ---- */

static double
median (const double *values, int count)
{
  double sorted[SHAPE_PIXELS];

  memcpy (sorted, values, (gsize) count * sizeof *sorted);
  sort_doubles (sorted, (gsize) count);
  return sorted[count / 2];
}

/* The mean of t, by this speck alone. */
static double
mean_gain (const Inside *inside)
{
  const double votes[OPACITY_NOISES] = { 0 };
  Opacity opacity = inside->opacity;
  double gain = 0;

  opacity_settle (&opacity, votes);
  for (int j = 0; j < OPACITY_NOISES; j++)
    for (int k = 0; k < OPACITY_COVERS; k++)
      gain += opacity.of[j][k] * opacity_gain (k);
  return gain;
}

/* Differences of what is undone to the fill in the direction of the speck, less
 * their median. */
static void
find_differences (const Inside *inside, int colours, double *difference)
{
  const double *m = inside->damaged_mean, *m0 = inside->filled_mean;
  double gain = mean_gain (inside), length = 1e-9, middle;

  for (int c = 0; c < colours; c++)
    length += (m[c] - m0[c]) * (m[c] - m0[c]);
  for (int i = 0; i < inside->count; i++) {
    const InsidePixel *at = &inside->pixels[i];

    difference[i] = 0;
    for (int c = 0; c < colours; c++)
      difference[i] +=
        (m0[c] + gain * (at->damaged[c] - m[c]) - at->filled[c])
        * (m[c] - m0[c]) / sqrt (length);
  }
  middle = median (difference, inside->count);
  for (int i = 0; i < inside->count; i++)
    difference[i] -= middle;
}

/* Removes outliers; FALSE if there are many. */
static gboolean
keep_alike (Inside *inside, int colours)
{
  double difference[SHAPE_PIXELS], size[SHAPE_PIXELS], most;
  int kept = 0, count = inside->count;

  find_differences (inside, colours, difference);
  for (int i = 0; i < count; i++)
    size[i] = fabs (difference[i]);
  /* 1.48 medians are a standard deviation. */
  most = OUTLIER * (1.48 * median (size, count) + LEAST_DEVIATION);
  for (int i = 0; i < count; i++)
    if (size[i] <= most)
      inside->pixels[kept++] = inside->pixels[i];
  inside->count = kept;
  return kept >= LEAST_PIXELS && kept >= (1 - MOST_OUTLIERS) * count;
}

gboolean
inside_init (Inside *inside, const VeilScene *scene, const Piece *piece,
             const PiecePixel *pixels)
{
  collect (inside, scene, piece, pixels);
  if (inside->count < LEAST_PIXELS)
    return FALSE;
  find_means (inside, scene);
  find_opacity (inside, scene, piece);
  if (!keep_alike (inside, scene->colours))
    return FALSE;
  find_means (inside, scene);
  find_opacity (inside, scene, piece);
  return TRUE;
}

/* ---- 4. result ---- */

Mark
inside_mark (const Inside *inside, int colours)
{
  Mark mark = { 0 };
  double square = 0;

  for (int j = 0; j < OPACITY_NOISES; j++)
    for (int k = 0; k < OPACITY_COVERS; k++) {
      double cover = opacity_cover (k);

      mark.cover += inside->opacity.of[j][k] * cover;
      square += inside->opacity.of[j][k] * cover * cover;
    }
  mark.spread = sqrt (MAX (square - mark.cover * mark.cover, 0)
                      + LEAST_SPREAD * LEAST_SPREAD);
  for (int c = 0; c < colours; c++)
    mark.colour[c] =
      inside->filled_mean[c]
      + (inside->damaged_mean[c] - inside->filled_mean[c]) / mark.cover;
  return mark;
}

/* The mean of x = x0 + w (m0 + t (y - m) - x0) over what t and q can be, with
 * the weight w = v / (v + t^2 q) of what is undone next to a fill with an error
 * of variance v. */
void
inside_undo (const Inside *inside, int colours, int i, double out[3])
{
  const InsidePixel *at = &inside->pixels[i];
  double error = WORSE_INSIDE * at->pixel->error + FILL_ERROR;
  double slope = 0, share = 0;

  for (int j = 0; j < OPACITY_NOISES; j++) {
    double noise = opacity_noise (&inside->evidence, j);

    for (int k = 0; k < OPACITY_COVERS; k++) {
      double t = opacity_gain (k);
      double w = inside->opacity.of[j][k] * error / (error + t * t * noise);

      share += w;
      slope += w * t;
    }
  }
  for (int c = 0; c < colours; c++) {
    double value =
      at->filled[c] + share * (inside->filled_mean[c] - at->filled[c])
      + slope * (at->damaged[c] - inside->damaged_mean[c]);

    out[c] = CLAMP (value, 0, 255);
  }
}
