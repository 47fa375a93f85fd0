/* texturesearch.c - a field of nearest patches, and the votes of patches
 *
 * A turn of the search looks, for every target, at what its neighbours had
 * after the turn before, shifted by their distance, and at random sources in
 * ever smaller squares around its own.  As it reads only the turn before,
 * targets can be done in any order by any number of threads.
 */
#include "imaging/inpaint/texturesearch.h"

#include "base/error.h"
#include "base/cpudispatch.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

#define CHUNK 512 /* targets that a thread takes at a time */
#define ROWS 8    /* likewise, rows of votes */

/* Rounds of search and votes on the coarsest level and on all others, and
 * turns of the search in each round. */
#define FIRST_ROUNDS 10
#define ROUNDS 3
#define TURNS 3

/* Half the side of the first square of the random search, below the coarsest
 * level, where the field is only to be refined. */
#define REFINE_RADIUS 24

/* Width of the frame of a scan, in shares of the shorter side of what is around
 * the hole. */
#define FRAME 0.012

/* Along a frame, the variance is below this share of that inside. */
#define PLAIN 0.25

#define STREAM 0x7465787475726500u

/* ---- places ---- */

static int
places_across (const TextureLevel *level)
{
  return level->width - TEXTURE_SIDE + 1;
}

static int
places_down (const TextureLevel *level)
{
  return level->height - TEXTURE_SIDE + 1;
}

/* Sets @any to whether the patch at each place has a pixel set in @bytes: by
 * columns of TEXTURE_SIDE pixels, then by rows of those. */
static void
any_in_patch (const TextureLevel *level, const guint8 *bytes, guint8 *any)
{
  int across = places_across (level), down = places_down (level);
  g_autofree guint8 *columns = g_malloc ((gsize) level->width);

  for (int y = 0; y < down; y++) {
    memset (columns, 0, (gsize) level->width);
    for (int row = y; row < y + TEXTURE_SIDE; row++)
      for (int x = 0; x < level->width; x++)
        columns[x] |=
          bytes[(gsize) row * (gsize) level->width + (gsize) x] != 0;
    for (int x = 0; x < across; x++) {
      guint8 found = 0;

      for (int col = x; col < x + TEXTURE_SIDE; col++)
        found |= columns[col];
      any[(gsize) y * (gsize) across + (gsize) x] = found;
    }
  }
}

/* Columns x0 .. x1 - 1 and rows y0 .. y1 - 1. */
typedef struct {
  int x0, y0, x1, y1;
} Box;

/* What is wanted; an empty box if nothing is. */
static Box
wanted_box (const TextureLevel *level)
{
  Box box = { level->width, level->height, 0, 0 };

  for (int y = 0; y < level->height; y++)
    for (int x = 0; x < level->width; x++)
      if (level->wanted[(gsize) y * (gsize) level->width + (gsize) x]) {
        box.x0 = MIN (box.x0, x);
        box.y0 = MIN (box.y0, y);
        box.x1 = MAX (box.x1, x + 1);
        box.y1 = MAX (box.y1, y + 1);
      }
  return box;
}

/* A row or column: @count pixels from number @first on, @step apart. */
typedef struct {
  int first, step, count;
} Line;

/* The variance of the first channel along a line, of what is known of it. */
static double
line_variance (const TextureLevel *level, Line line)
{
  double sum = 0, squares = 0;
  int n = 0;

  for (int k = 0; k < line.count; k++) {
    gsize i = (gsize) line.first + (gsize) k * (gsize) line.step;
    double value = level->values[i * (gsize) level->channels];

    if (level->missing[i])
      continue;
    sum += value;
    squares += value * value;
    n++;
  }
  return n > 0 ? squares / n - sum / n * (sum / n) : 0;
}

/* The width of the frame at the edge @line, which the lines behind it are
 * @inwards from: 0 unless the edge is much plainer than what it surrounds. */
static int
frame_width (const TextureLevel *level, Line line, int inwards)
{
  int width = (int) ceil (FRAME * MIN (level->width, level->height));
  Line inner = { line.first + 2 * width * inwards, line.step, line.count };

  return line_variance (level, line) < PLAIN * line_variance (level, inner)
           ? width
           : 0;
}

/* Where sources may be.  The frame of a scan belongs to its edge: nothing is
 * copied from there unless the hole reaches that edge. */
static Box
source_box (const TextureLevel *level)
{
  Box wanted = wanted_box (level);
  int w = level->width, h = level->height;
  int left = frame_width (level, (Line){ 0, w, h }, 1);
  int top = frame_width (level, (Line){ 0, 1, w }, w);
  int right = frame_width (level, (Line){ w - 1, w, h }, -1);
  int bottom = frame_width (level, (Line){ (h - 1) * w, 1, w }, -w);

  return (Box){ wanted.x0 < left ? 0 : left, wanted.y0 < top ? 0 : top,
                wanted.x1 > w - right ? w : w - right,
                wanted.y1 > h - bottom ? h : h - bottom };
}

static void
list_sources_in (TextureSearch *s, const Box *box)
{
  int across = places_across (s->level), down = places_down (s->level);

  any_in_patch (s->level, s->level->missing, s->is_source);
  for (int i = 0; i < across * down; i++) {
    int x = i % across, y = i / across;

    s->is_source[i] = !s->is_source[i] && x >= box->x0 && y >= box->y0
                      && x + TEXTURE_SIDE <= box->x1
                      && y + TEXTURE_SIDE <= box->y1;
    if (s->is_source[i])
      s->sources[s->source_count++] = i;
  }
}

static void
list_sources (TextureSearch *s)
{
  const Box all = { 0, 0, s->level->width, s->level->height };
  Box box = source_box (s->level);

  list_sources_in (s, &box);
  if (s->source_count >= LEAST_SOURCES)
    return;
  s->source_count = 0;
  list_sources_in (s, &all);
}

static void
list_targets (TextureSearch *s, guint8 *scratch)
{
  int places = places_across (s->level) * places_down (s->level);

  any_in_patch (s->level, s->level->wanted, scratch);
  for (int i = 0; i < places; i++) {
    s->target_at[i] = scratch[i] ? s->target_count : -1;
    if (scratch[i])
      s->targets[s->target_count++] = i;
  }
}

void
texture_search_clear (TextureSearch *s)
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

gboolean
texture_search_init (TextureSearch *s, const TextureLevel *level)
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
first_sample (const TextureLevel *level, int place)
{
  int across = places_across (level);

  return ((gsize) (place / across) * (gsize) level->width
          + (gsize) (place % across))
         * (gsize) level->channels;
}

/* Sum of squared differences of the patches at @target and @source, weighted
 * by the trust in the target; something above @most once it is above. */
static inline float
distance (const TextureLevel *level, int target, int source, float most)
{
  const float *a = level->values + first_sample (level, target);
  const float *b = level->values + first_sample (level, source);
  const float *w = level->trust + first_sample (level, target);
  gsize stride = (gsize) level->width * (gsize) level->channels;
  int n = TEXTURE_SIDE * level->channels;
  float lanes[TEXTURE_SIDE] = { 0 }, sum = 0;

  for (int row = 0; row < TEXTURE_SIDE;
       row++, a += stride, b += stride, w += stride) {
    for (int i = 0; i < n; i += TEXTURE_SIDE)
      for (int k = 0; k < TEXTURE_SIDE; k++)
        lanes[k] += w[i + k] * (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
    if (row % 2) {
      sum = 0;
      for (int k = 0; k < TEXTURE_SIDE; k++)
        sum += lanes[k];
      if (sum > most)
        return sum;
    }
  }
  return sum;
}

/* Sum of the trust in the samples of a patch. */
static float
patch_trust (const TextureLevel *level, int target)
{
  const float *w = level->trust + first_sample (level, target);
  float sum = 0;

  for (int row = 0; row < TEXTURE_SIDE; row++)
    for (int i = 0; i < TEXTURE_SIDE * level->channels; i++)
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
try_source (const TextureSearch *s, Best *best, int x, int y)
{
  const TextureLevel *level = s->level;
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
try_neighbour (const TextureSearch *s, Best *best, int dx, int dy)
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
try_random (const TextureSearch *s, Best *best, int number)
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
  const TextureSearch *s = data;
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
  const TextureSearch *s = data;
  const TextureLevel *level = s->level;
  int end = MIN ((chunk + 1) * CHUNK, s->target_count);

  (void) worker;
  for (int t = chunk * CHUNK; t < end; t++)
    s->cost[t] = distance (level, s->targets[t], s->field[t], INFINITY);
}

static int
target_chunks (const TextureSearch *s)
{
  return (s->target_count + CHUNK - 1) / CHUNK;
}

/* FALSE, with @error set, when cancelled, within a turn if need be. */
static gboolean
improve_field (TextureSearch *s, const Progress *progress, GError **error)
{
  parallel_for (target_chunks (s), measure_chunk, s, NULL, NULL);
  for (int turn = 0; turn < TURNS; turn++) {
    ProgressPart share = { progress, (double) turn / TURNS,
                           (double) (turn + 1) / TURNS };
    Progress part = progress_part (&share);
    int *field = s->field;
    float *cost = s->cost;

    s->turn++;
    if (!parallel_for (target_chunks (s), search_chunk, s, &part, error))
      return FALSE;
    s->field = s->next;
    s->next = field;
    s->cost = s->next_cost;
    s->next_cost = cost;
  }
  return TRUE;
}

void
texture_search_start_at_random (TextureSearch *s)
{
  for (int t = 0; t < s->target_count; t++)
    s->field[t] = s->sources[random_below (
      s->seed, STREAM + s->turn, (guint64) t, (guint64) s->source_count)];
}

void
texture_search_start_from (TextureSearch *s, const TextureSearch *coarser)
{
  int across = places_across (s->level), down = places_down (s->level);
  int half = places_across (coarser->level);
  int last = places_down (coarser->level) - 1;

  texture_search_start_at_random (s);
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

/* Turns costs into costs per sample, stored in place of the weights, and finds
 * their third quartile. */
static gboolean
find_usual_cost (TextureSearch *s, float *usual, GError **error)
{
  gsize count = (gsize) s->target_count;
  g_autofree float *sorted =
    tessera_try_new (float, count, "the search for texture", error);

  if (sorted == NULL)
    return FALSE;
  for (int t = 0; t < s->target_count; t++)
    s->vote_weight[t] = s->cost[t] / patch_trust (s->level, s->targets[t]);
  memcpy (sorted, s->vote_weight, count * sizeof (float));
  sort_floats (sorted, count);
  *usual = sorted[s->target_count * 3 / 4];
  return TRUE;
}

static gboolean
weigh_votes (TextureSearch *s, GError **error)
{
  const TextureLevel *level = s->level;
  int across = places_across (level);
  float usual;

  if (!find_usual_cost (s, &usual, error))
    return FALSE;
  usual += 1e-9f;
  for (int t = 0; t < s->target_count; t++) {
    int x = s->targets[t] % across + TEXTURE_SIDE / 2;
    int y = s->targets[t] / across + TEXTURE_SIDE / 2;
    float depth = level->depth[(gsize) y * (gsize) level->width + (gsize) x];

    s->vote_weight[t] =
      expf (-s->vote_weight[t] / usual) * powf (TEXTURE_FALL, depth) + 1e-20f;
  }
  return TRUE;
}

/* Sets one wanted pixel to the mean of the votes of the patches over it. */
static void
vote_pixel (const TextureSearch *s, int x, int y, float *sums)
{
  const TextureLevel *level = s->level;
  int across = places_across (level), down = places_down (level);
  gsize n = (gsize) level->channels;
  float weight = 0;

  memset (sums, 0, n * sizeof (float));
  for (int row = MAX (0, y - TEXTURE_SIDE + 1); row <= MIN (y, down - 1);
       row++)
    for (int col = MAX (0, x - TEXTURE_SIDE + 1); col <= MIN (x, across - 1);
         col++) {
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
  const TextureSearch *s = data;
  const TextureLevel *level = s->level;
  int end = MIN ((chunk + 1) * ROWS, level->height);
  float sums[3 + ACTIVITY_CHANNELS];

  (void) worker;
  for (int y = chunk * ROWS; y < end; y++)
    for (int x = 0; x < level->width; x++)
      if (level->wanted[(gsize) y * (gsize) level->width + (gsize) x])
        vote_pixel (s, x, y, sums);
}

static gboolean
vote (TextureSearch *s, GError **error)
{
  if (!weigh_votes (s, error))
    return FALSE;
  parallel_for ((s->level->height + ROWS - 1) / ROWS, vote_rows, s, NULL,
                NULL);
  return TRUE;
}

/* ---- rounds of both ---- */

gboolean
texture_search_run (TextureSearch *s, gboolean is_coarsest,
                    const Progress *progress, GError **error)
{
  int rounds = is_coarsest ? FIRST_ROUNDS : ROUNDS;

  s->radius =
    is_coarsest ? MAX (s->level->width, s->level->height) : REFINE_RADIUS;
  if (!is_coarsest) {
    parallel_for (target_chunks (s), measure_chunk, s, NULL, NULL);
    if (!vote (s, error))
      return FALSE;
  }
  for (int i = 0; i < rounds; i++) {
    ProgressPart share = { progress, (double) i / rounds,
                           (double) (i + 1) / rounds };
    Progress part = progress_part (&share);

    if (!improve_field (s, &part, error) || !vote (s, error))
      return FALSE;
  }
  return TRUE;
}
