#include "imaging/detect/flatregion.h"

#include "imaging/detect/speckregion.h"

#include <math.h>
#include <string.h>

#define SECTORS 8

/* Colours of pixels summed up. */
typedef struct {
  int count;
  int sum[3], squares;
} Sums;

static inline void
sums_add (Sums *sums, const guint8 colour[3])
{
  sums->count++;
  for (int c = 0; c < 3; c++) {
    sums->sum[c] += colour[c];
    sums->squares += colour[c] * colour[c];
  }
}

static void
mean_of (const Sums *sums, float mean[3])
{
  for (int c = 0; c < 3; c++)
    mean[c] = (float) sums->sum[c] / (float) MAX (sums->count, 1);
}

/* Root of the variances of the colours, summed up. */
static float
deviation_of (const Sums *sums)
{
  float n = (float) MAX (sums->count, 1), variance;

  variance = (float) sums->squares / n;
  for (int c = 0; c < 3; c++)
    variance -= (float) sums->sum[c] / n * ((float) sums->sum[c] / n);
  return variance > 0 ? sqrtf (variance) : 0;
}

static float
distance (const float a[3], const float b[3])
{
  float square = 0;

  for (int c = 0; c < 3; c++)
    square += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrtf (square);
}

/* What is summed up in and around a region. */
typedef struct {
  Sums at[SPECK_RING + 2]; /* by distance plus 1 */
  Sums core;               /* pixels whose four neighbours belong, too */
  Sums ring;               /* 2 and 3 pixels away */
  Sums sector[SECTORS];    /* of that */
  int alike;               /* pixels there that have its colour */
  int darkest, lightest;   /* sums of colours there */
  int edges, steps;        /* of the rim; their steps summed up */
  int slight;              /* those of less than twice the level */
} Census;

/* Counts the steps from pixel @k of the window to its neighbours outside. */
static int
count_rim (const FlatScene *scene, const SpeckRegion *region, int k, int level,
           Census *census)
{
  gsize width = (gsize) scene->right.width, i = speck_place (region, k);
  const struct {
    int k;
    const guint8 *step;
  } sides[4] = { { k - 1, scene->right.data + i - 1 },
                 { k + 1, scene->right.data + i },
                 { k - SPECK_WINDOW, scene->down.data + i - width },
                 { k + SPECK_WINDOW, scene->down.data + i } };
  int others = 0;

  for (int s = 0; s < 4; s++) {
    int x = sides[s].k % SPECK_WINDOW, y = sides[s].k / SPECK_WINDOW;

    if (region->near[sides[s].k] == 1)
      continue;
    others++;
    if (x < region->left || x > region->right || y < region->top
        || y > region->bottom)
      continue;
    census->edges++;
    census->steps += *sides[s].step;
    census->slight += *sides[s].step < 2 * level;
  }
  return others;
}

static inline int
sector_of (int dx, int dy)
{
  return (dx > 0 ? 1 : 0) + (dy > 0 ? 2 : 0) + (ABS (dx) > ABS (dy) ? 4 : 0);
}

static void
count_ring (const guint8 colour[3], int k, Census *census)
{
  int grey = colour[0] + colour[1] + colour[2];

  sums_add (&census->ring, colour);
  sums_add (&census->sector[sector_of (k % SPECK_WINDOW - SPECK_REACH,
                                       k / SPECK_WINDOW - SPECK_REACH)],
            colour);
  census->darkest = MIN (census->darkest, grey);
  census->lightest = MAX (census->lightest, grey);
}

static void
take_census (const FlatScene *scene, const SpeckRegion *region, int level,
             Census *census)
{
  float inside[3];

  *census = (Census){ .darkest = 3 * 255 };
  SPECK_FOR_NEAR (region, k)
  {
    const guint8 *colour = scene->colours + 3 * speck_place (region, k);
    int near = region->near[k];

    sums_add (&census->at[near], colour);
    if (near == 1 && count_rim (scene, region, k, level, census) == 0)
      sums_add (&census->core, colour);
    if (near == 3 || near == 4)
      count_ring (colour, k, census);
  }
  mean_of (&census->at[1], inside);
  SPECK_FOR_NEAR (region, k)
  {
    const guint8 *colour = scene->colours + 3 * speck_place (region, k);
    float largest = 0;

    if (region->near[k] != 3 && region->near[k] != 4)
      continue;
    for (int c = 0; c < 3; c++)
      largest = MAX (largest, fabsf (inside[c] - (float) colour[c]));
    census->alike += largest <= (float) (level + 6);
  }
}

/* Least and mean distance of the sides from @inside. */
static void
measure_sides (const Census *census, const float inside[3], float *least,
               float *mean)
{
  int sides = 0;

  *least = 1000;
  *mean = 0;
  for (int s = 0; s < SECTORS; s++)
    if (census->sector[s].count > 0) {
      float side[3], d;

      mean_of (&census->sector[s], side);
      d = distance (inside, side);
      *least = MIN (*least, d);
      *mean += d;
      sides++;
    }
  *mean /= (float) MAX (sides, 1);
}

static void
region_of (const FlatScene *scene, const Flats *flats, const Flat *flat,
           SpeckRegion *region)
{
  const gsize *pixels = &list_at (flats->pixels, gsize, flat->start);

  speck_region_put (region, scene->scene, &flat->box, pixels,
                    (int) flat->count);
  speck_region_measure (region);
}

static void
describe_colours (const Census *census, float contrast, float f[])
{
  const Sums *core = census->core.count > 3 ? &census->core : &census->at[1];
  float inside[3], ring[3], in = deviation_of (core);
  float out = deviation_of (&census->ring);

  mean_of (&census->at[1], inside);
  mean_of (&census->ring, ring);
  f[0] = contrast;
  f[1] = grey_of (inside) - grey_of (ring);
  f[2] = grey_of (inside);
  f[3] = chroma_of (inside);
  f[4] = chroma_of (ring);
  f[5] = in;
  f[6] = out;
  f[7] = (in + 1) / (out + 2);
  f[8] = out / contrast;
  f[9] = grey_of (inside) - (float) census->lightest / 3;
  f[10] = (float) census->darkest / 3 - grey_of (inside);
  for (int k = 0; k < 3; k++) {
    const Sums *at = &census->at[k == 2 ? 5 : k + 2];
    float there[3];

    mean_of (at, there);
    f[11 + k] = at->count > 0 ? distance (inside, there) / contrast : 1;
  }
}

gboolean
flat_describe (const FlatScene *scene, const Flats *flats, const Flat *flat,
               int level, int crowd, float f[FLAT_FEATURES])
{
  SpeckRegion region;
  Census census;
  float inside[3], n = (float) flat->count, least, mean;
  int across = flat->box.width, down = flat->box.height;
  gsize middle;

  region_of (scene, flats, flat, &region);
  middle = speck_place (&region, SPECK_MIDDLE);
  take_census (scene, &region, level, &census);
  if (census.ring.count == 0 || census.edges == 0)
    return FALSE;
  mean_of (&census.at[1], inside);
  measure_sides (&census, inside, &least, &mean);
  if (mean < 12)
    return FALSE;
  describe_colours (&census, mean, f);
  f[14] = least / mean;
  f[15] = (float) census.alike / (float) census.ring.count;
  f[16] = n;
  f[17] = n / (float) (across * down);
  f[18] = (float) MAX (across, down) / (float) MIN (across, down);
  f[19] = (float) census.edges / sqrtf (n);
  f[20] = (float) census.steps / (float) census.edges / mean;
  f[21] = (float) census.slight / (float) census.edges;
  f[22] = (float) level;
  f[23] = (float) crowd;
  for (int plane = 0; plane < SPECK_PLANES; plane++)
    f[24 + plane] = scene->scene->usual[plane].data[middle];
  f[27] = least;
  return TRUE;
}
