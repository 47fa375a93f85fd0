/* fill.c - overlapping patches, masked pursuit, growing inward
 *
 *     trust    how far a sample is believed: 1 known, 0 unknown, between the
 *              two for one that was filled in an earlier round
 *     wanted   samples still to be filled
 *     pending  places of patches that touch one of them, not coded yet
 *
 * One round: of the pending patches, those are coded that know a fair share of
 * what the one that knows most knows.  What they say is averaged; wanted
 * samples that got something are filled.  Rounds end when nothing is wanted.
 *
 * The ridge.  A patch of few known samples can be explained in many ways; the
 * smooth ones are likelier.  The penalty of an atom is its roughness, the sum
 * of squared differences of neighbours within a plane:
 *     ridge_j = ridge * sum (d_j(x + 1, y) - d_j(x, y))^2 + likewise down.
 * For cosines that is the squared frequency, the inverse of what the spectrum
 * of photographs falls by.  Differences between colours are not penalised,
 * which measured better.
 */
#include "imaging/fill.h"

#include "base/error.h"
#include "imaging/patches.h"
#include "omp/pursuit.h"

#include <string.h>

/* Patches coded at a time: work for many threads, little memory. */
#define BATCH 1024

/* Weight of a patch that no atom explains: it counts where nothing else does.
 */
#define NO_SAY 1e-6f

/* How far a filled sample is believed by patches further inside a hole. */
#define FILLED_TRUST 0.3f

typedef struct {
  Planes *planes;
  Planes *trust;
  guint8 *wanted;
  gsize missing; /* number of samples still wanted */
  const Dictionary *dictionary;
  const FillSettings *settings;

  Pursuit *pursuit;
  float *ridge;
  int step;
  GArray *pending;
  gsize total, coded; /* patches */
  Planes *sum, *weights;
  MatF Y, W;
  SparseMat X;
} Filler;

static double
squared (double x)
{
  return x * x;
}

static double
roughness (const float *atom, int patch, int channels)
{
  double sum = 0;

  for (int i = 0; i < patch * patch * channels; i++) {
    if ((i + 1) % patch != 0)
      sum += squared (atom[i + 1] - atom[i]);
    if (i / patch % patch != patch - 1)
      sum += squared (atom[i + patch] - atom[i]);
  }
  return sum;
}

static float *
make_ridge (const Dictionary *dictionary, double factor)
{
  int atoms = dictionary->atoms.cols;
  float *ridge = g_new (float, atoms);

  for (int j = 0; j < atoms; j++)
    ridge[j] = (float) (factor
                        * roughness (matf_at (&dictionary->atoms, 0, j),
                                     dictionary->patch, dictionary->channels));
  return ridge;
}

/* Places of patches that touch a wanted sample of any channel. */
static GArray *
wanted_places (const Filler *f)
{
  gsize pixels = (gsize) f->planes->width * (gsize) f->planes->height;
  g_autofree guint8 *touch = g_memdup2 (f->wanted, pixels);
  PlaceGrid grid = { .patch = f->dictionary->patch, .step = f->step };

  for (gsize i = pixels; i < planes_samples (f->planes); i++)
    touch[i % pixels] |= f->wanted[i];
  return patch_places (touch, f->planes->width, f->planes->height, &grid);
}

/* Sum of the trust in the samples of the patch at @place. */
static double
knowledge (const Filler *f, Place place)
{
  int patch = f->dictionary->patch;
  int right = MIN (place.x + patch, f->planes->width);
  int bottom = MIN (place.y + patch, f->planes->height);
  double sum = 0;

  for (int c = 0; c < f->trust->channels; c++)
    for (int y = MAX (0, place.y); y < bottom; y++) {
      const float *row = planes_at (f->trust, c, 0, y);

      for (int x = MAX (0, place.x); x < right; x++)
        sum += row[x];
    }
  return sum;
}

/* Moves the pending places whose turn it is into the array that is returned;
 * NULL when no pending patch knows anything. */
static GArray *
take_turn (Filler *f)
{
  GArray *turn = g_array_new (FALSE, FALSE, sizeof (Place));
  Place *pending = (Place *) f->pending->data;
  g_autofree double *known = g_new (double, f->pending->len);
  double most = 0;
  guint kept = 0;

  for (guint i = 0; i < f->pending->len; i++) {
    known[i] = knowledge (f, pending[i]);
    most = MAX (most, known[i]);
  }
  for (guint i = 0; i < f->pending->len; i++)
    if (known[i] > 0 && known[i] >= f->settings->least_share * most)
      g_array_append_val (turn, pending[i]);
    else
      pending[kept++] = pending[i];
  g_array_set_size (f->pending, kept);
  if (turn->len == 0)
    g_clear_pointer (&turn, g_array_unref);
  return turn;
}

/* Codes channels @first on of @count patches and adds what they say. */
static gboolean
code_batch (Filler *f, const Place *places, int count, int first,
            const Progress *progress, GError **error)
{
  const Dictionary *d = f->dictionary;
  PursuitOptions options = { .max_atoms = f->settings->max_atoms,
                             .max_error = f->settings->max_error,
                             .ridge = f->ridge };
  MatF Y = matf_columns (&f->Y, 0, count);
  MatF W = matf_columns (&f->W, 0, count);
  SparseMat X = f->X;

  X.cols = count;
  for (int p = 0; p < count; p++)
    patch_get (f->planes, f->trust, places[p], d->patch, first, d->channels,
               matf_at (&Y, 0, p), matf_at (&W, 0, p));
  if (!pursuit_encode (f->pursuit, &Y, &W, &options, &X, progress, error))
    return FALSE;
  for (int p = 0; p < count; p++) {
    /* Few atoms mean that the dictionary fits; that patch speaks louder.  No
     * atom at all means that it had nothing to go by. */
    float weight = X.count[p] > 0 ? 1 / (float) X.count[p] : NO_SAY;

    sparse_apply (&d->atoms, &X, p, matf_at (&Y, 0, p));
    patch_add (f->sum, f->weights, places[p], d->patch, first, d->channels,
               matf_at (&Y, 0, p), weight);
  }
  return TRUE;
}

/* Fills the wanted samples that got something. */
static void
settle (Filler *f)
{
  for (gsize i = 0; i < planes_samples (f->planes); i++)
    if (f->wanted[i] && f->weights->data[i] > 0) {
      f->planes->data[i] = f->sum->data[i] / f->weights->data[i];
      f->trust->data[i] = FILLED_TRUST;
      f->wanted[i] = 0;
      f->missing--;
    }
}

/* Patches that hardly overlap may all see nothing but hole; patches between
 * them see its edge. */
static void
refine (Filler *f)
{
  f->step = (f->step + 1) / 2;
  g_array_unref (f->pending);
  f->pending = wanted_places (f);
  f->total += f->pending->len;
}

static gboolean
do_round (Filler *f, const Progress *progress, GError **error)
{
  gsize size = planes_samples (f->planes) * sizeof (float);
  g_autoptr (GArray) turn = take_turn (f);
  Progress inner = { .cancellable = progress ? progress->cancellable : NULL };

  if (turn == NULL && f->step > 1) {
    refine (f);
    return TRUE;
  }
  if (turn == NULL) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "every pixel is missing: nothing to restore from");
    return FALSE;
  }
  memset (f->sum->data, 0, size);
  memset (f->weights->data, 0, size);
  for (guint start = 0; start < turn->len; start += BATCH) {
    int count = (int) MIN (BATCH, turn->len - start);

    if (!progress_step (progress, (double) f->coded / (double) f->total,
                        error))
      return FALSE;
    for (int first = 0; first < f->planes->channels;
         first += f->dictionary->channels)
      if (!code_batch (f, &g_array_index (turn, Place, start), count, first,
                       &inner, error))
        return FALSE;
    f->coded += (gsize) count;
  }
  settle (f);
  return TRUE;
}

static gboolean
filler_init (Filler *f, GError **error)
{
  const Planes *planes = f->planes;
  int n = f->dictionary->atoms.rows;

  f->sum = planes_new (planes->width, planes->height, planes->channels, error);
  if (f->sum == NULL)
    return FALSE;
  f->weights =
    planes_new (planes->width, planes->height, planes->channels, error);
  if (f->weights == NULL)
    return FALSE;
  for (gsize i = 0; i < planes_samples (planes); i++)
    f->missing += f->wanted[i] != 0;
  f->step = f->settings->step;
  f->pending = wanted_places (f);
  f->total = f->pending->len;
  f->pursuit = pursuit_new (&f->dictionary->atoms);
  f->ridge = make_ridge (f->dictionary, f->settings->ridge);
  f->Y = matf_new (n, BATCH);
  f->W = matf_new (n, BATCH);
  f->X = sparse_new (f->dictionary->atoms.cols, BATCH, f->settings->max_atoms);
  return TRUE;
}

static void
filler_clear (Filler *f)
{
  planes_free (f->sum);
  planes_free (f->weights);
  if (f->pending != NULL)
    g_array_unref (f->pending);
  pursuit_free (f->pursuit);
  g_free (f->ridge);
  matf_clear (&f->Y);
  matf_clear (&f->W);
  sparse_clear (&f->X);
}

gboolean
planes_fill (Planes *planes, Planes *trust, guint8 *wanted,
             const Dictionary *dictionary, const FillSettings *settings,
             gsize *patches, const Progress *progress, GError **error)
{
  Filler f = { .planes = planes,
               .trust = trust,
               .wanted = wanted,
               .dictionary = dictionary,
               .settings = settings };
  gboolean ok;

  g_return_val_if_fail (planes->channels % dictionary->channels == 0, FALSE);

  ok = filler_init (&f, error);
  while (ok && f.missing > 0)
    ok = do_round (&f, progress, error);
  *patches = f.coded;
  filler_clear (&f);
  return ok;
}
