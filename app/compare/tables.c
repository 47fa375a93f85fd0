/* tables.c - the results as tables, as JSON and for people */
#include "app/compare/compare.h"

#include "app/system/machine.h"
#include "app/cli/jsonreport.h"

#include <math.h>

#define FORMAT "tessera-compare-1"

/* ---- tables ---- */

Table *
compare_scores_table (const Compare *compare)
{
  static const char *const columns[] = { "picture",     "damage", "protocol",
                                         "method",      "psnr",   "ssim",
                                         "psnr_masked", NULL };
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
  }
  return table;
}

Table *
compare_curves_table (const Compare *compare)
{
  static const char *const columns[] = { "method",  "protocol", "iteration",
                                         "seconds", "psnr",     "ssim",
                                         NULL };
  Table *table = table_new (columns);

  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    for (Protocol p = 0; p < PROTOCOL_ENGINE; p++)
      for (guint j = 0;
           contender_has_curve (contender) && j < contender->curve->len; j++) {
        const CurvePoint *point =
          &g_array_index (contender->curve, CurvePoint, j);

        table_add_text (table, contender->name);
        table_add_text (table, protocol_names[p]);
        table_add_count (table, point->iteration);
        table_add_number (table, point->seconds);
        table_add_number (table, point->psnr[p]);
        table_add_number (table, point->ssim[p]);
      }
  }
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
  static const char *const columns[] = {
    "damage",          "protocol",  "method",         "pictures",
    "reference",       "psnr_mean", "psnr_deviation", "psnr_difference",
    "psnr_low",        "psnr_high", "ssim_mean",      "ssim_deviation",
    "ssim_difference", "ssim_low",  "ssim_high",      NULL
  };
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
  }
  return table;
}

/* A few columns of it, for people. */
char *
compare_to_text (const Compare *compare)
{
  static const char *const columns[] = { "damage", "patches", "method",
                                         "PSNR",   "SSIM",    "to reference",
                                         "95 %",   NULL };
  g_autoptr (Table) table = table_new (columns);

  for (guint i = 0; i < compare->summary->len; i++) {
    const SummaryRow *row = &g_array_index (compare->summary, SummaryRow, i);
    const Method *method = compare_method (compare, row->method);
    g_autofree char *psnr = g_strdup_printf ("%.2f", row->psnr.mean);
    g_autofree char *ssim = g_strdup_printf ("%.4f", row->ssim.mean);
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
contenders_to_json (const Compare *compare)
{
  static const char *const kinds[] = { "learner", "cosines", "file",
                                       "engine" };
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);
    gboolean learned = contender->kind == CONTENDER_LEARNER;
    const Dictionary *dictionary = contender->dictionary;
    g_autofree char *file = contender_file (contender);
    JsonObject *json;

    if (!contender->ready)
      continue;
    json = json_object_new ();
    json_report_set_text (json, "name", contender->name);
    json_report_set_text (json, "kind", kinds[contender->kind]);
    set_positive (json, "atoms",
                  dictionary != NULL ? dictionary->atoms.cols : 0);
    json_report_set_text (json, "options",
                          dictionary != NULL ? dictionary->options : NULL);
    json_report_set_text (json, "start", contender->start);
    set_positive (json, "iterations", contender->iterations);
    json_report_set_number (json, "seconds",
                            learned ? contender->seconds : NAN);
    json_object_set_boolean_member (json, "out_of_time",
                                    contender->out_of_time);
    json_report_set_text (json, "file", dictionary != NULL ? file : NULL);
    json_array_add_object_element (array, json);
  }
  return array;
}

static void
set_table (JsonObject *json, const char *key, Table *table)
{
  json_object_set_array_member (json, key, table_to_json (table));
  table_free (table);
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
  set_table (json, "curves", compare_curves_table (compare));
  return json;
}
