/* tables.c - the results as tables, as JSON and for people */
#include "app/compare/compare.h"

#include "app/system/machine.h"
#include "app/cli/jsonreport.h"

#include <math.h>

#define FORMAT "tessera-compare-1"

/* ---- tables ---- */

/* The seed that it was learned with; nothing where nothing was learned. */
static void
add_seed (Table *table, const Compare *compare, const Score *score)
{
  const Contender *contender = compare_contender (
    compare, compare_method (compare, score->method)->contender);

  if (contender_learns (contender))
    table_add_count (table, (gint64) compare_seed (compare, score->seed));
  else
    table_add_text (table, NULL);
}

Table *
compare_scores_table (const Compare *compare)
{
  static const char *const columns[] = { "picture",     "damage",  "protocol",
                                         "method",      "psnr",    "ssim",
                                         "psnr_masked", "ms_ssim", "seed",
                                         "error",       NULL };
  Table *table = table_new (columns);

  for (guint i = 0; i < compare->scores->len; i++) {
    const Score *score = &g_array_index (compare->scores, Score, i);
    const Method *method = compare_method (compare, score->method);

    table_add_text (table, compare->names->pdata[score->picture]);
    table_add_text (table, compare_damage (compare, score->damage)->name);
    table_add_text (table, protocol_names[method->protocol]);
    table_add_text (table, compare_method_name (compare, score->method));
    table_add_number (table, score->score.psnr);
    table_add_number (table, score->score.ssim);
    table_add_number (table, score->score.psnr_masked);
    table_add_number (table, score->score.ms_ssim);
    add_seed (table, compare, score);
    table_add_text (table, score->failed);
  }
  return table;
}

static void
add_curve (Table *table, const Compare *compare, guint number, Protocol p,
           guint seed)
{
  const Contender *contender = compare_contender (compare, number);
  const LearnRun *run = &contender->runs[seed];

  for (guint j = 0; learn_run_has_curve (run) && j < run->curve->len; j++) {
    const CurvePoint *point = &g_array_index (run->curve, CurvePoint, j);

    table_add_text (table, contender->name);
    table_add_text (table, protocol_names[p]);
    table_add_count (table, point->iteration);
    table_add_number (table, point->seconds);
    table_add_number (table, point->psnr[p]);
    table_add_number (table, point->ssim[p]);
    table_add_count (table, (gint64) compare_seed (compare, seed));
  }
}

Table *
compare_curves_table (const Compare *compare)
{
  static const char *const columns[] = { "method",  "protocol", "iteration",
                                         "seconds", "psnr",     "ssim",
                                         "seed",    NULL };
  Table *table = table_new (columns);

  for (guint i = 0; i < compare->contenders->len; i++)
    for (Protocol p = 0; compare_lays (compare, p); p++)
      for (guint s = 0; s < compare_contender (compare, i)->run_count; s++)
        add_curve (table, compare, i, p, s);
  return table;
}

static void
add_summary (Table *table, const Summary *summary)
{
  table_add_number (table, summary->mean);
  table_add_number (table, summary->deviation);
  table_add_number (table, summary->difference);
  table_add_number (table, summary->low);
  table_add_number (table, summary->high);
}

static Table *
summary_table (const Compare *compare)
{
  static const char *const columns[] = { "damage",
                                         "protocol",
                                         "method",
                                         "pictures",
                                         "reference",
                                         "psnr_mean",
                                         "psnr_deviation",
                                         "psnr_difference",
                                         "psnr_low",
                                         "psnr_high",
                                         "ssim_mean",
                                         "ssim_deviation",
                                         "ssim_difference",
                                         "ssim_low",
                                         "ssim_high",
                                         "ms_ssim_mean",
                                         "ms_ssim_deviation",
                                         "ms_ssim_difference",
                                         "ms_ssim_low",
                                         "ms_ssim_high",
                                         "psnr_masked_mean",
                                         "psnr_masked_deviation",
                                         "psnr_masked_difference",
                                         "psnr_masked_low",
                                         "psnr_masked_high",
                                         "seconds_mean",
                                         "failed",
                                         "error",
                                         NULL };
  Table *table = table_new (columns);

  for (guint i = 0; i < compare->summary->len; i++) {
    const SummaryRow *row = &g_array_index (compare->summary, SummaryRow, i);
    const Method *method = compare_method (compare, row->method);

    table_add_text (table, compare_damage (compare, row->damage)->name);
    table_add_text (table, protocol_names[method->protocol]);
    table_add_text (table, compare_method_name (compare, row->method));
    table_add_count (table, row->count);
    table_add_text (table,
                    compare_method_name (compare, (guint) row->reference));
    add_summary (table, &row->psnr);
    add_summary (table, &row->ssim);
    add_summary (table, &row->ms_ssim);
    add_summary (table, &row->psnr_masked);
    table_add_number (table, row->seconds.mean);
    table_add_count (table, row->failed);
    table_add_text (table, row->why);
  }
  return table;
}

static char *
number_or_dash (double value, int digits)
{
  return isfinite (value) ? g_strdup_printf ("%.*f", digits, value)
                          : g_strdup ("-");
}

/* A few columns of it, for people. */
char *
compare_to_text (const Compare *compare)
{
  static const char *const columns[] = { "damage", "patches", "method",
                                         "PSNR",   "SSIM",    "to reference",
                                         "95 %",   "missing", "seconds",
                                         NULL };
  g_autoptr (Table) table = table_new (columns);

  for (guint i = 0; i < compare->summary->len; i++) {
    const SummaryRow *row = &g_array_index (compare->summary, SummaryRow, i);
    const Method *method = compare_method (compare, row->method);
    g_autofree char *psnr = row->count > 0
                              ? g_strdup_printf ("%.2f", row->psnr.mean)
                              : g_strdup ("failed");
    g_autofree char *ssim = number_or_dash (row->ssim.mean, 4);
    g_autofree char *masked = number_or_dash (row->psnr_masked.mean, 2);
    g_autofree char *seconds = number_or_dash (row->seconds.mean, 2);
    g_autofree char *difference =
      isnan (row->psnr.difference)
        ? g_strdup ("-")
        : g_strdup_printf ("%+.2f", row->psnr.difference);
    g_autofree char *range =
      isnan (row->psnr.low)
        ? g_strdup ("-")
        : g_strdup_printf ("%+.2f to %+.2f", row->psnr.low, row->psnr.high);

    table_add_text (table, compare_damage (compare, row->damage)->name);
    table_add_text (table, protocol_names[method->protocol]);
    table_add_text (table, compare_method_name (compare, row->method));
    table_add_text (table, psnr);
    table_add_text (table, ssim);
    table_add_text (table, difference);
    table_add_text (table, range);
    table_add_text (table, masked);
    table_add_text (table, seconds);
  }
  return table_to_text (table);
}

/* ---- JSON ---- */

static JsonArray *
texts_to_json (char **texts)
{
  JsonArray *array = json_array_new ();

  for (int i = 0; texts[i] != NULL; i++)
    json_array_add_string_element (array, texts[i]);
  return array;
}

static JsonArray *
names_to_json (const GPtrArray *names)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < names->len; i++) {
    g_autofree char *valid = g_utf8_make_valid (names->pdata[i], -1);

    json_array_add_string_element (array, valid);
  }
  return array;
}

/* Null unless it is above zero. */
static void
set_positive (JsonObject *json, const char *key, int count)
{
  if (count > 0)
    json_object_set_int_member (json, key, count);
  else
    json_object_set_null_member (json, key);
}

static JsonObject *
options_to_json (const Compare *compare)
{
  JsonObject *json = json_object_new ();

  json_report_set_count (json, "patch", (guint64) compare->patch);
  json_report_set_count (json, "patches", (guint64) compare->patches);
  json_report_set_count (json, "atoms_per_patch",
                         (guint64) compare_atoms_per_patch (compare));
  json_report_set_count (json, "train_atoms", (guint64) compare->train_atoms);
  json_report_set_text (json, "init", compare_init_names[compare->init]);
  json_object_set_array_member (json, "algorithms",
                                texts_to_json (compare->algorithms));
  json_report_set_number (json, "time_limit",
                          compare->time_limit > 0 ? compare->time_limit : NAN);
  set_positive (json, "iterations", compare->iterations);
  return json;
}

static JsonArray *
seeds_to_json (const Compare *compare)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < compare->seeds->len; i++)
    json_array_add_int_element (array, (gint64) compare_seed (compare, i));
  return array;
}

static JsonObject *
run_to_json (const Compare *compare)
{
  JsonObject *json = json_object_new ();
  g_autofree char *began = g_date_time_format_iso8601 (compare->began);

  json_report_set_text (json, "command", compare->command);
  json_report_set_text (json, "began", began);
  json_report_set_number (json, "seconds",
                          (double) (g_get_monotonic_time () - compare->started)
                            / G_USEC_PER_SEC);
  json_report_set_count (json, "seed", compare->line.seed);
  json_object_set_array_member (json, "seeds", seeds_to_json (compare));
  json_object_set_boolean_member (json, "repeatable",
                                  compare->time_limit == 0);
  json_object_set_boolean_member (json, "interrupted", compare->interrupted);
  json_object_set_object_member (json, "options", options_to_json (compare));
  json_object_set_object_member (json, "machine", machine_to_json ());
  return json;
}

static JsonObject *
data_to_json (const Compare *compare)
{
  JsonObject *json = json_object_new ();

  json_report_set_count (json, "training_pictures", compare->training->len);
  json_report_set_count (json, "training_patches", (guint64) compare->Y.cols);
  json_report_set_count (json, "left_out", (guint64) compare->skipped.count);
  json_object_set_array_member (json, "probes",
                                names_to_json (compare->probing));
  json_object_set_array_member (json, "tests", names_to_json (compare->names));
  return json;
}

static JsonArray *
damages_to_json (const Compare *compare)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < compare->damages->len; i++) {
    const Damage *damage = compare_damage (compare, i);
    JsonObject *json = json_object_new ();

    json_report_set_text (json, "name", damage->name);
    json_report_set_text (json, "label", damage->label);
    json_array_add_object_element (array, json);
  }
  return array;
}

static JsonArray *
runs_to_json (const Compare *compare, const Contender *contender)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < contender_ready_runs (contender); i++) {
    const LearnRun *run = &contender->runs[i];
    g_autofree char *file = compare_dictionary_file (compare, contender, i);
    JsonObject *json = json_object_new ();

    json_report_set_count (json, "seed", compare_seed (compare, i));
    set_positive (json, "iterations", run->iterations);
    json_report_set_number (json, "seconds", run->seconds);
    json_object_set_boolean_member (json, "out_of_time", run->out_of_time);
    json_report_set_text (json, "file", file);
    json_array_add_object_element (array, json);
  }
  return array;
}

static JsonObject *
contender_to_json (const Compare *compare, const Contender *contender)
{
  static const char *const kinds[] = {
    [CONTENDER_LEARNER] = "learner",
    [CONTENDER_TRANSFORM] = "learner",
    [CONTENDER_COSINES] = "cosines",
    [CONTENDER_FILE] = "file",
    [CONTENDER_ENGINE] = "engine",
    [CONTENDER_OUTSIDE_LEARNER] = "outside-learner",
    [CONTENDER_RESTORER] = "restorer",
  };
  const LearnRun *run = &contender->runs[0];
  const Dictionary *dictionary = run->dictionary;
  g_autofree char *file = compare_dictionary_file (compare, contender, 0);
  g_autofree char *command =
    contender->command != NULL ? g_strjoinv (" ", contender->command) : NULL;
  JsonObject *json = json_object_new ();

  json_report_set_text (json, "name", contender->name);
  json_report_set_text (json, "kind", kinds[contender->kind]);
  set_positive (json, "atoms",
                dictionary != NULL ? dictionary->atoms.cols : 0);
  json_report_set_text (json, "options",
                        dictionary != NULL ? dictionary->options : NULL);
  json_report_set_text (json, "start", run->start);
  set_positive (json, "iterations", run->iterations);
  json_report_set_number (
    json, "seconds",
    contender_learns (contender) && run->ready ? run->seconds : NAN);
  json_object_set_boolean_member (json, "out_of_time", run->out_of_time);
  json_report_set_text (json, "file", dictionary != NULL ? file : NULL);
  json_report_set_text (json, "command", command);
  json_report_set_text (json, "error", contender->failed);
  if (contender_learns (contender))
    json_object_set_array_member (json, "runs",
                                  runs_to_json (compare, contender));
  return json;
}

static JsonArray *
contenders_to_json (const Compare *compare)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    if (contender->runs[0].ready || contender->failed != NULL)
      json_array_add_object_element (array,
                                     contender_to_json (compare, contender));
  }
  return array;
}

static void
set_table (JsonObject *json, const char *key, Table *table)
{
  json_object_set_array_member (json, key, table_to_json (table));
  table_free (table);
}

/* The table has no times, so that it is the same whenever it is made. */
static void
add_seconds (const Compare *compare, JsonArray *rows)
{
  for (guint i = 0; i < compare->scores->len; i++)
    json_report_set_number (json_array_get_object_element (rows, i), "seconds",
                            g_array_index (compare->scores, Score, i).seconds);
}

JsonObject *
compare_to_json (const Compare *compare)
{
  JsonObject *json = json_object_new ();

  json_report_set_text (json, "format", FORMAT);
  json_object_set_object_member (json, "run", run_to_json (compare));
  json_object_set_object_member (json, "data", data_to_json (compare));
  json_object_set_array_member (json, "damages", damages_to_json (compare));
  json_object_set_array_member (json, "contenders",
                                contenders_to_json (compare));
  set_table (json, "summary", summary_table (compare));
  set_table (json, "scores", compare_scores_table (compare));
  add_seconds (compare, json_object_get_array_member (json, "scores"));
  set_table (json, "curves", compare_curves_table (compare));
  return json;
}
