/* texture.c - a field of nearest patches, and votes, from coarse to fine
 *
 * Places are upper left corners of patches of SIDE x SIDE pixels, numbered row
 * after row.  Targets are the places whose patches hold a wanted pixel,
 * sources those whose patches are known.  The field has a source for each
 * target.
 *
 * A turn of the search looks, for every target, at what its neighbours had
 * after the turn before, shifted by their distance, and at random sources in
 * ever smaller squares around its own.  As it reads only the turn before,
 * targets can be done in any order by any number of threads.
 */
#include "imaging/inpaint/texture.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 8
#define MOST_LEVELS 16
#define CHUNK 512 /* targets that a thread takes at a time */
#define ROWS 8    /* likewise, rows of votes */

/* The coarsest level has holes no deeper than this: there, most patches see
 * what is known. */
#define COARSEST_DEPTH 5

/* Fewer sources than this are too few for a texture. */
#define LEAST_SOURCES 64

/* Rounds of search and votes on the coarsest level and on all others, and
 * turns of the search in each round. */
#define FIRST_ROUNDS 10
#define ROUNDS 3
#define TURNS 3

/* Half the side of the first square of the random search, below the coarsest
 * level, where the field is only to be refined. */
#define REFINE_RADIUS 24

/* The weight of a vote, and what a sample counts, fall by this factor for
 * each pixel of depth. */
#define FALL 0.8f

/* What a sample counts at least when patches are compared. */
#define LEAST_TRUST 0.01f

#define STREAM 0x7465787475726500u

typedef struct {
  int width, height, channels;
  float *values;   /* one pixel after the other */
  guint8 *missing; /* one byte per pixel */
  guint8 *wanted;
  float *depth;
  float *trust; /* one number per sample: 1 known, falling with depth */
} Level;

typedef struct {
  const Level *level;
  guint64 seed;
  guint64 turn; /* number of the turn, over all levels */
  int radius;   /* of the first square of the random search */

  guint8 *is_source; /* one byte per place */
  int *sources;      /* places */
  int source_count;
  int *targets; /* places, in rising order */
  int target_count;
  int *target_at; /* number of the target at each place, or -1 */

  int *field, *next;  /* source of each target, before and after a turn */
  float *cost;        /* of the field */
  float *next_cost;   /* after a turn */
  float *vote_weight; /* of each target */
} Search;

/* ---- levels ---- */

static gboolean
level_init (Level *level, int width, int height, int channels)
{
  gsize pixels = (gsize) width * (gsize) height;

  *level = (Level){ .width = width, .height = height, .channels = channels };
  level->values = g_try_new0 (float, pixels *(gsize) channels);
  level->missing = g_try_malloc0 (pixels);
  level->wanted = g_try_malloc0 (pixels);
  level->depth = g_try_new0 (float, pixels);
  level->trust = g_try_new0 (float, pixels *(gsize) channels);
  return level->values != NULL && level->missing != NULL
         && level->wanted != NULL && level->depth != NULL
         && level->trust != NULL;
}

static void
level_clear (Level *level)
{
  g_free (level->values);
  g_free (level->missing);
  g_free (level->wanted);
  g_free (level->depth);
  g_free (level->trust);
}

static void
set_trust (Level *level)
{
  gsize n = (gsize) level->channels;

  for (gsize i = 0; i < (gsize) level->width * (gsize) level->height; i++) {
    float trust = powf (FALL, level->depth[i]);

    for (gsize c = 0; c < n; c++)
      level->trust[i * n + c] = MAX (trust, LEAST_TRUST);
  }
}

/* Pixel (@x, @y) of @to from the four, or fewer, pixels of @from below it. */
static void
halve_pixel (const Level *from, Level *to, int x, int y)
{
  gsize i = (gsize) y * (gsize) to->width + (gsize) x;
  int count = 0;

  for (int row = 2 * y; row < MIN (2 * y + 2, from->height); row++)
    for (int col = 2 * x; col < MIN (2 * x + 2, from->width); col++) {
      gsize j = (gsize) row * (gsize) from->width + (gsize) col;

      for (int c = 0; c < to->channels; c++)
        to->values[i * (gsize) to->channels + (gsize) c] +=
          from->values[j * (gsize) to->channels + (gsize) c];
      to->missing[i] |= from->missing[j];
      to->wanted[i] |= from->wanted[j];
      to->depth[i] = MAX (to->depth[i], from->depth[j] / 2);
      count++;
    }
  for (int c = 0; c < to->channels; c++)
    to->values[i * (gsize) to->channels + (gsize) c] /= (float) count;
}

static gboolean
level_halve (const Level *from, Level *to)
{
  if (!level_init (to, (from->width + 1) / 2, (from->height + 1) / 2,
                   from->channels))
    return FALSE;
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++)
      halve_pixel (from, to, x, y);
  set_trust (to);
  return TRUE;
}

static gboolean
level_from_region (Level *level, const Region *region)
{
  gsize pixels = region_pixels (region);

  if (!level_init (level, region->width, region->height, region->channels))
    return FALSE;
  memcpy (level->values, region->values,
          pixels * (gsize) region->channels * sizeof (float));
  memcpy (level->missing, region->missing, pixels);
  memcpy (level->wanted, region->wanted, pixels);
  memcpy (level->depth, region->depth, pixels * sizeof (float));
  set_trust (level);
  return TRUE;
}

/* ---- places ---- */

static int
places_across (const Level *level)
{
  return level->width - SIDE + 1;
}

static int
places_down (const Level *level)
{
  return level->height - SIDE + 1;
}

/* Sets @any to whether the patch at each place has a pixel set in @bytes: by
 * columns of SIDE pixels, then by rows of those. */
static void
any_in_patch (const Level *level, const guint8 *bytes, guint8 *any)
{
  int across = places_across (level), down = places_down (level);
  g_autofree guint8 *columns = g_malloc ((gsize) level->width);

  for (int y = 0; y < down; y++) {
    memset (columns, 0, (gsize) level->width);
    for (int row = y; row < y + SIDE; row++)
      for (int x = 0; x < level->width; x++)
        columns[x] |=
          bytes[(gsize) row * (gsize) level->width + (gsize) x] != 0;
    for (int x = 0; x < across; x++) {
      guint8 found = 0;

      for (int col = x; col < x + SIDE; col++)
        found |= columns[col];
      any[(gsize) y * (gsize) across + (gsize) x] = found;
    }
  }
}

static void
list_sources (Search *s)
{
  int places = places_across (s->level) * places_down (s->level);

  any_in_patch (s->level, s->level->missing, s->is_source);
  for (int i = 0; i < places; i++) {
    s->is_source[i] = !s->is_source[i];
    if (s->is_source[i])
      s->sources[s->source_count++] = i;
  }
}

static void
list_targets (Search *s, guint8 *scratch)
{
  int places = places_across (s->level) * places_down (s->level);

  any_in_patch (s->level, s->level->wanted, scratch);
  for (int i = 0; i < places; i++) {
    s->target_at[i] = scratch[i] ? s->target_count : -1;
    if (scratch[i])
      s->targets[s->target_count++] = i;
  }
}

static void
search_clear (Search *s)
{
  g_free (s->is_source);
  g_free (s->sources);
  g_free (s->targets);
  g_free (s->target_at);
  g_free (s->field);
  g_free (s->next);
  g_free (s->cost);
  g_free (s->next_cost);
  g_free (s->vote_weight);
  memset (s, 0, sizeof *s);
}

/* FALSE for lack of memory. */
static gboolean
search_init (Search *s, const Level *level)
{
  gsize places = (gsize) places_across (level) * (gsize) places_down (level);
  g_autofree guint8 *scratch = g_try_malloc (places);

  s->level = level;
  s->is_source = g_try_malloc (places);
  s->sources = g_try_new (int, places);
  s->targets = g_try_new (int, places);
  s->target_at = g_try_new (int, places);
  if (scratch == NULL || s->is_source == NULL || s->sources == NULL
      || s->targets == NULL || s->target_at == NULL)
    return FALSE;
  list_sources (s);
  list_targets (s, scratch);
  s->field = g_try_new (int, (gsize) s->target_count + 1);
  s->next = g_try_new (int, (gsize) s->target_count + 1);
  s->cost = g_try_new (float, (gsize) s->target_count + 1);
  s->next_cost = g_try_new (float, (gsize) s->target_count + 1);
  s->vote_weight = g_try_new (float, (gsize) s->target_count + 1);
  return s->field != NULL && s->next != NULL && s->cost != NULL
         && s->next_cost != NULL && s->vote_weight != NULL;
}

/* ---- distance ---- */

/* Number of the first sample of the patch at @place. */
static inline gsize
first_sample (const Level *level, int place)
{
  int across = places_across (level);

  return ((gsize) (place / across) * (gsize) level->width
          + (gsize) (place % across))
         * (gsize) level->channels;
}

/* Sum of squared differences of the patches at @target and @source, weighted
 * by the trust in the target; something above @most once it is above. */
static inline float
distance (const Level *level, int target, int source, float most)
{
  const float *a = level->values + first_sample (level, target);
  const float *b = level->values + first_sample (level, source);
  const float *w = level->trust + first_sample (level, target);
  gsize stride = (gsize) level->width * (gsize) level->channels;
  int n = SIDE * level->channels;
  float lanes[SIDE] = { 0 }, sum = 0;

  for (int row = 0; row < SIDE; row++, a += stride, b += stride, w += stride) {
    for (int i = 0; i < n; i += SIDE)
      for (int k = 0; k < SIDE; k++)
        lanes[k] += w[i + k] * (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
    if (row % 2) {
      sum = 0;
      for (int k = 0; k < SIDE; k++)
        sum += lanes[k];
      if (sum > most)
        return sum;
    }
  }
  return sum;
}

/* Sum of the trust in the samples of a patch. */
static float
patch_trust (const Level *level, int target)
{
  const float *w = level->trust + first_sample (level, target);
  float sum = 0;

  for (int row = 0; row < SIDE; row++)
    for (int i = 0; i < SIDE * level->channels; i++)
      sum += w[(gsize) row * (gsize) level->width * (gsize) level->channels
               + (gsize) i];
  return sum;
}

/* ---- the search ---- */

/* The best of what was looked at for one target. */
typedef struct {
  int place; /* of the target */
  int source;
  float cost;
} Best;

static inline void
try_source (const Search *s, Best *best, int x, int y)
{
  const Level *level = s->level;
  int across = places_across (level), source = y * across + x;
  float cost;

  if (x < 0 || y < 0 || x >= across || y >= places_down (level)
      || source == best->source || !s->is_source[source])
    return;
  cost = distance (level, best->place, source, best->cost);
  if (cost < best->cost) {
    best->cost = cost;
    best->source = source;
  }
}

/* What the neighbour at (@dx, @dy) has, shifted back. */
static inline void
try_neighbour (const Search *s, Best *best, int dx, int dy)
{
  int across = places_across (s->level);
  int x = best->place % across + dx, y = best->place / across + dy;
  int neighbour;

  if (x < 0 || y < 0 || x >= across || y >= places_down (s->level))
    return;
  neighbour = s->target_at[y * across + x];
  if (neighbour >= 0)
    try_source (s, best, s->field[neighbour] % across - dx,
                s->field[neighbour] / across - dy);
}

/* A number of -@radius .. @radius from @bits, which move on (a linear
 * congruential generator of Knuth's constants). */
static inline int
random_offset (guint64 *bits, int radius)
{
  *bits = *bits * 6364136223846793005u + 1442695040888963407u;
  return (int) ((*bits >> 33) % (guint64) (2 * radius + 1)) - radius;
}

static inline void
try_random (const Search *s, Best *best, int number)
{
  guint64 bits = random_bits (s->seed, STREAM + s->turn, (guint64) number);
  int across = places_across (s->level);

  for (int radius = s->radius; radius >= 1; radius /= 2) {
    int dx = random_offset (&bits, radius);
    int dy = random_offset (&bits, radius);

    try_source (s, best, best->source % across + dx,
                best->source / across + dy);
  }
}

CPU_DISPATCH static void
search_chunk (int chunk, int worker, gpointer data)
{
  const Search *s = data;
  int end = MIN ((chunk + 1) * CHUNK, s->target_count);
  static const int reach[] = { 1, 4 };

  (void) worker;
  for (int t = chunk * CHUNK; t < end; t++) {
    Best best = { s->targets[t], s->field[t], s->cost[t] };

    for (gsize i = 0; i < G_N_ELEMENTS (reach); i++) {
      try_neighbour (s, &best, -reach[i], 0);
      try_neighbour (s, &best, reach[i], 0);
      try_neighbour (s, &best, 0, -reach[i]);
      try_neighbour (s, &best, 0, reach[i]);
    }
    try_random (s, &best, t);
    s->next[t] = best.source;
    s->next_cost[t] = best.cost;
  }
}

/* What the field costs as it stands. */
CPU_DISPATCH static void
measure_chunk (int chunk, int worker, gpointer data)
{
  const Search *s = data;
  const Level *level = s->level;
  int end = MIN ((chunk + 1) * CHUNK, s->target_count);

  (void) worker;
  for (int t = chunk * CHUNK; t < end; t++)
    s->cost[t] = distance (level, s->targets[t], s->field[t], INFINITY);
}

static int
target_chunks (const Search *s)
{
  return (s->target_count + CHUNK - 1) / CHUNK;
}

static void
improve_field (Search *s)
{
  parallel_for (target_chunks (s), measure_chunk, s, NULL, NULL);
  for (int turn = 0; turn < TURNS; turn++) {
    int *field = s->field;
    float *cost = s->cost;

    s->turn++;
    parallel_for (target_chunks (s), search_chunk, s, NULL, NULL);
    s->field = s->next;
    s->next = field;
    s->cost = s->next_cost;
    s->next_cost = cost;
  }
}

static void
start_at_random (Search *s)
{
  for (int t = 0; t < s->target_count; t++)
    s->field[t] = s->sources[random_below (
      s->seed, STREAM + s->turn, (guint64) t, (guint64) s->source_count)];
}

/* Starts from the field of the next coarser level. */
static void
start_from_coarser (Search *s, const Search *coarser)
{
  int across = places_across (s->level), down = places_down (s->level);
  int half = places_across (coarser->level);
  int last = places_down (coarser->level) - 1;

  start_at_random (s);
  for (int t = 0; t < s->target_count; t++) {
    int x = s->targets[t] % across, y = s->targets[t] / across;
    int parent =
      coarser->target_at[MIN (y / 2, last) * half + MIN (x / 2, half - 1)];
    int col, row;

    if (parent < 0)
      continue;
    col = 2 * (coarser->field[parent] % half) + x % 2;
    row = 2 * (coarser->field[parent] / half) + y % 2;
    if (col < across && row < down && s->is_source[row * across + col])
      s->field[t] = row * across + col;
  }
}

/* ---- votes ---- */

static int
compare_floats (const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

/* Turns costs into costs per sample, stored in place of the weights, and
 * returns their third quartile. */
static float
usual_cost (Search *s)
{
  g_autofree float *sorted = NULL;

  for (int t = 0; t < s->target_count; t++)
    s->vote_weight[t] = s->cost[t] / patch_trust (s->level, s->targets[t]);
  sorted =
    g_memdup2 (s->vote_weight, (gsize) s->target_count * sizeof (float));
  qsort (sorted, (gsize) s->target_count, sizeof (float), compare_floats);
  return sorted[s->target_count * 3 / 4];
}

static void
weigh_votes (Search *s)
{
  const Level *level = s->level;
  int across = places_across (level);
  float usual = usual_cost (s) + 1e-9f;

  for (int t = 0; t < s->target_count; t++) {
    int x = s->targets[t] % across + SIDE / 2;
    int y = s->targets[t] / across + SIDE / 2;
    float depth = level->depth[(gsize) y * (gsize) level->width + (gsize) x];

    s->vote_weight[t] =
      expf (-s->vote_weight[t] / usual) * powf (FALL, depth) + 1e-20f;
  }
}

/* Sets one wanted pixel to the mean of the votes of the patches over it. */
static void
vote_pixel (const Search *s, int x, int y, float *sums)
{
  const Level *level = s->level;
  int across = places_across (level), down = places_down (level);
  gsize n = (gsize) level->channels;
  float weight = 0;

  memset (sums, 0, n * sizeof (float));
  for (int row = MAX (0, y - SIDE + 1); row <= MIN (y, down - 1); row++)
    for (int col = MAX (0, x - SIDE + 1); col <= MIN (x, across - 1); col++) {
      int t = s->target_at[row * across + col];
      const float *from =
        level->values + first_sample (level, s->field[t])
        + ((gsize) (y - row) * (gsize) level->width + (gsize) (x - col)) * n;

      for (gsize c = 0; c < n; c++)
        sums[c] += s->vote_weight[t] * from[c];
      weight += s->vote_weight[t];
    }
  for (gsize c = 0; c < n && weight > 0; c++)
    level->values[((gsize) y * (gsize) level->width + (gsize) x) * n + c] =
      sums[c] / weight;
}

static void
vote_rows (int chunk, int worker, gpointer data)
{
  const Search *s = data;
  const Level *level = s->level;
  int end = MIN ((chunk + 1) * ROWS, level->height);
  float sums[4];

  (void) worker;
  for (int y = chunk * ROWS; y < end; y++)
    for (int x = 0; x < level->width; x++)
      if (level->wanted[(gsize) y * (gsize) level->width + (gsize) x])
        vote_pixel (s, x, y, sums);
}

static void
vote (Search *s)
{
  weigh_votes (s);
  parallel_for ((s->level->height + ROWS - 1) / ROWS, vote_rows, s, NULL,
                NULL);
}

/* ---- from coarse to fine ---- */

/* Whether the level has room for patches and something to copy. */
static gboolean
is_rich (const Level *level)
{
  gsize known = 0;

  if (level->width < 2 * SIDE || level->height < 2 * SIDE)
    return FALSE;
  for (gsize i = 0; i < (gsize) level->width * (gsize) level->height; i++)
    known += level->missing[i] == 0;
  return known >= SIDE * SIDE * 8;
}

/* Makes the levels; returns their number, 0 for lack of memory. */
static int
make_levels (Level *levels, const Region *region)
{
  float depth = region_depth (region);
  int count = 1;

  if (!level_from_region (&levels[0], region))
    return 0;
  for (; count < MOST_LEVELS && depth > COARSEST_DEPTH; depth /= 2, count++) {
    if (!level_halve (&levels[count - 1], &levels[count]))
      return 0;
    if (!is_rich (&levels[count])) {
      level_clear (&levels[count]);
      levels[count] = (Level){ 0 };
      break;
    }
  }
  return count;
}

static gboolean
do_level (Search *s, gboolean is_coarsest, const Progress *progress,
          GError **error)
{
  int rounds = is_coarsest ? FIRST_ROUNDS : ROUNDS;

  s->radius =
    is_coarsest ? MAX (s->level->width, s->level->height) : REFINE_RADIUS;
  if (!is_coarsest) {
    parallel_for (target_chunks (s), measure_chunk, s, NULL, NULL);
    vote (s);
  }
  for (int i = 0; i < rounds; i++) {
    if (!progress_step (progress, (double) i / rounds, error))
      return FALSE;
    improve_field (s);
    vote (s);
  }
  return TRUE;
}

/* Share of the work that is done before level @k of @count is begun: each has
 * a fourth of the pixels of the next. */
static double
share_before (int k, int count)
{
  return k == count - 1 ? 0 : pow (0.25, k + 1);
}

/* Fills levels @count - 1 down to @finest. */
static gboolean
fill_levels (Level *levels, int count, int finest, guint64 seed,
             const Progress *progress, GError **error)
{
  Search coarser = { 0 };
  gboolean ok = TRUE;

  for (int k = count - 1; ok && k >= finest; k--) {
    Search s = { .seed = seed, .turn = coarser.turn };
    ProgressPart share = { progress, share_before (k, count),
                           share_before (k - 1, count) };
    Progress part = progress_part (&share);

    ok = search_init (&s, &levels[k]);
    if (!ok)
      tessera_fail (error, TESSERA_ERROR_LIMIT,
                    "not enough memory to fill a hole with texture");
    else if (s.source_count >= LEAST_SOURCES && s.target_count > 0) {
      if (coarser.level != NULL)
        start_from_coarser (&s, &coarser);
      else
        start_at_random (&s);
      ok = do_level (&s, coarser.level == NULL, &part, error);
      search_clear (&coarser);
      coarser = s;
    } else
      search_clear (&s);
  }
  search_clear (&coarser);
  return ok;
}

/* Sample @c of @level at (@x, @y), by bilinear interpolation. */
static float
sample_at (const Level *level, float x, float y, int c)
{
  int left = CLAMP ((int) floorf (x), 0, level->width - 1);
  int top = CLAMP ((int) floorf (y), 0, level->height - 1);
  int right = MIN (left + 1, level->width - 1);
  int bottom = MIN (top + 1, level->height - 1);
  float u = CLAMP (x - (float) left, 0, 1), v = CLAMP (y - (float) top, 0, 1);
  const float *values = level->values + c;
  gsize n = (gsize) level->channels, stride = (gsize) level->width * n;

#define AT(col, row) values[(gsize) (row) *stride + (gsize) (col) *n]
  return (1 - v) * ((1 - u) * AT (left, top) + u * AT (right, top))
         + v * ((1 - u) * AT (left, bottom) + u * AT (right, bottom));
#undef AT
}

/* Mixes what level number @finest has into the wanted samples. */
static void
take_over (Region *region, const Level *level, int finest, float share)
{
  float scale = 1 / (float) (1 << finest);

  for (int y = 0; y < region->height; y++)
    for (int x = 0; x < region->width; x++) {
      gsize i = (gsize) y * (gsize) region->width + (gsize) x;

      for (int c = 0; region->wanted[i] && c < region->channels; c++) {
        float *value =
          region->values + i * (gsize) region->channels + (gsize) c;

        *value += share
                  * (sample_at (level, ((float) x + 0.5f) * scale - 0.5f,
                                ((float) y + 0.5f) * scale - 0.5f, c)
                     - *value);
      }
    }
}

gboolean
region_copy_texture (Region *region, const TextureOptions *options,
                     const Progress *progress, GError **error)
{
  Level levels[MOST_LEVELS] = { 0 };
  int count, finest;
  gboolean ok;

  if (region->width < 2 * SIDE || region->height < 2 * SIDE)
    return TRUE;
  count = make_levels (levels, region);
  finest = CLAMP (options->finest, 0, MAX (0, count - 1));
  ok = count > 0
         ? fill_levels (levels, count, finest, options->seed, progress, error)
         : tessera_fail (error, TESSERA_ERROR_LIMIT,
                         "not enough memory to fill a hole");
  if (ok)
    take_over (region, &levels[finest], finest, options->share);
  for (int k = 0; k < MOST_LEVELS; k++)
    level_clear (&levels[k]);
  return ok;
}
