/* dust.c - dust and specks
 *
 * Spots of 1 to about 14 pixels across, much lighter or darker than what is
 * around them.  A candidate is grown from each peak of the top-hat: the
 * connected pixels above a part of the height of the peak.  What is known of
 * dust makes its features:
 *   1. it covers the picture: inside it is flatter than around, and grey;
 *   2. it ends at once, on all sides: the pixels 2 away are background;
 *   3. it is compact;
 *   4. it is rare: where the picture is full of small spots, leaves or
 *      glitter, these belong to it, so its contrast is compared with the mean
 *      of the top-hat nearby.
 * judge.h weighs them.
 */
#include "imaging/detect/detect.h"

#include "base/parallel.h"
#include "imaging/detect/judge.h"
#include "imaging/detect/marks.h"

#include <math.h>
#include <string.h>

/* Half of the side of the window that lets no speck through. */
#define REACH 8

/* Half of the side of the window in which specks must be rare. */
#define SURROUNDINGS 32

/* A peak is at least this high, in levels, and this many times the usual. */
#define LEAST_PEAK 20
#define PEAK_TIMES 1.5

/* Parts of the height of a peak above which its region lies. */
static const double heights[] = { 0.12, 0.22, 0.35, 0.5, 0.65 };

#define MOST_PIXELS 180
#define RADIUS 12            /* of the region, from its peak */
#define RING 4               /* pixels around it that are looked at */
#define HALF (RADIUS + RING) /* the window with both */
#define SIDE (2 * HALF + 1)
#define SECTORS 8

#define ROWS 16 /* that a thread examines at a time */

/* ---- 1. regions ---- */

/* The pixels of one polarity: dark specks are light in the negative. */
typedef struct {
  const Image *image;
  const BytePlane *shade, *hat, *usual;
} Scene;

/* A window around a peak: distance to the region plus 1, 0 for further. */
typedef struct {
  int x, y; /* the peak */
  guint8 near[SIDE * SIDE];
  int pixels[MOST_PIXELS]; /* of the region, numbers in the window */
  int count;
  int x0, x1, y0, y1; /* its bounds in the window, the last ones included */
} Region;

static inline gsize
place (const Scene *scene, const Region *region, int k)
{
  gsize y = (gsize) (region->y + k / SIDE - HALF);

  return y * (gsize) scene->shade->width
         + (gsize) (region->x + k % SIDE - HALF);
}

static inline gboolean
is_inside (const Scene *scene, const Region *region, int k)
{
  int x = region->x + k % SIDE - HALF, y = region->y + k / SIDE - HALF;

  return x >= 0 && y >= 0 && x < scene->shade->width
         && y < scene->shade->height;
}

/* Takes the neighbour at @k into the region if it is as light as @level.
 * FALSE when the region is too large. */
static gboolean
take (const Scene *scene, Region *region, int k, int level)
{
  int dx = k % SIDE - HALF, dy = k / SIDE - HALF;

  if (region->near[k] || !is_inside (scene, region, k)
      || scene->shade->data[place (scene, region, k)] < level)
    return TRUE;
  if (region->count == MOST_PIXELS || ABS (dx) > RADIUS || ABS (dy) > RADIUS)
    return FALSE;
  region->near[k] = 1;
  region->pixels[region->count++] = k;
  region->x0 = MIN (region->x0, k % SIDE);
  region->x1 = MAX (region->x1, k % SIDE);
  region->y0 = MIN (region->y0, k / SIDE);
  region->y1 = MAX (region->y1, k / SIDE);
  return TRUE;
}

/* Grows the region of the peak at @x, @y.  FALSE when it is too large. */
static gboolean
grow (const Scene *scene, Region *region, int x, int y, int level)
{
  const int start = HALF * SIDE + HALF;

  region->x = x;
  region->y = y;
  region->count = 0;
  region->x0 = region->x1 = region->y0 = region->y1 = HALF;
  memset (region->near, 0, sizeof region->near);
  if (!take (scene, region, start, level))
    return FALSE;
  for (int i = 0; i < region->count; i++) {
    int k = region->pixels[i];

    if (!take (scene, region, k - 1, level)
        || !take (scene, region, k + 1, level)
        || !take (scene, region, k - SIDE, level)
        || !take (scene, region, k + SIDE, level))
      return FALSE;
  }
  return TRUE;
}

/* Sets the distances of the pixels around. */
static void
measure_distances (Region *region)
{
  for (int d = 1; d <= RING; d++)
    for (int y = region->y0 - d; y <= region->y1 + d; y++)
      for (int x = region->x0 - d; x <= region->x1 + d; x++) {
        guint8 *near = &region->near[y * SIDE + x];
        gboolean touches =
          (x > 0 && near[-1] == d) || (x < SIDE - 1 && near[1] == d)
          || (y > 0 && near[-SIDE] == d) || (y < SIDE - 1 && near[SIDE] == d);

        if (*near == 0 && touches)
          *near = (guint8) (d + 1);
      }
}

/* ---- 2. features ---- */

#define FEATURES 18

/* Sums over pixels. */
typedef struct {
  double count, shade, squares;
  double chroma;             /* largest less least colour */
  double tint, tint_squares; /* first less last colour */
} Sums;

/* Adds pixel @i. */
static void
sums_add (Sums *sums, const Scene *scene, gsize i)
{
  const Image *image = scene->image;
  const guint16 *pixel = image->samples + i * (gsize) image->channels;
  int colours = image_colours (image), least = pixel[0], most = pixel[0];
  double scale = 255. / image_peak (image), shade = scene->shade->data[i];
  double tint = (pixel[0] - pixel[colours - 1]) * scale;

  for (int k = 1; k < colours; k++) {
    least = MIN (least, pixel[k]);
    most = MAX (most, pixel[k]);
  }
  sums->count++;
  sums->shade += shade;
  sums->squares += shade * shade;
  sums->chroma += (most - least) * scale;
  sums->tint += tint;
  sums->tint_squares += tint * tint;
}

static double
mean (const Sums *sums)
{
  return sums->count > 0 ? sums->shade / sums->count : 0;
}

/* Standard deviation of @count numbers of that sum and sum of squares. */
static double
deviation (double sum, double squares, double count)
{
  return count > 0
           ? sqrt (fmax (0, squares / count - sum / count * sum / count))
           : 0;
}

static double
shade_deviation (const Sums *sums)
{
  return deviation (sums->shade, sums->squares, sums->count);
}

static double
tint_deviation (const Sums *sums)
{
  return deviation (sums->tint, sums->tint_squares, sums->count);
}

/* What is summed up around a region. */
typedef struct {
  Sums at[RING + 2];    /* by distance plus 1 */
  Sums core;            /* pixels whose four neighbours belong, too */
  Sums sector[SECTORS]; /* of the background, 2 and 3 pixels away */
  double above;         /* pixels of it as light as the region */
  double edges;         /* between pixels of the region and others */
  double peak;
} Census;

static int
sector_of (int dx, int dy)
{
  return (dx > 0 ? 1 : 0) + (dy > 0 ? 2 : 0) + (ABS (dx) > ABS (dy) ? 4 : 0);
}

static void
count_region (const Scene *scene, const Region *region, int k, Census *census)
{
  gsize i = place (scene, region, k);
  int others = (region->near[k - 1] != 1) + (region->near[k + 1] != 1)
               + (region->near[k - SIDE] != 1) + (region->near[k + SIDE] != 1);

  census->edges += others;
  census->peak = fmax (census->peak, scene->shade->data[i]);
  if (others == 0)
    sums_add (&census->core, scene, i);
}

/* Counts pixel @k of the window. */
static void
count_pixel (const Scene *scene, const Region *region, int k, int level,
             Census *census)
{
  int near = region->near[k];
  gsize i;

  if (near == 0 || !is_inside (scene, region, k))
    return;
  i = place (scene, region, k);
  sums_add (&census->at[near], scene, i);
  if (near == 1)
    count_region (scene, region, k, census);
  if (near == 3 || near == 4) {
    census->above += scene->shade->data[i] >= level;
    sums_add (&census->sector[sector_of (k % SIDE - HALF, k / SIDE - HALF)],
              scene, i);
  }
}

static void
take_census (const Scene *scene, const Region *region, int level,
             Census *census)
{
  *census = (Census){ 0 };
  for (int y = region->y0 - RING; y <= region->y1 + RING; y++)
    for (int x = region->x0 - RING; x <= region->x1 + RING; x++)
      count_pixel (scene, region, y * SIDE + x, level, census);
}

static Sums
sum_of (const Sums *a, const Sums *b)
{
  return (Sums){ a->count + b->count,     a->shade + b->shade,
                 a->squares + b->squares, a->chroma + b->chroma,
                 a->tint + b->tint,       a->tint_squares + b->tint_squares };
}

static double
ratio (double a, double b)
{
  return log ((a + 2) / (b + 2));
}

/* Fills @f; FALSE if there is no contrast or no background. */
static gboolean
describe (const Scene *scene, const Region *region, int level,
          double f[FEATURES])
{
  Census census;
  Sums ring;
  const Sums *in = &census.at[1], *core;
  double contrast, usual, worst = G_MAXDOUBLE, n = region->count;

  take_census (scene, region, level, &census);
  ring = sum_of (&census.at[3], &census.at[4]);
  contrast = mean (in) - mean (&ring);
  if (ring.count == 0 || contrast < 5)
    return FALSE;
  for (int s = 0; s < SECTORS; s++)
    if (census.sector[s].count > 0)
      worst = fmin (worst, mean (in) - mean (&census.sector[s]));
  core = census.core.count > 3 ? &census.core : in;
  usual = scene->usual->data[place (scene, region, HALF * SIDE + HALF)];
  f[0] = log (contrast);
  f[1] = ratio (contrast, usual);
  f[2] = ratio (shade_deviation (core), shade_deviation (&ring));
  f[3] = ratio (shade_deviation (&ring), contrast);
  f[4] = census.above / ring.count;
  f[5] = in->chroma / n / 64;
  f[6] = ring.chroma / ring.count / 64;
  f[7] = mean (in) / 64;
  f[8] = log (n);
  f[9] = n / ((region->x1 - region->x0 + 1) * (region->y1 - region->y0 + 1));
  f[10] = (mean (in) - mean (&census.at[2])) / contrast;
  f[11] = (mean (in) - mean (&census.at[3])) / contrast;
  f[12] = (mean (in) - mean (&census.at[5])) / contrast;
  f[13] = census.edges / sqrt (n);
  f[14] = worst / contrast;
  f[15] = (census.peak - mean (in)) / contrast;
  f[16] = ratio (tint_deviation (core), tint_deviation (&ring));
  f[17] = ratio (usual, 0);
  return TRUE;
}

/* Learned from 133 pictures, of 150 x 150 to 768 x 512 pixels, clean and with
 * specks.  A model learned from two thirds of them had an F1 of 0.95 on the
 * candidates of the others, by pixels. */
static const double
  units[]
       [JUDGE_WEIGHTS (FEATURES)] = {
         { -1.425, -2.339, -0.013, -0.147, -0.201, -0.236, 1.677,
           2.443,  -1.074, -0.358, 0.055,  4.031,  0.142,  0.163,
           -0.472, -0.271, 0.218,  0.079,  0.114,  0.245 },
         { -1.852, -1.362, 0.018,  0.074, 0.497,  0.731,  2.323,
           2.580,  0.679,  0.420,  0.043, -0.107, -0.772, 0.638,
           -0.369, 0.272,  -0.356, 0.938, 0.459,  -0.066 },
         { -1.840, 7.457,  -0.449, -0.343, -0.084, -0.031, -0.514,
           2.339,  -1.380, -1.389, 0.172,  1.484,  -1.088, -0.328,
           -0.777, -0.110, -0.105, 0.473,  0.026,  -0.487 },
         { -1.718, -2.206, 0.087,  -0.222, 0.017,  0.209,  2.013,
           1.268,  -0.221, -0.195, 0.089,  0.771,  -0.682, -0.930,
           0.145,  0.308,  -0.074, 1.411,  -0.220, 0.810 },
         { -1.432, 0.271,  0.079,  -0.039, 0.235, 0.086,  -2.099,
           2.235,  -0.795, 0.332,  -0.273, 1.508, -1.632, -0.280,
           -0.125, 0.218,  -0.252, 0.454,  0.414, -0.153 },
         { 1.531,  0.304,  0.031,  -0.034, 0.032,  -0.576, 0.656,
           -0.746, 2.116,  -0.388, 0.159,  -0.528, 0.563,  -0.250,
           0.353,  -0.321, 0.311,  -0.490, 0.271,  -0.128 },
         { -1.840, 2.048,  -0.090, -0.166, 0.097,  0.458, 0.404,
           0.623,  -0.788, -0.557, -0.967, -0.962, 0.691, 0.891,
           -0.474, 0.329,  0.094,  -0.078, -0.309, 0.068 },
         { -1.765, -8.766, 0.237,  0.148,  0.268,  0.357, 0.350,
           1.839,  -0.627, 1.483,  -0.408, 1.205,  0.046, 0.967,
           0.650,  0.272,  -0.423, 0.761,  -0.284, 0.204 },
       };

static const Judge judge = { .bias = -2.983,
                             .features = FEATURES,
                             .units = G_N_ELEMENTS (units),
                             .weights = units[0],
                             .density = 1.2e-4,
                             .least = 0.015 };

/* ---- 3. candidates ---- */

typedef struct {
  int x, y, level; /* the peak, and the least level of its region */
  double logit;
} Candidate;

/* Whether no pixel around stands out more; of equals the first counts. */
static gboolean
is_peak (const BytePlane *hat, int x, int y)
{
  gsize i = (gsize) y * (gsize) hat->width + (gsize) x;

  for (int row = MAX (0, y - 1); row <= MIN (y + 1, hat->height - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, hat->width - 1); col++) {
      gsize j = (gsize) row * (gsize) hat->width + (gsize) col;

      if (hat->data[j] > hat->data[i]
          || (hat->data[j] == hat->data[i] && j < i))
        return FALSE;
    }
  return TRUE;
}

/* The best region of the peak at @x, @y.  FALSE if there is none. */
static gboolean
examine (const Scene *scene, int x, int y, Candidate *best)
{
  gsize i = (gsize) y * (gsize) scene->hat->width + (gsize) x;
  gboolean found = FALSE;
  int last = 0;
  Region region;

  for (gsize h = 0; h < G_N_ELEMENTS (heights); h++) {
    int level =
      scene->shade->data[i] - (int) (heights[h] * scene->hat->data[i]);
    double f[FEATURES], logit;

    if (!grow (scene, &region, x, y, level))
      break;
    if (region.count == last)
      continue;
    last = region.count;
    measure_distances (&region);
    if (!describe (scene, &region, level, f))
      continue;
    logit = judge_logit (&judge, f);
    if (!found || logit > best->logit)
      *best = (Candidate){ x, y, level, logit };
    found = TRUE;
  }
  return found;
}

typedef struct {
  const Scene *scene;
  GArray **found; /* of Candidate, for each chunk of rows */
} Search;

static void
search_rows (int chunk, int worker, gpointer data)
{
  const Search *search = data;
  const Scene *scene = search->scene;
  const BytePlane *hat = scene->hat;
  int end = MIN ((chunk + 1) * ROWS, hat->height);

  (void) worker;
  for (int y = chunk * ROWS; y < end; y++)
    for (int x = 0; x < hat->width; x++) {
      gsize i = (gsize) y * (gsize) hat->width + (gsize) x;
      Candidate candidate;

      if (hat->data[i] < LEAST_PEAK
          || hat->data[i] < PEAK_TIMES * scene->usual->data[i]
          || !is_peak (hat, x, y) || image_is_transparent (scene->image, i)
          || !examine (scene, x, y, &candidate))
        continue;
      g_array_append_val (search->found[chunk], candidate);
    }
}

/* ---- 4. both polarities ---- */

/* What is known of one polarity. */
typedef struct {
  BytePlane shade, hat, usual;
  Scene scene;
  GArray *found; /* of Candidate */
} Specks;

static void
specks_clear (Specks *specks)
{
  byte_plane_clear (&specks->shade);
  byte_plane_clear (&specks->hat);
  byte_plane_clear (&specks->usual);
  g_clear_pointer (&specks->found, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Specks, specks_clear)

static gboolean
load_planes (const Image *image, gboolean negative, Specks *specks,
             GError **error)
{
  if (!byte_plane_init (&specks->shade, image->width, image->height, error)
      || !byte_plane_init (&specks->hat, image->width, image->height, error))
    return FALSE;
  byte_plane_load (&specks->shade, image, negative);
  memcpy (specks->hat.data, specks->shade.data,
          byte_plane_size (&specks->hat));
  specks->scene =
    (Scene){ image, &specks->shade, &specks->hat, &specks->usual };
  return byte_plane_top_hat (&specks->hat, REACH, REACH, error)
         && byte_plane_mean (&specks->hat, SURROUNDINGS, SURROUNDINGS,
                             &specks->usual, error);
}

/* Finds the candidates, in an order that does not depend on threads. */
static gboolean
find_candidates (const Image *image, gboolean negative, Specks *specks,
                 const Progress *progress, GError **error)
{
  int chunks = (image->height + ROWS - 1) / ROWS;
  g_autofree GArray **found = NULL;
  Search search;
  gboolean ok;

  if (!load_planes (image, negative, specks, error))
    return FALSE;
  found = g_new (GArray *, chunks);
  for (int i = 0; i < chunks; i++)
    found[i] = g_array_new (FALSE, FALSE, sizeof (Candidate));
  search = (Search){ &specks->scene, found };
  ok = parallel_for (chunks, search_rows, &search, progress, error);
  specks->found = g_array_new (FALSE, FALSE, sizeof (Candidate));
  for (int i = 0; i < chunks; i++) {
    g_array_append_vals (specks->found, found[i]->data, found[i]->len);
    g_array_unref (found[i]);
  }
  return ok;
}

/* ---- 5. one candidate per speck, and no crowds ---- */

/* Candidates below this logit are not worth a further look. */
#define LEAST_LOGIT (-1.)

/* Dust is scattered: a candidate with more than CROWD_MOST others in the 5 x 5
 * cells around it is one of the lights of a city or the letters of a text, and
 * each one more costs it some logits.  (90 specks on 768 x 512 pixels: 1.5 on
 * average.) */
#define CELL 16
#define CROWD_REACH 2
#define CROWD_MOST 4
#define CROWD_COST 1.5

static gint
by_logit (gconstpointer a, gconstpointer b)
{
  const Candidate *p = a, *q = b;

  if (p->logit != q->logit)
    return p->logit < q->logit ? 1 : -1;
  return p->y != q->y ? p->y - q->y : p->x - q->x;
}

/* Leaves in @found the best candidate of each speck, and adds the logits of
 * the unlikely ones to @logits. */
static gboolean
choose_best (const Specks *specks, GArray *found, GArray *logits,
             GError **error)
{
  const BytePlane *shade = &specks->shade;
  g_auto (BytePlane) taken = { 0 };
  guint kept = 0;

  if (!byte_plane_init (&taken, shade->width, shade->height, error))
    return FALSE;
  g_array_sort (found, by_logit);
  for (guint i = 0; i < found->len; i++) {
    Candidate c = g_array_index (found, Candidate, i);
    Region region;

    if (c.logit < LEAST_LOGIT)
      g_array_append_val (logits, c.logit);
    else if (!taken.data[(gsize) c.y * (gsize) shade->width + (gsize) c.x]
             && grow (&specks->scene, &region, c.x, c.y, c.level)) {
      for (int k = 0; k < region.count; k++)
        taken.data[place (&specks->scene, &region, region.pixels[k])] = 1;
      g_array_index (found, Candidate, kept++) = c;
    }
  }
  g_array_set_size (found, kept);
  return TRUE;
}

/* How many candidates there are in each cell. */
typedef struct {
  int width, height;
  int *counts;
} Cells;

static void
count_cells (Cells *cells, const GArray *found)
{
  for (guint i = 0; i < found->len; i++) {
    const Candidate *c = &g_array_index (found, Candidate, i);

    cells->counts[c->y / CELL * cells->width + c->x / CELL]++;
  }
}

static void
charge_crowds (const Cells *cells, GArray *found, GArray *logits)
{
  for (guint i = 0; i < found->len; i++) {
    Candidate *c = &g_array_index (found, Candidate, i);
    int x = c->x / CELL, y = c->y / CELL, others = -1;

    for (int row = MAX (0, y - CROWD_REACH);
         row <= MIN (y + CROWD_REACH, cells->height - 1); row++)
      for (int col = MAX (0, x - CROWD_REACH);
           col <= MIN (x + CROWD_REACH, cells->width - 1); col++)
        others += cells->counts[row * cells->width + col];
    c->logit -= CROWD_COST * MAX (0, others - CROWD_MOST);
    g_array_append_val (logits, c->logit);
  }
}

/* Adds the regions of candidates above @threshold to @mask. */
static void
mark_specks (const Specks *specks, double threshold, Mask *mask)
{
  for (guint i = 0; i < specks->found->len; i++) {
    const Candidate *c = &g_array_index (specks->found, Candidate, i);
    Region region;

    if (c->logit <= threshold
        || !grow (&specks->scene, &region, c->x, c->y, c->level))
      continue;
    for (int k = 0; k < region.count; k++)
      mask->missing[place (&specks->scene, &region, region.pixels[k])] =
        MASK_PIXEL;
  }
}

static Mask *
find_dust (const Image *image, double strength, const Progress *progress,
           GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (GArray) logits = g_array_new (FALSE, FALSE, sizeof (double));
  g_auto (Specks) light = { 0 };
  g_auto (Specks) dark = { 0 };
  ProgressPart halves[2] = { { progress, 0, 0.5 }, { progress, 0.5, 1 } };
  Progress first = progress_part (&halves[0]);
  Progress second = progress_part (&halves[1]);
  Cells cells = { image->width / CELL + 1, image->height / CELL + 1, NULL };
  g_autofree int *counts =
    g_new0 (int, (gsize) cells.width *(gsize) cells.height);
  double threshold;

  if (mask == NULL || !find_candidates (image, FALSE, &light, &first, error)
      || !find_candidates (image, TRUE, &dark, &second, error)
      || !choose_best (&light, light.found, logits, error)
      || !choose_best (&dark, dark.found, logits, error))
    return NULL;
  cells.counts = counts;
  count_cells (&cells, light.found);
  count_cells (&cells, dark.found);
  charge_crowds (&cells, light.found, logits);
  charge_crowds (&cells, dark.found, logits);
  threshold =
    judge_threshold (&judge, (const double *) (gpointer) logits->data,
                     logits->len, (double) image_pixels (image), strength);
  mark_specks (&light, threshold, mask);
  mark_specks (&dark, threshold, mask);
  if (!mask_grow (mask, 1, error) || !progress_step (progress, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_dust = { "dust", "dust and specks", find_dust };
