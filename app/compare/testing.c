/* testing.c - damages, restores and scores the test pictures */
#include "app/compare/compare.h"

#include "app/files/picturefile.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/codec/codec.h"
#include "imaging/restore.h"

#include <math.h>

/* Stream of the seeds of damages, one per picture. */
#define STREAM_DAMAGE 0x636d7800

/* Of pictures that are shown, the middle at most this large: the page must
 * stay small. */
#define SHOWN_SIDE 480

const char *const protocol_names[PROTOCOLS] = { "separate", "overlapping",
                                                "engine", "outside" };

/* ---- damage ---- */

void
damaged_clear (Damaged *self)
{
  g_clear_pointer (&self->image, image_free);
  g_clear_pointer (&self->missing, mask_free);
}

gboolean
compare_damage_picture (const Compare *compare, guint damage,
                        const Image *clean, guint64 number, Damaged *damaged,
                        GError **error)
{
  DamageOptions options = compare_damage (compare, damage)->options;

  options.seed = random_bits (compare->line.seed, STREAM_DAMAGE, number);
  damaged->image = image_damage (clean, &options, &damaged->missing, error);
  if (damaged->image == NULL)
    return FALSE;
  damaged->noise =
    options.noise
    * (options.unclipped ? damage_unclipped_scale (&options) : 1);
  return TRUE;
}

/* ---- restoration ---- */

/* All dictionaries remove noise by the same coder.  The noise level is given
 * to them and to the engine alike. */
static RestoreOptions
restore_options (const Damaged *damaged, const RestoreMethod *method)
{
  RestoreOptions options = RESTORE_DEFAULTS;

  options.sigma = damaged->noise;
  options.pursuit = TRUE;
  options.dictionary = method->dictionary;
  if (method->protocol == PROTOCOL_SEPARATE) {
    options.paper_protocol = TRUE;
    options.max_atoms = method->max_atoms;
  } else if (method->quick)
    options.quality = QUALITY_FAST;
  return options;
}

Image *
compare_restore (const Damaged *damaged, const RestoreMethod *method,
                 const Progress *progress, GError **error)
{
  RestoreOptions options = restore_options (damaged, method);
  g_autoptr (Image) image = image_copy (damaged->image, error);
  g_auto (RestoreReport) report = { 0 };

  if (image == NULL
      || !image_restore (image, damaged->missing, &options, &report, progress,
                         error))
    return NULL;
  return g_steal_pointer (&image);
}

/* ---- how long that takes ---- */

/* Seconds of one thread for a megapixel, by protocol, measured where half of
 * the pixels were missing. */
static const double seconds_per_megapixel[] = { [PROTOCOL_SEPARATE] = 1.5,
                                                [PROTOCOL_OVERLAPPING] = 30,
                                                [PROTOCOL_ENGINE] = 14,
                                                [PROTOCOL_OUTSIDE] = 14 };

/* Test pictures that are measured; folders have pictures of one size. */
#define MOST_MEASURED 4

/* The restorations of one picture by method number @number, with all seeds:
 * seconds of one thread for a megapixel. */
static double
method_cost (const Compare *compare, guint number)
{
  const Method *method = compare_method (compare, number);

  return seconds_per_megapixel[method->protocol]
         * compare_contender (compare, method->contender)->run_count;
}

static double
all_costs (const Compare *compare, guint count)
{
  double sum = 0;

  for (guint i = 0; i < count; i++)
    sum += method_cost (compare, i);
  return sum;
}

/* Megapixels of a test picture, in the mean. */
static double
mean_size (const Compare *compare)
{
  guint count = MIN (compare->testing->len, MOST_MEASURED), read = 0;
  double pixels = 0;

  for (guint i = 0; i < count; i++) {
    g_autoptr (Image) image =
      picture_load (compare->testing->pdata[i], &compare->line.limits, NULL);

    if (image == NULL)
      continue;
    pixels += (double) image->width * image->height;
    read++;
  }
  return read > 0 ? pixels / read / 1e6 : 0;
}

double
compare_restoring_seconds (const Compare *compare)
{
  return all_costs (compare, compare->methods->len) * mean_size (compare)
         * compare->testing->len * compare->damages->len / parallel_threads ();
}

/* ---- one picture ---- */

typedef struct {
  Compare *compare;
  guint picture, damage;
  Image *clean;
  Damaged damaged;
  GArray *scores; /* Score: of all methods or none */
  GArray *shown;
} Trial;

static gboolean
show (Trial *trial, int method, const Image *image, const ImageScore *score,
      GError **error)
{
  g_autoptr (Image) middle = NULL;
  Shown shown = { trial->picture, trial->damage, method,
                  score->psnr,    score->ssim,   NULL };

  if (trial->picture >= (guint) trial->compare->show)
    return TRUE;
  middle = image_middle (image, SHOWN_SIDE, error);
  if (middle == NULL)
    return FALSE;
  shown.png = image_encode (middle, TESSERA_PNG, &ENCODE_DEFAULTS, error);
  if (shown.png == NULL)
    return FALSE;
  g_array_append_val (trial->shown, shown);
  return TRUE;
}

/* A picture as it is to be scored: in the range of the clean one. */
static Image *
in_range (const Trial *trial, Image *image, GError **error)
{
  const DamageOptions *options =
    &compare_damage (trial->compare, trial->damage)->options;
  g_autoptr (Image) given = image;

  if (image == NULL || !options->unclipped)
    return g_steal_pointer (&given);
  return damage_restore_range (image, options, trial->clean->depth, error);
}

/* What there was before. */
static gboolean
show_inputs (Trial *trial, GError **error)
{
  g_autoptr (Image) damaged =
    in_range (trial, image_copy (trial->damaged.image, error), error);
  const Image *pictures[] = { trial->clean, damaged };

  if (damaged == NULL)
    return FALSE;
  for (int i = 0; i < 2; i++) {
    ImageScore score;

    if (!image_score (trial->clean, pictures[i], NULL, &score, error)
        || !show (trial, SHOWN_CLEAN + i, pictures[i], &score, error))
      return FALSE;
  }
  return TRUE;
}

/* Restores by method number @result->method with what seed @result->seed
 * gave. */
static Image *
restore_by (const Trial *trial, Score *result, const Progress *progress,
            GError **error)
{
  const Compare *compare = trial->compare;
  const Method *method = compare_method (compare, result->method);
  const Contender *contender = compare_contender (compare, method->contender);
  const RestoreMethod restoration = {
    contender_run (contender, result->seed)->dictionary, method->protocol,
    compare_atoms_per_patch (compare), FALSE
  };
  gint64 began = g_get_monotonic_time ();
  Image *restored;

  if (contender->kind == CONTENDER_RESTORER)
    return outside_restore (compare, contender, &trial->damaged,
                            &result->seconds, progress, error);
  if (contender->failed != NULL) {
    tessera_fail (error, TESSERA_ERROR_FAILED, "%s", contender->failed);
    return NULL;
  }
  restored = compare_restore (&trial->damaged, &restoration, progress, error);
  result->seconds =
    (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  return restored;
}

/* A failure of an outside program is a result too; our own methods do not
 * fail. */
static gboolean
note_failure (const Trial *trial, Score *result, GError *why, GError **error)
{
  const Compare *compare = trial->compare;
  const Method *method = compare_method (compare, result->method);
  const Contender *contender = compare_contender (compare, method->contender);

  if (contender->command == NULL
      || g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)) {
    g_propagate_error (error, why);
    return FALSE;
  }
  result->failed = g_intern_string (why->message);
  result->seconds = NAN;
  result->score = (ImageScore){
    .psnr = NAN, .ssim = NAN, .ms_ssim = NAN, .psnr_masked = NAN
  };
  g_array_append_vals (trial->scores, result, 1);
  g_error_free (why);
  return TRUE;
}

/* What is shown comes from the first seed. */
static gboolean
try_method (Trial *trial, guint number, guint seed, const Progress *progress,
            GError **error)
{
  Score result = { .picture = trial->picture,
                   .damage = trial->damage,
                   .method = number,
                   .seed = seed };
  GError *why = NULL;
  g_autoptr (Image) restored =
    in_range (trial, restore_by (trial, &result, progress, &why), &why);

  if (restored == NULL)
    return note_failure (trial, &result, why, error);
  if (!image_score (trial->clean, restored, trial->damaged.missing,
                    &result.score, error)
      || (seed == 0
          && !show (trial, (int) number, restored, &result.score, error)))
    return FALSE;
  g_array_append_val (trial->scores, result);
  return TRUE;
}

static gboolean
try_seeds (Trial *trial, guint number, const Progress *progress,
           GError **error)
{
  const Compare *compare = trial->compare;
  const Method *method = compare_method (compare, number);
  const Contender *contender = compare_contender (compare, method->contender);

  for (guint seed = 0; seed < contender->run_count; seed++) {
    ProgressPart part = { progress, (double) seed / contender->run_count,
                          (double) (seed + 1) / contender->run_count };
    Progress partial = progress_part (&part);

    if (!try_method (trial, number, seed, &partial, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
try_all (Trial *trial, const Progress *progress, GError **error)
{
  const Compare *compare = trial->compare;
  guint count = compare->methods->len;
  double all = all_costs (compare, count);

  if (!show_inputs (trial, error))
    return FALSE;
  for (guint i = 0; i < count; i++) {
    ProgressPart part = { progress, all_costs (compare, i) / all,
                          all_costs (compare, i + 1) / all };
    Progress partial = progress_part (&part);

    if (!try_seeds (trial, i, &partial, error))
      return FALSE;
  }
  return TRUE;
}

static void
clear_shown (gpointer data)
{
  g_bytes_unref (((Shown *) data)->png);
}

/* A picture that the damage does not fit is left out: @skipped is why. */
static gboolean
trial_prepare (Trial *trial, char **skipped, GError **error)
{
  Compare *compare = trial->compare;
  const char *path = compare->testing->pdata[trial->picture];
  g_autoptr (GError) why = NULL;

  trial->clean = picture_load (path, &compare->line.limits, error);
  if (trial->clean == NULL)
    return FALSE;
  if (!compare_damage_picture (compare, trial->damage, trial->clean,
                               trial->picture, &trial->damaged, &why))
    *skipped = g_strdup (why->message);
  return TRUE;
}

/* ---- all of them ---- */

static gboolean
run_trial (gpointer data, guint item, GVariant **result,
           const Progress *progress, GError **error)
{
  Compare *compare = data;
  Trial trial = { .compare = compare,
                  .picture = item / compare->damages->len,
                  .damage = item % compare->damages->len,
                  .scores = g_array_new (FALSE, FALSE, sizeof (Score)),
                  .shown = g_array_new (FALSE, FALSE, sizeof (Shown)) };
  g_autofree char *skipped = NULL;
  gboolean ok = trial_prepare (&trial, &skipped, error)
                && (skipped != NULL || try_all (&trial, progress, error));

  if (ok)
    *result = trial_to_variant (trial.scores, trial.shown, skipped);
  image_free (trial.clean);
  damaged_clear (&trial.damaged);
  g_array_unref (trial.scores);
  g_array_set_clear_func (trial.shown, clear_shown);
  g_array_unref (trial.shown);
  return ok;
}

static void
put_trial (gpointer data, guint item, GVariant *result, gboolean is_own)
{
  Compare *compare = data;
  g_autofree char *skipped =
    trial_from_variant (result, compare->scores, compare->shown);

  (void) is_own;
  if (skipped != NULL)
    skipped_files_add (&compare->skipped,
                       compare->testing->pdata[item / compare->damages->len],
                       skipped);
}

gboolean
compare_test (Compare *compare, const Progress *progress, GError **error)
{
  const CompareStage stage = { run_trial, put_trial, compare };

  g_array_set_clear_func (compare->shown, clear_shown);
  if (!compare_share_out (compare,
                          compare->testing->len * compare->damages->len,
                          &stage, progress, error))
    return FALSE;
  if (compare->scores->len > 0)
    return TRUE;
  skipped_files_set_error (&compare->skipped, error);
  return FALSE;
}
