#include "imaging/detect/speckregion.h"

#include <math.h>
#include <string.h>

#define SECTORS 8

/* ---- 1. the region ---- */

void
speck_region_start (SpeckRegion *region, const SpeckScene *scene, int plane,
                    int x, int y)
{
  region->scene = scene;
  region->plane = plane;
  region->x = x;
  region->y = y;
  region->left = MAX (0, SPECK_REACH - x);
  region->top = MAX (0, SPECK_REACH - y);
  region->right =
    MIN (SPECK_WINDOW - 1, SPECK_REACH + scene->image->width - 1 - x);
  region->bottom =
    MIN (SPECK_WINDOW - 1, SPECK_REACH + scene->image->height - 1 - y);
  region->count = 1;
  region->pixels[0] = SPECK_MIDDLE;
  memset (region->near, 0, sizeof region->near);
  region->near[SPECK_MIDDLE] = 1;
  region->x0 = region->x1 = region->y0 = region->y1 = SPECK_REACH;
}

void
speck_region_put (SpeckRegion *region, const SpeckScene *scene,
                  const ImageArea *box, const gsize *pixels, int count)
{
  gsize width = (gsize) scene->image->width;

  speck_region_start (region, scene, SPECK_LIGHT, box->x + box->width / 2,
                      box->y + box->height / 2);
  region->near[SPECK_MIDDLE] = 0;
  region->count = count;
  for (int i = 0; i < count; i++) {
    int x = (int) (pixels[i] % width) - region->x + SPECK_REACH;
    int y = (int) (pixels[i] / width) - region->y + SPECK_REACH;

    region->pixels[i] = y * SPECK_WINDOW + x;
    region->near[region->pixels[i]] = 1;
  }
  region->x0 = box->x - region->x + SPECK_REACH;
  region->x1 = region->x0 + box->width - 1;
  region->y0 = box->y - region->y + SPECK_REACH;
  region->y1 = region->y0 + box->height - 1;
}

/* Takes the neighbour at @k into the region if it stands out by @level.  FALSE
 * when the region is too large, or belongs to a higher peak. */
static inline gboolean
take (SpeckRegion *region, int k, int level)
{
  int x = k % SPECK_WINDOW, y = k / SPECK_WINDOW;
  const guint8 *hat = region->scene->hat[region->plane].data;
  int value;

  if (region->near[k] || x < region->left || x > region->right
      || y < region->top || y > region->bottom)
    return TRUE;
  value = hat[speck_place (region, k)];
  if (value < level)
    return TRUE;
  if (value > hat[speck_place (region, SPECK_MIDDLE)]
      || region->count == SPECK_PIXELS || ABS (x - SPECK_REACH) > SPECK_RADIUS
      || ABS (y - SPECK_REACH) > SPECK_RADIUS)
    return FALSE;
  region->near[k] = 1;
  region->pixels[region->count++] = k;
  region->x0 = MIN (region->x0, x);
  region->x1 = MAX (region->x1, x);
  region->y0 = MIN (region->y0, y);
  region->y1 = MAX (region->y1, y);
  return TRUE;
}

gboolean
speck_region_flood (SpeckRegion *region, int level)
{
  for (int i = 0; i < region->count; i++) {
    int k = region->pixels[i];

    if (!take (region, k - 1, level) || !take (region, k + 1, level)
        || !take (region, k - SPECK_WINDOW, level)
        || !take (region, k + SPECK_WINDOW, level))
      return FALSE;
  }
  return TRUE;
}

void
speck_region_measure (SpeckRegion *region)
{
  static const int sides[4] = { -1, 1, -SPECK_WINDOW, SPECK_WINDOW };
  int queue[SPECK_WINDOW * SPECK_WINDOW], count = region->count;

  memcpy (queue, region->pixels, (gsize) count * sizeof (int));
  for (int i = 0; i < count && region->near[queue[i]] <= SPECK_RING; i++)
    for (int s = 0; s < 4; s++) {
      int k = queue[i] + sides[s];

      if (region->near[k] == 0) {
        region->near[k] = (guint8) (region->near[queue[i]] + 1);
        queue[count++] = k;
      }
    }
}

void
speck_region_forget (SpeckRegion *region)
{
  for (int k = 0; k < SPECK_WINDOW * SPECK_WINDOW; k++)
    region->near[k] = region->near[k] == 1;
}

/* ---- 2. its features ---- */

/* Sums over pixels. */
typedef struct {
  int count, shade, squares;
  int chroma, chroma_squares;
  int contrary; /* shades of the plane of the other polarity */
} Sums;

static inline void
sums_add (Sums *sums, int shade, int chroma, int contrary)
{
  sums->count++;
  sums->shade += shade;
  sums->squares += shade * shade;
  sums->chroma += chroma;
  sums->chroma_squares += chroma * chroma;
  sums->contrary += contrary;
}

static inline float
mean (int sum, int count)
{
  return count > 0 ? (float) sum / (float) count : 0;
}

static float
deviation (int sum, int squares, int count)
{
  float m = mean (sum, count), variance = mean (squares, count) - m * m;

  return variance > 0 ? sqrtf (variance) : 0;
}

/* What is summed up around a region. */
typedef struct {
  Sums at[SPECK_RING + 2]; /* by distance plus 1 */
  Sums core;         /* pixels whose four neighbours belong, too */
  int sector[SECTORS], sector_count[SECTORS]; /* 2 and 3 pixels away */
  int above; /* pixels there that stand out as much as the region */
  int edges; /* between pixels of the region and others */
  int peak;
} Census;

static inline int
sector_of (int dx, int dy)
{
  return (dx > 0 ? 1 : 0) + (dy > 0 ? 2 : 0) + (ABS (dx) > ABS (dy) ? 4 : 0);
}

/* Counts pixel @k of the window. */
static inline void
count_pixel (const SpeckRegion *region, int k, int level, Census *census)
{
  const SpeckScene *scene = region->scene;
  int near = region->near[k];
  gsize i = speck_place (region, k);
  int shade = scene->shade[region->plane].data[i];
  int chroma = scene->shade[SPECK_COLOUR].data[i];
  int contrary =
    scene->shade[region->plane == SPECK_LIGHT ? SPECK_DARK : SPECK_LIGHT]
      .data[i];

  sums_add (&census->at[near], shade, chroma, contrary);
  if (near == 1) {
    int others = (region->near[k - 1] != 1) + (region->near[k + 1] != 1)
                 + (region->near[k - SPECK_WINDOW] != 1)
                 + (region->near[k + SPECK_WINDOW] != 1);

    census->edges += others;
    census->peak = MAX (census->peak, shade);
    if (others == 0)
      sums_add (&census->core, shade, chroma, contrary);
  }
  if (near == 3 || near == 4) {
    int s = sector_of (k % SPECK_WINDOW - SPECK_REACH,
                       k / SPECK_WINDOW - SPECK_REACH);

    census->above += scene->hat[region->plane].data[i] >= level;
    census->sector[s] += shade;
    census->sector_count[s]++;
  }
}

static void
take_census (const SpeckRegion *region, int level, Census *census)
{
  int top = MAX (region->y0 - SPECK_RING, region->top);
  int bottom = MIN (region->y1 + SPECK_RING, region->bottom);
  int left = MAX (region->x0 - SPECK_RING, region->left);
  int right = MIN (region->x1 + SPECK_RING, region->right);

  memset (census, 0, sizeof *census);
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      if (region->near[y * SPECK_WINDOW + x])
        count_pixel (region, y * SPECK_WINDOW + x, level, census);
}

static Sums
sum_of (const Sums *a, const Sums *b)
{
  return (Sums){ a->count + b->count,
                 a->shade + b->shade,
                 a->squares + b->squares,
                 a->chroma + b->chroma,
                 a->chroma_squares + b->chroma_squares,
                 a->contrary + b->contrary };
}

/* The least contrast to a side, as a part of @contrast. */
static float
worst_side (const Census *census, float inside, float contrast)
{
  float worst = 9;

  for (int s = 0; s < SECTORS; s++)
    if (census->sector_count[s] > 0) {
      float side = mean (census->sector[s], census->sector_count[s]);

      worst = MIN (worst, (inside - side) / contrast);
    }
  return worst;
}

gboolean
speck_region_describe (const SpeckRegion *region, const SpeckPeak *peak,
                       int level, int before, int crowd,
                       float f[SPECK_FEATURES])
{
  gsize middle = speck_place (region, SPECK_MIDDLE);
  float usual = region->scene->usual[peak->plane].data[middle];
  Census census;
  Sums ring;
  const Sums *in = &census.at[1], *core;
  float inside, contrast, n = (float) region->count;
  int across = region->x1 - region->x0 + 1, down = region->y1 - region->y0 + 1;

  take_census (region, level, &census);
  ring = sum_of (&census.at[3], &census.at[4]);
  inside = mean (in->shade, in->count);
  contrast = inside - mean (ring.shade, ring.count);
  if (ring.count == 0 || contrast < 5)
    return FALSE;
  core = census.core.count > 3 ? &census.core : in;
  f[0] = contrast;
  f[1] = contrast / (usual + 2);
  f[2] = (deviation (core->shade, core->squares, core->count) + 1)
         / (deviation (ring.shade, ring.squares, ring.count) + 2);
  f[3] = deviation (ring.shade, ring.squares, ring.count) / contrast;
  f[4] = (float) census.above / (float) ring.count;
  f[5] = mean (in->chroma, in->count);
  f[6] = mean (ring.chroma, ring.count);
  f[7] = inside;
  f[8] = n;
  f[9] = n / (float) (across * down);
  for (int k = 0; k < 3; k++) {
    const Sums *at = &census.at[k == 2 ? 5 : k + 2];

    f[10 + k] = (inside - mean (at->shade, at->count)) / contrast;
  }
  f[13] = (float) census.edges / sqrtf (n);
  f[14] = worst_side (&census, inside, contrast);
  f[15] = ((float) census.peak - inside) / contrast;
  f[16] = (deviation (core->chroma, core->chroma_squares, core->count) + 1)
          / (deviation (ring.chroma, ring.chroma_squares, ring.count) + 2);
  f[17] = usual;
  f[18] = peak->depth;
  f[19] = (float) crowd;
  f[20] = peak->plane;
  f[21] = (float) before / n;
  f[22] = region->scene->hat[peak->plane].data[middle];
  f[23] = (float) MAX (across, down) / (float) MIN (across, down);
  f[24] = (mean (in->contrary, in->count) - mean (ring.contrary, ring.count))
          / contrast;
  return TRUE;
}
