/* fill.c - overlapping patches, masked pursuit, growing inward
 *
 * A patch knows the sum of the trust in its samples.  One pass codes those
 * patches around unfilled samples that know enough, averages what they say and
 * fills what got something.  When no patch knows enough any more, it is
 * measured what the best one knows, and a share of that is enough from then
 * on.
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

/* Patches coded at a time: work for many threads, little memory. */
#define BATCH 1024

/* Weight of a patch that no atom explains: it counts where nothing else does.
 */
#define NO_SAY 1e-6f

/* Less than the trust in any one sample. */
#define LEAST_KNOWLEDGE 1e-3

typedef struct {
  Canvas *canvas;
  const Dictionary *dictionary;
  const FillSettings *settings;

  int step;
  double most;   /* what the best patch knows, while that is measured */
  double enough; /* what a patch has to know to be coded */
  gsize coded;   /* patches */
  Pursuit *pursuit;
  float *ridge;
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

/* ---- which patches ---- */

/* Sum of the trust in the samples of the patch at @place. */
static double
knowledge (const Window *window, Place place, int patch)
{
  int cols = MIN (patch, window->width - place.x);
  int bottom = MIN (place.y + patch, window->height);
  double sum = 0;

  for (int c = 0; c < window->channels; c++)
    for (int y = place.y; y < bottom; y++) {
      const float *row = window->trust + window_offset (window, c, place.x, y);

      for (int x = 0; x < cols; x++)
        sum += row[x];
    }
  return sum;
}

static GArray *
places_in (const Filler *f, const Window *window, int top, int bottom)
{
  PlaceGrid grid = { .patch = f->dictionary->patch, .step = f->step };

  return patch_places (window, &grid, top, bottom);
}

/* A pass that only looks. */
static gboolean
measure_block (Window *window, int top, int bottom, const Progress *progress,
               gpointer data, GError **error)
{
  Filler *f = data;
  g_autoptr (GArray) places = places_in (f, window, top, bottom);

  for (guint i = 0; i < places->len; i++)
    f->most =
      MAX (f->most, knowledge (window, g_array_index (places, Place, i),
                               f->dictionary->patch));
  return progress_step (progress, 0, error);
}

/* Drops the patches that do not know enough yet. */
static void
keep_knowing (const Filler *f, const Window *window, GArray *places)
{
  Place *place = (Place *) places->data;
  guint kept = 0;

  for (guint i = 0; i < places->len; i++)
    if (knowledge (window, place[i], f->dictionary->patch) >= f->enough)
      place[kept++] = place[i];
  g_array_set_size (places, kept);
}

/* ---- coding ---- */

/* Codes channels @first on of @count patches and adds what they say. */
static gboolean
code_batch (Filler *f, Window *window, const Place *places, int count,
            int first, const Progress *progress, GError **error)
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
    patch_get (window, places[p], d->patch, first, d->channels,
               matf_at (&Y, 0, p), matf_at (&W, 0, p));
  if (!pursuit_encode (f->pursuit, &Y, &W, &options, &X, progress, error))
    return FALSE;
  for (int p = 0; p < count; p++) {
    /* Few atoms mean that the dictionary fits; that patch speaks louder.  No
     * atom at all means that it had nothing to go by. */
    float weight = X.count[p] > 0 ? 1 / (float) X.count[p] : NO_SAY;

    sparse_apply (&d->atoms, &X, p, matf_at (&Y, 0, p));
    for (int c = 0; c < d->channels; c++)
      patch_add (window, places[p], d->patch, first + c,
                 matf_at (&Y, c * d->patch * d->patch, p), weight);
  }
  return TRUE;
}

static gboolean
code_block (Window *window, int top, int bottom, const Progress *progress,
            gpointer data, GError **error)
{
  Filler *f = data;
  g_autoptr (GArray) places = places_in (f, window, top, bottom);
  Progress inner = { .cancellable = progress->cancellable };

  keep_knowing (f, window, places);
  for (guint start = 0; start < places->len; start += BATCH) {
    int count = (int) MIN (BATCH, places->len - start);

    if (!progress_step (progress, (double) start / (double) places->len,
                        error))
      return FALSE;
    for (int first = 0; first < window->channels;
         first += f->dictionary->channels)
      if (!code_batch (f, window, &g_array_index (places, Place, start), count,
                       first, &inner, error))
        return FALSE;
    f->coded += (gsize) count;
  }
  return TRUE;
}

/* ---- turns ---- */

/* Sets what is enough to a share of what the best patch knows.  Patches that
 * hardly overlap may all see nothing but hole; patches between them see its
 * edge. */
static gboolean
lower_demands (Filler *f, const Progress *quiet, GError **error)
{
  f->most = 0;
  if (!canvas_pass (f->canvas, PASS_UNFILLED, measure_block, f, quiet, error))
    return FALSE;
  f->enough = f->settings->least_share * f->most;
  f->enough = MAX (f->enough, LEAST_KNOWLEDGE);
  if (f->most > 0)
    return TRUE;
  if (f->step > 1) {
    f->step = (f->step + 1) / 2;
    return lower_demands (f, quiet, error);
  }
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "every pixel is missing: nothing to restore from");
  return FALSE;
}

static gboolean
fill_all (Filler *f, const Progress *progress, GError **error)
{
  gsize all = canvas_missing (f->canvas), left = canvas_unfilled (f->canvas);
  Progress quiet = { .cancellable = progress ? progress->cancellable : NULL };

  if (left > 0 && !lower_demands (f, &quiet, error))
    return FALSE;
  while (left > 0) {
    gsize before = left;
    ProgressPart turn = { progress, 1 - (double) left / (double) all, 1 };
    Progress part = progress_part (&turn);

    if (!canvas_pass (f->canvas, PASS_UNFILLED, code_block, f, &part, error))
      return FALSE;
    left = canvas_unfilled (f->canvas);
    if (left == before && !lower_demands (f, &quiet, error))
      return FALSE;
  }
  return TRUE;
}

static void
filler_init (Filler *f)
{
  int n = f->dictionary->atoms.rows;

  f->step = f->settings->step;
  f->pursuit = pursuit_new (&f->dictionary->atoms);
  f->ridge = make_ridge (f->dictionary, f->settings->ridge);
  f->Y = matf_new (n, BATCH);
  f->W = matf_new (n, BATCH);
  f->X = sparse_new (f->dictionary->atoms.cols, BATCH, f->settings->max_atoms);
}

static void
filler_clear (Filler *f)
{
  pursuit_free (f->pursuit);
  g_free (f->ridge);
  matf_clear (&f->Y);
  matf_clear (&f->W);
  sparse_clear (&f->X);
}

gboolean
canvas_fill (Canvas *canvas, const Dictionary *dictionary,
             const FillSettings *settings, gsize *patches,
             const Progress *progress, GError **error)
{
  Filler f = { .canvas = canvas,
               .dictionary = dictionary,
               .settings = settings };
  gboolean ok;

  g_return_val_if_fail (canvas_channels (canvas) % dictionary->channels == 0,
                        FALSE);

  filler_init (&f);
  ok = fill_all (&f, progress, error);
  *patches = f.coded;
  filler_clear (&f);
  return ok;
}
