/* sharing.c - contenders and test pictures handed out to ranks
 *
 * Each rank takes the number of the next item until there is none, and works
 * on it as if it were alone.  Then all of them get what each has done, and put
 * it together in the order of the numbers: the state is the same on all ranks,
 * whoever did what.
 */
#include "app/compare/compare.h"

#include "base/error.h"
#include "base/ranks.h"

#include <string.h>

/* How a rank came to its end of a stage. */
typedef enum { STAGE_DONE, STAGE_CANCELLED, STAGE_FAILED } StageEnd;

/* All ranks get the bytes of @rank; the others have NULL. */
static GBytes *
exchange_bytes (GBytes *own, int rank)
{
  gsize size = own != NULL ? g_bytes_get_size (own) : 0;
  guint8 *copy;

  ranks_broadcast (&size, sizeof size, rank);
  copy = g_malloc0 (size);
  if (own != NULL)
    memcpy (copy, g_bytes_get_data (own, NULL), size);
  ranks_broadcast (copy, size, rank);
  return g_bytes_new_take (copy, size);
}

/* All ranks get the results of @rank. */
static void
exchange_results (GPtrArray *results, const gboolean *is_own, int rank)
{
  for (guint i = 0; i < results->len; i++) {
    gboolean has = is_own[i];
    g_autoptr (GBytes) own = NULL, bytes = NULL;

    ranks_broadcast (&has, sizeof has, rank);
    if (!has)
      continue;
    if (rank == ranks_self ())
      own = g_variant_get_data_as_bytes (results->pdata[i]);
    bytes = exchange_bytes (own, rank);
    if (rank != ranks_self ())
      results->pdata[i] = g_variant_ref_sink (
        g_variant_new_from_bytes (G_VARIANT_TYPE_VARIANT, bytes, TRUE));
  }
}

static StageEnd
worst_end (StageEnd own)
{
  StageEnd worst = STAGE_DONE;

  for (int rank = 0; rank < ranks_count (); rank++) {
    StageEnd end = own;

    ranks_broadcast (&end, sizeof end, rank);
    worst = MAX (worst, end);
  }
  return worst;
}

/* Works on the items that this rank is handed. */
static StageEnd
work_on_items (const CompareStage *stage, GPtrArray *results, gboolean *is_own,
               const Progress *progress, GError **error)
{
  double all = results->len;

  for (guint i = ranks_next_item (); i < results->len;
       i = ranks_next_item ()) {
    ProgressPart part = { progress, i / all, (i + 1) / all };
    Progress partial = progress_part (&part);
    GVariant *result = NULL;
    g_autoptr (GError) why = NULL;

    if (stage->work (stage->data, i, &result, &partial, &why)) {
      results->pdata[i] = g_variant_ref_sink (g_variant_new_variant (result));
      is_own[i] = TRUE;
      continue;
    }
    if (g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)) {
      g_propagate_error (error, g_steal_pointer (&why));
      return STAGE_CANCELLED;
    }
    g_propagate_error (error, g_steal_pointer (&why));
    return STAGE_FAILED;
  }
  return STAGE_DONE;
}

static void
unref_result (gpointer result)
{
  if (result != NULL)
    g_variant_unref (result);
}

gboolean
compare_share_out (Compare *compare, guint count, const CompareStage *stage,
                   const Progress *progress, GError **error)
{
  g_autoptr (GPtrArray) results =
    g_ptr_array_new_with_free_func (unref_result);
  g_autofree gboolean *is_own = g_new0 (gboolean, count + 1);
  GError *own = NULL;
  StageEnd end;

  g_ptr_array_set_size (results, (int) count);
  ranks_start_items ();
  end = work_on_items (stage, results, is_own, progress, &own);
  ranks_begin ();
  end = worst_end (end);
  for (int rank = 0; rank < ranks_count (); rank++)
    exchange_results (results, is_own, rank);
  ranks_end ();
  for (guint i = 0; i < count; i++)
    if (results->pdata[i] != NULL) {
      g_autoptr (GVariant) result = g_variant_get_variant (results->pdata[i]);

      stage->put (stage->data, i, result, is_own[i]);
    }
  if (end == STAGE_DONE)
    return TRUE;
  /* Another rank says why. */
  compare->is_over = end == STAGE_FAILED && own == NULL;
  if (own != NULL && end == STAGE_FAILED
      && g_error_matches (own, TESSERA_ERROR, TESSERA_ERROR_CANCELLED))
    compare->is_over = TRUE;
  if (own == NULL)
    g_set_error_literal (&own, TESSERA_ERROR, TESSERA_ERROR_CANCELLED,
                         "interrupted");
  g_propagate_error (error, own);
  return FALSE;
}

/* ---- what is exchanged ---- */

static GVariant *
bytes_to_variant (GBytes *bytes)
{
  return g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE);
}

static GVariant *
array_to_variant (const GArray *array, gsize size)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE,
                                    array != NULL ? array->data : NULL,
                                    array != NULL ? array->len * size : 0, 1);
}

static void
array_from_variant (GVariant *variant, gsize size, GArray *array)
{
  gsize length;
  gconstpointer data = g_variant_get_fixed_array (variant, &length, 1);

  g_array_append_vals (array, data, (guint) (length / size));
}

#define RUN_FORMAT "(bbdi@ay@aymsms)"

GVariant *
learn_run_to_variant (const LearnRun *run, const char *failed)
{
  g_autoptr (GBytes) dictionary =
    run->dictionary != NULL ? dictionary_to_safetensors (run->dictionary, NULL)
                            : g_bytes_new (NULL, 0);

  if (dictionary == NULL)
    tessera_abort_without_memory ();

  return g_variant_new (RUN_FORMAT, run->ready, run->out_of_time, run->seconds,
                        run->iterations, bytes_to_variant (dictionary),
                        array_to_variant (run->curve, sizeof (CurvePoint)),
                        run->start, failed);
}

void
learn_run_from_variant (GVariant *variant, LearnRun *run, char **failed)
{
  g_autoptr (GVariant) dictionary = NULL, curve = NULL;
  g_autofree char *start = NULL;
  gsize size;

  dictionary_free (run->dictionary);
  g_variant_get (variant, RUN_FORMAT, &run->ready, &run->out_of_time,
                 &run->seconds, &run->iterations, &dictionary, &curve, &start,
                 failed);
  size = g_variant_get_size (dictionary);
  run->dictionary = NULL;
  if (size > 0) {
    g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (dictionary);

    run->dictionary = dictionary_from_bytes (bytes, "a rank", NULL);
  }
  run->start = start != NULL ? g_intern_string (start) : NULL;
  if (run->curve != NULL) {
    g_array_set_size (run->curve, 0);
    array_from_variant (curve, sizeof (CurvePoint), run->curve);
  }
}

#define SCORE_FORMAT "(@ayms)"
#define SHOWN_FORMAT "(uuidd@ay)"

GVariant *
trial_to_variant (const GArray *scores, const GArray *shown,
                  const char *skipped)
{
  GVariantBuilder first, second;

  g_variant_builder_init (&first, G_VARIANT_TYPE ("a(ayms)"));
  for (guint i = 0; i < scores->len; i++) {
    const Score *score = &g_array_index (scores, Score, i);

    g_variant_builder_add (
      &first, SCORE_FORMAT,
      g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, score, sizeof *score, 1),
      score->failed);
  }
  g_variant_builder_init (&second, G_VARIANT_TYPE ("a(uuidday)"));
  for (guint i = 0; i < shown->len; i++) {
    const Shown *one = &g_array_index (shown, Shown, i);

    g_variant_builder_add (&second, SHOWN_FORMAT, one->picture, one->damage,
                           one->method, one->psnr, one->ssim,
                           bytes_to_variant (one->png));
  }
  return g_variant_new ("(msa(ayms)a(uuidday))", skipped, &first, &second);
}

char *
trial_from_variant (GVariant *variant, GArray *scores, GArray *shown)
{
  GVariantIter *first, *second;
  GVariant *bytes;
  char *skipped, *failed;
  Shown one;

  g_variant_get (variant, "(msa(ayms)a(uuidday))", &skipped, &first, &second);
  while (g_variant_iter_next (first, SCORE_FORMAT, &bytes, &failed)) {
    array_from_variant (bytes, sizeof (Score), scores);
    g_array_index (scores, Score, scores->len - 1).failed =
      failed != NULL ? g_intern_string (failed) : NULL;
    g_free (failed);
    g_variant_unref (bytes);
  }
  while (g_variant_iter_next (second, SHOWN_FORMAT, &one.picture, &one.damage,
                              &one.method, &one.psnr, &one.ssim, &bytes)) {
    one.png = g_variant_get_data_as_bytes (bytes);
    g_array_append_val (shown, one);
    g_variant_unref (bytes);
  }
  g_variant_iter_free (first);
  g_variant_iter_free (second);
  return skipped;
}
