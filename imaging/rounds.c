#include "imaging/rounds.h"

#include "base/parallel.h"
#include "imaging/patches.h"

#include <math.h>
#include <string.h>

/* Patches that a thread codes at a time, and that wait to be averaged. */
#define CHUNK 128
#define BATCH 2048

/* Added to the known share of a patch to make its weight: a patch inside a
 * hole only confirms what was filled there before. */
#define LEAST_SAY 0.01f

/* One dictionary and the places of its patches. */
typedef struct {
  const Dictionary *dictionary;
  GArray *places;    /* Place */
  GArray *knowledge; /* float: share of known samples of each patch */
  MatF Y, C;         /* n x BATCH */
  float *weights;    /* of the patches of a batch */
} Scale;

typedef struct {
  Planes *planes;
  const Planes *trust;
  const guint8 *wanted;
  const RoundSettings *settings;
  Planes *sum, *weights;
  Scale *scales;
  int scale_count;
  gsize total, coded; /* patches, over all rounds */
} Rounds;

/* ---- places ---- */

/* Share of the samples of a patch that are known; negative if there is one of
 * which nothing is known. */
static float
known_share (const Planes *trust, Place place, int patch)
{
  int known = 0;

  for (int c = 0; c < trust->channels; c++)
    for (int y = place.y; y < place.y + patch; y++) {
      const float *row = planes_at (trust, c, 0, y);

      for (int x = place.x; x < place.x + patch; x++)
        if (row[x] == 0)
          return -1;
        else
          known += row[x] == 1;
    }
  return (float) known / (float) (patch * patch * trust->channels);
}

static void
find_places (const Rounds *r, const guint8 *touch, Scale *scale)
{
  int patch = scale->dictionary->patch;
  PlaceGrid grid = { .patch = patch };
  g_autoptr (GArray) places = NULL;

  grid.step = MAX (1, (int) lround (r->settings->step * patch));
  scale->places = g_array_new (FALSE, FALSE, sizeof (Place));
  scale->knowledge = g_array_new (FALSE, FALSE, sizeof (float));
  if (r->planes->width < patch || r->planes->height < patch)
    return;
  places = patch_places (touch, r->planes->width, r->planes->height, &grid);
  for (guint i = 0; i < places->len; i++) {
    Place place = g_array_index (places, Place, i);
    float share = known_share (r->trust, place, patch);

    if (share >= 0) {
      g_array_append_val (scale->places, place);
      g_array_append_val (scale->knowledge, share);
    }
  }
}

/* ---- one batch of patches of one size ---- */

typedef struct {
  const Rounds *rounds;
  Scale *scale;
  const Place *places;
  const float *knowledge;
  int count;
  float threshold;
} Batch;

/* Zeroes what is small; returns the weight of the patch, entries a non-zero,
 * so that patches of all sizes count alike.  The first atom, the mean, is
 * always kept. */
static float
shrink (float *x, int n, float threshold)
{
  int kept = 1;

  for (int i = 1; i < n; i++)
    if (fabsf (x[i]) < threshold)
      x[i] = 0;
    else
      kept++;
  return (float) n / (float) kept;
}

static void
code_chunk (int chunk, int worker, gpointer data)
{
  const Batch *b = data;
  const Dictionary *d = b->scale->dictionary;
  int first = chunk * CHUNK, count = MIN (CHUNK, b->count - first);
  MatF Y = matf_columns (&b->scale->Y, first, count);
  MatF C = matf_columns (&b->scale->C, first, count);

  (void) worker;
  for (int p = 0; p < count; p++)
    patch_get (b->rounds->planes, b->rounds->trust, b->places[first + p],
               d->patch, 0, d->channels, matf_at (&Y, 0, p),
               matf_at (&C, 0, p));
  matf_multiply (1, &d->atoms, TRANSPOSED, &Y, PLAIN, 0, &C);
  for (int p = 0; p < count; p++)
    b->scale->weights[first + p] =
      (b->knowledge[first + p] + LEAST_SAY)
      * shrink (matf_at (&C, 0, p), C.rows, b->threshold);
  matf_multiply (1, &d->atoms, PLAIN, &C, PLAIN, 0, &Y);
}

static gboolean
code_batch (Rounds *r, Scale *scale, guint start, float threshold,
            const Progress *progress, GError **error)
{
  const Dictionary *d = scale->dictionary;
  Batch b = { r,
              scale,
              &g_array_index (scale->places, Place, start),
              &g_array_index (scale->knowledge, float, start),
              (int) MIN (BATCH, scale->places->len - start),
              threshold };

  if (!progress_step (progress, (double) r->coded / (double) r->total, error))
    return FALSE;
  parallel_for ((b.count + CHUNK - 1) / CHUNK, code_chunk, &b, NULL, NULL);
  for (int p = 0; p < b.count; p++)
    patch_add (r->sum, r->weights, b.places[p], d->patch, 0, d->channels,
               matf_at (&scale->Y, 0, p), scale->weights[p]);
  r->coded += (gsize) b.count;
  return TRUE;
}

/* ---- rounds ---- */

static void
settle (Rounds *r)
{
  for (gsize i = 0; i < planes_samples (r->planes); i++)
    if (r->wanted[i] && r->weights->data[i] > 0)
      r->planes->data[i] = r->sum->data[i] / r->weights->data[i];
}

static gboolean
do_round (Rounds *r, int round, const Progress *progress, GError **error)
{
  const RoundSettings *s = r->settings;
  gsize size = planes_samples (r->planes) * sizeof (float);
  double share = s->rounds > 1 ? (double) round / (s->rounds - 1) : 1;
  double threshold = s->first * pow (s->last / s->first, share);

  memset (r->sum->data, 0, size);
  memset (r->weights->data, 0, size);
  for (int i = 0; i < r->scale_count; i++)
    for (guint start = 0; start < r->scales[i].places->len; start += BATCH)
      if (!code_batch (r, &r->scales[i], start, (float) threshold, progress,
                       error))
        return FALSE;
  settle (r);
  return TRUE;
}

/* Marks the pixels of which any sample is wanted. */
static guint8 *
wanted_pixels (const Rounds *r)
{
  gsize pixels = (gsize) r->planes->width * (gsize) r->planes->height;
  guint8 *touch = g_memdup2 (r->wanted, pixels);

  for (gsize i = pixels; i < planes_samples (r->planes); i++)
    touch[i % pixels] |= r->wanted[i];
  return touch;
}

static gboolean
rounds_init (Rounds *r, Dictionary *const *dictionaries, GError **error)
{
  g_autofree guint8 *touch = wanted_pixels (r);
  const Planes *p = r->planes;

  r->sum = planes_new (p->width, p->height, p->channels, error);
  if (r->sum == NULL)
    return FALSE;
  r->weights = planes_new (p->width, p->height, p->channels, error);
  if (r->weights == NULL)
    return FALSE;
  r->scales = g_new0 (Scale, r->scale_count);
  for (int i = 0; i < r->scale_count; i++) {
    Scale *scale = &r->scales[i];
    int n = dictionaries[i]->atoms.rows;

    scale->dictionary = dictionaries[i];
    find_places (r, touch, scale);
    scale->Y = matf_new (n, BATCH);
    scale->C = matf_new (n, BATCH);
    scale->weights = g_new (float, BATCH);
    r->total += scale->places->len * (gsize) r->settings->rounds;
  }
  return TRUE;
}

static void
rounds_clear (Rounds *r)
{
  for (int i = 0; r->scales != NULL && i < r->scale_count; i++) {
    g_array_unref (r->scales[i].places);
    g_array_unref (r->scales[i].knowledge);
    matf_clear (&r->scales[i].Y);
    matf_clear (&r->scales[i].C);
    g_free (r->scales[i].weights);
  }
  g_free (r->scales);
  planes_free (r->sum);
  planes_free (r->weights);
}

gboolean
planes_improve (Planes *planes, const Planes *trust, const guint8 *wanted,
                Dictionary *const *dictionaries, int count,
                const RoundSettings *settings, gsize *patches,
                const Progress *progress, GError **error)
{
  Rounds r = { .planes = planes,
               .trust = trust,
               .wanted = wanted,
               .settings = settings,
               .scale_count = count };
  gboolean ok = rounds_init (&r, dictionaries, error);

  for (int round = 0; ok && round < settings->rounds; round++)
    ok = do_round (&r, round, progress, error);
  *patches = r.coded;
  rounds_clear (&r);
  return ok;
}
