/* comparereport.c - the files of the report
 *
 *     index.html        the page (comparepage.c)
 *     results.json      everything; its schema is docs/results.schema.json
 *     results.csv       a line for each picture, damage and method
 *     curves.csv        how good dictionaries were while they were learned
 *     table.tex         the summary, to be read into a document
 *     NAME.safetensors  the dictionaries that were learned
 */
#include "app/compare.h"

#include "app/machine.h"
#include "app/output.h"
#include "app/plot.h"
#include "app/report.h"
#include "app/table.h"

#include <math.h>
#include <string.h>

#define FORMAT "tessera-compare-1"

/* ---- tables ---- */

static Table *
scores_table (const Compare *compare)
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

static gboolean
has_curve (const Contender *contender)
{
  return contender->ready && contender->curve != NULL
         && contender->curve->len > 0;
}

static Table *
curves_table (const Compare *compare)
{
  static const char *const columns[] = { "method",  "protocol", "iteration",
                                         "seconds", "psnr",     "ssim",
                                         NULL };
  Table *table = table_new (columns);

  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    for (Protocol p = 0; p < PROTOCOL_ENGINE; p++)
      for (guint j = 0; has_curve (contender) && j < contender->curve->len;
           j++) {
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

/* ---- curves ---- */

GBytes *
compare_plot (const Compare *compare, Protocol protocol, gboolean by_time)
{
  const PlotOptions options = {
    protocol == PROTOCOL_SEPARATE
      ? "Restoring while learning, separate patches"
      : "Restoring while learning, overlapping "
        "patches",
    by_time ? "seconds of learning" : "iterations", "PSNR of the probes in dB",
    by_time ? AXIS_LINEAR : AXIS_LOG, AXIS_LINEAR
  };
  g_autoptr (Plot) plot = plot_new (&options);

  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    if (!has_curve (contender))
      continue;
    plot_add_line (plot, contender->name);
    for (guint j = 0; j < contender->curve->len; j++) {
      const CurvePoint *point =
        &g_array_index (contender->curve, CurvePoint, j);
      const Spread psnr = SPREAD_OF (point->psnr[protocol]);

      plot_add_point (plot, by_time ? point->seconds : point->iteration,
                      &psnr);
    }
  }
  plot_take_note (plot, g_strdup_printf ("%s; %u pictures that do not test",
                                         compare_damage (compare, 0)->label,
                                         compare->probing->len));
  return plot_to_svg (plot);
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

  report_set_count (json, "patch", (guint64) compare->patch);
  report_set_count (json, "patches", (guint64) compare->patches);
  report_set_count (json, "atoms_per_patch",
                    (guint64) compare_atoms_per_patch (compare));
  report_set_count (json, "train_atoms", (guint64) compare->train_atoms);
  report_set_text (json, "init", compare_starts[compare->init]);
  json_object_set_array_member (json, "algorithms",
                                texts_to_json (compare->algorithms));
  report_set_number (json, "time_limit",
                     compare->time_limit > 0 ? compare->time_limit : NAN);
  set_positive (json, "iterations", compare->iterations);
  return json;
}

static JsonObject *
run_to_json (const Compare *compare)
{
  JsonObject *json = json_object_new ();
  g_autofree char *began = g_date_time_format_iso8601 (compare->began);

  report_set_text (json, "command", compare->command);
  report_set_text (json, "began", began);
  report_set_number (json, "seconds",
                     (double) (g_get_monotonic_time () - compare->started)
                       / G_USEC_PER_SEC);
  report_set_count (json, "seed", compare->line.seed);
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

  report_set_count (json, "training_pictures", compare->training->len);
  report_set_count (json, "training_patches", (guint64) compare->Y.cols);
  report_set_count (json, "left_out", (guint64) compare->left_out.count);
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

    report_set_text (json, "name", damage->name);
    report_set_text (json, "label", damage->label);
    json_array_add_object_element (array, json);
  }
  return array;
}

static char *
dictionary_file (const Contender *contender)
{
  return g_strconcat (contender->name, ".safetensors", NULL);
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
    g_autofree char *file = dictionary_file (contender);
    JsonObject *json;

    if (!contender->ready)
      continue;
    json = json_object_new ();
    report_set_text (json, "name", contender->name);
    report_set_text (json, "kind", kinds[contender->kind]);
    set_positive (json, "atoms",
                  dictionary != NULL ? dictionary->atoms.cols : 0);
    report_set_text (json, "options",
                     dictionary != NULL ? dictionary->options : NULL);
    report_set_text (json, "start", contender->start);
    set_positive (json, "iterations", contender->iterations);
    report_set_number (json, "seconds", learned ? contender->seconds : NAN);
    json_object_set_boolean_member (json, "out_of_time",
                                    contender->out_of_time);
    report_set_text (json, "file", dictionary != NULL ? file : NULL);
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

  report_set_text (json, "format", FORMAT);
  json_object_set_object_member (json, "run", run_to_json (compare));
  json_object_set_object_member (json, "data", data_to_json (compare));
  json_object_set_array_member (json, "damages", damages_to_json (compare));
  json_object_set_array_member (json, "contenders",
                                contenders_to_json (compare));
  set_table (json, "summary", summary_table (compare));
  set_table (json, "scores", scores_table (compare));
  set_table (json, "curves", curves_table (compare));
  return json;
}

/* ---- LaTeX ---- */

static void
append_tex (GString *tex, const char *text)
{
  for (; *text != '\0'; text++) {
    if (strchr ("&%$#_{}", *text) != NULL)
      g_string_append_c (tex, '\\');
    if (strchr ("\\^~", *text) != NULL)
      g_string_append_printf (tex, "\\char%d{}", *text);
    else
      g_string_append_c (tex, *text);
  }
}

/* A number, in bold where it is the best; empty if there is none. */
static void
append_tex_number (GString *tex, double value, int digits, gboolean best)
{
  g_string_append (tex, " & ");
  if (isfinite (value))
    g_string_append_printf (tex, best ? "\\textbf{%.*f}" : "%.*f", digits,
                            value);
}

static void
append_tex_difference (GString *tex, const Summary *summary, int digits)
{
  g_string_append (tex, " & ");
  if (isfinite (summary->low))
    g_string_append_printf (tex, "$%+.*f$ $[%+.*f, %+.*f]$", digits,
                            summary->difference, digits, summary->low, digits,
                            summary->high);
}

static void
append_tex_row (GString *tex, const Compare *compare, const SummaryRow *row)
{
  append_tex (tex, compare_method_name (compare, row->method));
  g_string_append_printf (
    tex, " & %s",
    protocol_names[compare_method (compare, row->method)->protocol]);
  append_tex_number (tex, row->psnr.mean, 2, row->best_psnr);
  append_tex_number (tex, row->psnr.deviation, 2, FALSE);
  append_tex_difference (tex, &row->psnr, 2);
  append_tex_number (tex, row->ssim.mean, 4, row->best_ssim);
  append_tex_number (tex, row->ssim.deviation, 4, FALSE);
  append_tex_difference (tex, &row->ssim, 4);
  g_string_append (tex, " \\\\\n");
}

/* Needs no package. */
static GBytes *
to_tex (const Compare *compare)
{
  GString *tex = g_string_new (
    "% Mean, standard deviation, and the difference to the reference within\n"
    "% the same pictures with its 95 % interval.  The best is bold.\n"
    "\\begin{tabular}{llrrrrrr}\n\\hline\n"
    "method & patches & PSNR & s.d. & difference & SSIM & s.d. & difference "
    "\\\\\n");
  int damage = -1;

  for (guint i = 0; i < compare->summary->len; i++) {
    const SummaryRow *row = &g_array_index (compare->summary, SummaryRow, i);

    if ((int) row->damage != damage) {
      damage = (int) row->damage;
      g_string_append (tex, "\\hline\n\\multicolumn{8}{l}{");
      append_tex (tex, compare_damage (compare, row->damage)->label);
      g_string_append_printf (tex, ", %d pictures, differences to ",
                              row->count);
      append_tex (tex, compare_method_name (compare, (guint) row->reference));
      g_string_append (tex, "} \\\\\n\\hline\n");
    }
    append_tex_row (tex, compare, row);
  }
  g_string_append (tex, "\\hline\n\\end{tabular}\n");
  return g_string_free_to_bytes (tex);
}

/* ---- files ---- */

/* Takes @content over; NULL, with @error set already, fails. */
static gboolean
write_file (const Compare *compare, const char *name, GBytes *content,
            GError **error)
{
  g_autofree char *path = g_build_filename (compare->folder, name, NULL);
  gboolean ok = content != NULL
                && output_write (path, content, compare->line.force, error);

  if (content != NULL)
    g_bytes_unref (content);
  return ok;
}

static gboolean
write_table (const Compare *compare, const char *name, Table *table,
             GError **error)
{
  gboolean ok = write_file (compare, name, table_to_csv (table), error);

  table_free (table);
  return ok;
}

static gboolean
write_json (const Compare *compare, GError **error)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  char *text;

  json_node_take_object (root, compare_to_json (compare));
  text = json_to_string (root, TRUE);
  return write_file (compare, "results.json",
                     g_bytes_new_take (text, strlen (text)), error);
}

static gboolean
write_dictionaries (const Compare *compare, GError **error)
{
  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);
    g_autofree char *name = dictionary_file (contender);

    if (contender->dictionary != NULL
        && !write_file (compare, name,
                        dictionary_to_safetensors (contender->dictionary),
                        error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_plots (const Compare *compare, GError **error)
{
  return write_file (compare, "curves-time.svg",
                     compare_plot (compare, PROTOCOL_SEPARATE, TRUE), error)
         && write_file (compare, "curves-iterations.svg",
                        compare_plot (compare, PROTOCOL_SEPARATE, FALSE),
                        error);
}

/* The page comes last: where it is, the rest is too. */
gboolean
compare_write_report (const Compare *compare, GError **error)
{
  return write_table (compare, "results.csv", scores_table (compare), error)
         && write_table (compare, "curves.csv", curves_table (compare), error)
         && write_json (compare, error)
         && write_file (compare, "table.tex", to_tex (compare), error)
         && write_plots (compare, error) && write_dictionaries (compare, error)
         && write_file (compare, "index.html",
                        compare_to_page (compare, error), error);
}
