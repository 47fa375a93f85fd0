/* fill.c - overlapping patches, masked pursuit, growing inward
 *
 * A patch knows the sum of the trust in its samples.  One pass codes those
 * patches around unfilled samples that know enough, averages their predictions
 * and fills the samples that got any.  When no patch knows enough any more,
 * the largest amount that any patch knows is measured, and from then on a
 * share of it is enough.
 *
 * The mean has the weights of omp/confidence.h.  Once all is filled, passes
 * over all of it may follow, in which the patches see what was filled, with
 * less trust than what is known: it is a mean, and so better than what any of
 * them predicted.  Every second pass has its patches halfway between those of
 * the one before: other patches err in other ways.
 *
 * The ridge.  A patch of few known samples can be explained in many ways; the
 * smooth ones are likelier.  The penalty of an atom is its roughness, the sum
 * of squared differences of neighbours within a plane:
 *     ridge_j = ridge * sum (d_j(x + 1, y) - d_j(x, y))^2 + likewise down.
 * For cosines that is the squared frequency, and the spectrum of photographs
 * falls off as its inverse.  Differences between colours count a little:
 * enough to make a patch grey of which only red is known.
 */
#include "imaging/inpaint/fill.h"

#include "base/error.h"
#include "imaging/inpaint/patches.h"
#include "omp/confidence.h"
#include "omp/pursuit.h"

#include <math.h>

/* Patches coded at a time: work for many threads, little memory. */
#define BATCH 1024

/* Weight of the differences between colours, which keeps a hole between two
 * colours from getting a third: such a hole went from 30.5 to 36.6 dB. */
#define COLOUR_SHARE 0.03

/* How far a patch may go beyond the range of its known samples, as a share of
 * that.  Far from what is known a sum of atoms has no bounds: without this, a
 * hole of 24 pixels and more could end in black (11.6 dB, now 16.7). */
#define LEEWAY 0.2f

/* Less than the trust in any one sample. */
#define LEAST_TRUST 1e-3

typedef struct {
  Canvas *canvas;
  const Dictionary *dictionary;
  const FillSettings *settings;

  int step, shift; /* of the places of patches */
  double most;      /* what the best patch knows, while that is measured */
  double enough;    /* what a patch has to know to be coded */
  float most_trust; /* in what was filled */
  gsize coded;      /* patches */
  Pursuit *pursuit;
  float *ridge;
  MatF Y, W;
  SparseMat X;
  float *predicted; /* one patch */
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
    if (i / patch / patch < channels - 1)
      sum += COLOUR_SHARE * squared (atom[i + patch * patch] - atom[i]);
  }
  return sum;
}

float *
fill_make_ridge (const Dictionary *dictionary, double factor, GError **error)
{
  int atoms = dictionary->atoms.cols;
  float *ridge = tessera_try_new (float, atoms, "a dictionary", error);

  if (ridge == NULL)
    return NULL;
  for (int j = 0; j < atoms; j++)
    ridge[j] = (float) (factor
                        * roughness (matf_at (&dictionary->atoms, 0, j),
                                     dictionary->patch, dictionary->channels));
  return ridge;
}

/* ---- which patches ---- */

/* Channels that are coded together. */
typedef struct {
  int first, count;
} Group;

/* Sum of the trust in the samples of the patch at @place; 0 where the group
 * wants nothing. */
static double
patch_trust (const RowWindow *window, Place place, int patch, Group group)
{
  int cols = MIN (patch, window->width - place.x);
  int bottom = MIN (place.y + patch, window->height);
  int bits = ((1 << group.count) - 1) << group.first, wanted = 0;
  double sum = 0;

  for (int y = place.y; y < bottom; y++)
    for (int x = 0; x < cols; x++)
      wanted |= row_window_wanted (window, place.x, y)[x];
  if (!(wanted & bits))
    return 0;
  for (int c = group.first; c < group.first + group.count; c++)
    for (int y = place.y; y < bottom; y++) {
      const float *row =
        window->trust + row_window_offset (window, c, place.x, y);

      for (int x = 0; x < cols; x++)
        sum += row[x];
    }
  return sum;
}

static List *
places_in (const Filler *f, const RowWindow *window, int top, int bottom,
           GError **error)
{
  PlaceGrid grid = { .patch = f->dictionary->patch, .step = f->step };

  return patch_places_shifted (window, &grid, f->shift, top, bottom, error);
}

static Group
group_from (const Filler *f, int first)
{
  return (Group){ first, f->dictionary->channels };
}

/* Asks whether to go on, once for each row of places: their patches may have
 * thousands of samples. */
static gboolean
goes_on (const List *places, guint i, const Progress *progress,
         GError **error)
{
  const Place *place = &list_at (places, Place, i);

  return (i > 0 && place[-1].y == place->y)
         || progress_step (progress, 0, error);
}

/* A pass that only measures. */
static gboolean
measure_block (RowWindow *window, int top, int bottom,
               const Progress *progress, gpointer data, GError **error)
{
  Filler *f = data;
  g_autoptr (List) places = places_in (f, window, top, bottom, error);

  if (places == NULL)
    return FALSE;
  for (int first = 0; first < window->channels;
       first += f->dictionary->channels)
    for (guint i = 0; i < places->len; i++) {
      if (!goes_on (places, i, progress, error))
        return FALSE;
      f->most = MAX (
        f->most, patch_trust (window, list_at (places, Place, i),
                              f->dictionary->patch, group_from (f, first)));
    }
  return TRUE;
}

/* The places whose patches know enough of @group; NULL with @error set when
 * cancelled or for lack of memory. */
static List *
places_with_trust (const Filler *f, const RowWindow *window,
                   const List *places, Group group,
                   const Progress *progress, GError **error)
{
  g_autoptr (List) trusted = list_new (sizeof (Place), NULL);

  for (guint i = 0; i < places->len; i++) {
    Place place = list_at (places, Place, i);

    if (!goes_on (places, i, progress, error))
      return NULL;
    if (patch_trust (window, place, f->dictionary->patch, group) >= f->enough)
      list_append (trusted, &place, 1);
  }
  return list_check (trusted, "the places of patches", error)
           ? g_steal_pointer (&trusted)
           : NULL;
}

/* ---- coding ---- */

/* Keeps the prediction of a patch near the range of its known samples: far
 * from these, sums of atoms are unbounded, and would be trusted further inside
 * the hole. */
static void
clamp_to_known_range (float *predicted, const float *known, const float *trust,
                      int samples)
{
  float least = INFINITY, most = -INFINITY, margin;

  for (int i = 0; i < samples; i++)
    if (trust[i] > 0) {
      least = MIN (least, known[i]);
      most = MAX (most, known[i]);
    }
  margin = LEEWAY * (most - least);
  for (int i = 0; i < samples && least <= most; i++)
    predicted[i] = CLAMP (predicted[i], least - margin, most + margin);
}

/* The final prediction of patch @p of a batch. */
static void
add_prediction (Filler *f, RowWindow *window, Place place, int first, int p,
                const SparseMat *X)
{
  const Dictionary *d = f->dictionary;
  int plane = d->patch * d->patch;
  double weight = NO_CONFIDENCE;

  sparse_apply (&d->atoms, X, p, f->predicted);
  if (X->count[p] > 0)
    weight = confidence_of (matf_at (&f->Y, 0, p), matf_at (&f->W, 0, p),
                            f->predicted, d->atoms.rows)
               .weight;
  for (int c = 0; c < d->channels; c++) {
    if (f->settings->bounded)
      clamp_to_known_range (f->predicted + c * plane,
                            matf_at (&f->Y, c * plane, p),
                            matf_at (&f->W, c * plane, p), plane);
    patch_add (window, place, d->patch, first + c, f->predicted + c * plane,
               (float) weight);
  }
}

/* Reads channels @first on of a patch as column @p of Y and W. */
static void
read_patch (Filler *f, const RowWindow *window, Place place, int first, int p)
{
  float *w = matf_at (&f->W, 0, p);

  patch_get (window, place, f->dictionary->patch, first,
             f->dictionary->channels, matf_at (&f->Y, 0, p), w);
  for (int i = 0; i < f->W.rows; i++)
    if (w[i] < 1)
      w[i] = MIN (w[i], f->most_trust);
}

/* Codes channels @first on of @count patches and adds their predictions. */
static gboolean
code_batch (Filler *f, RowWindow *window, const Place *places, int count,
            int first, const Progress *progress, GError **error)
{
  PursuitOptions options = { .max_atoms = f->settings->max_atoms,
                             .max_error = f->settings->max_error,
                             .ridge = f->ridge };
  MatF Y = matf_columns (&f->Y, 0, count);
  MatF W = matf_columns (&f->W, 0, count);
  SparseMat X = f->X;

  X.cols = count;
  for (int p = 0; p < count; p++)
    read_patch (f, window, places[p], first, p);
  if (!pursuit_encode (f->pursuit, &Y, &W, &options, &X, progress, error))
    return FALSE;
  for (int p = 0; p < count; p++)
    add_prediction (f, window, places[p], first, p, &X);
  return TRUE;
}

static gboolean
code_group (Filler *f, RowWindow *window, const List *places, Group group,
            const Progress *progress, GError **error)
{
  g_autoptr (List) trusted =
    places_with_trust (f, window, places, group, progress, error);

  if (trusted == NULL)
    return FALSE;
  for (guint start = 0; start < trusted->len; start += BATCH) {
    int count = (int) MIN (BATCH, trusted->len - start);
    ProgressPart share = { progress, (double) start / trusted->len,
                           (double) (start + count) / trusted->len };
    Progress part = progress_part (&share);

    if (!code_batch (f, window, &list_at (trusted, Place, start), count,
                     group.first, &part, error))
      return FALSE;
    f->coded += (gsize) count;
  }
  return TRUE;
}

static gboolean
code_block (RowWindow *window, int top, int bottom, const Progress *progress,
            gpointer data, GError **error)
{
  Filler *f = data;
  g_autoptr (List) places = places_in (f, window, top, bottom, error);
  int channels = f->dictionary->channels;

  if (places == NULL)
    return FALSE;
  for (int first = 0; first < window->channels; first += channels) {
    ProgressPart share = { progress, (double) first / window->channels,
                           (double) (first + channels) / window->channels };
    Progress part = progress_part (&share);

    if (!code_group (f, window, places, group_from (f, first), &part, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- turns ---- */

/* Sets what is enough to a share of what the best patch knows.  Patches that
 * hardly overlap may all see nothing but hole; patches between them see its
 * edge. */
static gboolean
relax_known_limit (Filler *f, const Progress *progress, GError **error)
{
  f->most = 0;
  if (!canvas_pass (f->canvas, PASS_UNFILLED, measure_block, f, progress,
                    error))
    return FALSE;
  f->enough = f->settings->least_share * f->most;
  f->enough = MAX (f->enough, LEAST_TRUST);
  if (f->most > 0)
    return TRUE;
  if (f->step > 1) {
    f->step = (f->step + 1) / 2;
    return relax_known_limit (f, progress, error);
  }
  /* Holes with nothing known nearby, such as those inside transparent
   * areas. */
  if (canvas_fill_rest (f->canvas))
    return TRUE;
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "every pixel is missing: nothing to restore from");
  return FALSE;
}

/* Assumed share of the work of the first turn. */
#define FIRST_TURN 0.9

/* Turns until nothing is unfilled. */
static gboolean
shut_holes (Filler *f, const Progress *progress, GError **error)
{
  gsize left = canvas_unfilled (f->canvas), later = 0;
  ProgressPart turn = { progress, 0, FIRST_TURN }, between = { progress, 0, 0 };
  Progress here = progress_part (&between);

  if (left > 0 && !relax_known_limit (f, &here, error))
    return FALSE;
  while ((left = canvas_unfilled (f->canvas)) > 0) {
    Progress part = progress_part (&turn);

    if (!canvas_pass (f->canvas, PASS_UNFILLED, code_block, f, &part, error))
      return FALSE;
    if (later == 0)
      later = canvas_unfilled (f->canvas);
    turn.from = turn.to = 1
                          - (1 - FIRST_TURN)
                              * (double) canvas_unfilled (f->canvas)
                              / (double) MAX (1, later);
    between.from = between.to = turn.from;
    if (canvas_unfilled (f->canvas) == left
        && !relax_known_limit (f, &here, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
fill_all (Filler *f, const Progress *progress, GError **error)
{
  int passes = f->settings->again + 1;
  ProgressPart share = { progress, 0, 1. / passes };
  Progress part = progress_part (&share);

  if (!shut_holes (f, &part, error))
    return FALSE;
  f->enough = LEAST_TRUST;
  f->most_trust = FILL_LATER_TRUST;
  for (int pass = 1; pass < passes; pass++) {
    f->shift = pass % 2 * (f->step / 2);
    share = (ProgressPart){ progress, (double) pass / passes,
                            (double) (pass + 1) / passes };
    part = progress_part (&share);
    if (!canvas_pass (f->canvas, PASS_MISSING, code_block, f, &part, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
filler_init (Filler *f, GError **error)
{
  const MatF *D = &f->dictionary->atoms;

  f->step = f->settings->step;
  f->most_trust = 1;
  f->pursuit = pursuit_new (D, error);
  if (f->pursuit != NULL)
    f->ridge = fill_make_ridge (f->dictionary, f->settings->ridge, error);
  if (f->ridge != NULL)
    f->predicted = tessera_try_new (float, D->rows, "a patch", error);
  return f->predicted != NULL && matf_try_new (&f->Y, D->rows, BATCH, error)
         && matf_try_new (&f->W, D->rows, BATCH, error)
         && sparse_try_new (&f->X, D->cols, BATCH, f->settings->max_atoms,
                            error);
}

static void
filler_clear (Filler *f)
{
  pursuit_free (f->pursuit);
  g_free (f->ridge);
  matf_clear (&f->Y);
  matf_clear (&f->W);
  g_free (f->predicted);
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

  ok = filler_init (&f, error) && fill_all (&f, progress, error);
  *patches = f.coded;
  filler_clear (&f);
  return ok;
}
