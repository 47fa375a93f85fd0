/* report.c - the files of the report
 *
 *     index.html        the page (page.c)
 *     results.json      everything; its schema is docs/results.schema.json
 *     results.csv       a line for each picture, damage and method
 *     curves.csv        how good dictionaries were while they were learned
 *     table.tex         the summary as a table for LaTeX with booktabs
 *     NAME.safetensors  the dictionaries that were learned; those of further
 *                       seeds are NAME-seedN.safetensors
 */
#include "app/compare/compare.h"

#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"

#include "app/files/output.h"
#include "app/chart/plot.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- curves ---- */

/* Point number @number of all seeds: probes are restored after the same
 * iterations, at times that differ a little. */
static void
add_point (Plot *plot, const Contender *contender, guint number,
           Protocol protocol, gboolean by_time)
{
  Spread psnr = SPREAD_EMPTY, x = SPREAD_EMPTY;

  for (guint s = 0; s < contender_ready_runs (contender); s++) {
    const GArray *curve = contender->runs[s].curve;
    const CurvePoint *point;

    if (number >= curve->len)
      continue;
    point = &g_array_index (curve, CurvePoint, number);
    spread_add (&psnr, point->psnr[protocol]);
    spread_add (&x, by_time ? point->seconds : point->iteration);
  }
  plot_add_point (plot, spread_mean (&x), &psnr);
}

static void
add_line (Plot *plot, const Contender *contender, Protocol protocol,
          gboolean by_time)
{
  guint longest = 0;

  for (guint s = 0; s < contender_ready_runs (contender); s++)
    if (learn_run_has_curve (&contender->runs[s]))
      longest = MAX (longest, contender->runs[s].curve->len);
  if (longest == 0)
    return;
  plot_add_line (plot, contender->name);
  for (guint j = 0; j < longest; j++)
    add_point (plot, contender, j, protocol, by_time);
}

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

  for (guint i = 0; i < compare->contenders->len; i++)
    add_line (plot, compare_contender (compare, i), protocol, by_time);
  plot_take_note (plot, g_strdup_printf ("%s; %u held-out picture%s",
                                         compare_damage (compare, 0)->label,
                                         compare->probing->len,
                                         PLURAL (compare->probing->len)));
  return plot_to_svg (plot);
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
  /* The interval is even about the mean, and this is shorter than its ends. */
  double half = (summary->high - summary->low) / 2;

  g_string_append (tex, " & ");
  if (isfinite (summary->low))
    g_string_append_printf (tex, "$%+.*f \\pm %.*f$", digits,
                            summary->difference, digits, half);
}

static void
append_tex_row (GString *tex, const Compare *compare, const SummaryRow *row)
{
  append_tex (tex, compare_method_name (compare, row->method));
  if (row->count == 0)
    g_string_append (tex, " & \\multicolumn{5}{l}{failed}");
  else {
    append_tex_number (tex, row->psnr.mean, 2, row->best_psnr);
    append_tex_difference (tex, &row->psnr, 2);
    append_tex_number (tex, row->ssim.mean, 3, row->best_ssim);
    append_tex_number (tex, row->ms_ssim.mean, 3, FALSE);
    append_tex_number (tex, row->psnr_masked.mean, 2, FALSE);
  }
  g_string_append (tex, " \\\\\n");
}

/* A line across the table: the damage, or how patches lie. */
static void
append_tex_group (GString *tex, const Compare *compare, const SummaryRow *row)
{
  gboolean separate =
    compare_method (compare, row->method)->protocol == PROTOCOL_SEPARATE;

  g_string_append (tex, "\\midrule\n\\multicolumn{6}{@{}l}{\\emph{");
  append_tex (tex, compare_damage (compare, row->damage)->label);
  g_string_append (tex, separate ? "; separate patches}} \\\\\n"
                                 : "; overlapping patches}} \\\\\n");
}

static void
append_tex_caption (GString *tex, const Compare *compare)
{
  const SummaryRow *first = &g_array_index (compare->summary, SummaryRow, 0);

  g_string_append_printf (
    tex,
    "\\caption{Mean scores of %u test picture%s after learning from "
    "%d patches of $%d \\times %d$ pixels",
    compare->testing->len, PLURAL (compare->testing->len), compare->Y.cols,
    compare->patch, compare->patch);
  if (compare->seeds->len > 1)
    g_string_append_printf (tex, " with %u seeds", compare->seeds->len);
  g_string_append (tex, ". Differences of PSNR are to ");
  append_tex (tex, compare_method_name (compare, (guint) first->reference));
  g_string_append (tex, ", within pictures, with 95\\,\\% intervals; "
                        "\\emph{hole}: PSNR of the missing pixels.}\n");
}

static gboolean
same_group (const Compare *compare, const SummaryRow *a, const SummaryRow *b)
{
  return a->damage == b->damage
         && protocol_competes (compare_method (compare, a->method)->protocol,
                               compare_method (compare, b->method)->protocol);
}

/* As wide as one of two columns of the class article, if names are short. */
static GBytes *
to_tex (const Compare *compare)
{
  GString *tex =
    g_string_new ("% Needs \\usepackage{booktabs}.  The best is bold.\n");

  if (compare->summary->len == 0) {
    g_string_append (tex, "% Nothing was tested.\n");
    return g_string_free_to_bytes (tex);
  }
  g_string_append (tex, "\\begin{table}\n\\centering\\footnotesize\n"
                        "\\setlength{\\tabcolsep}{3pt}\n");
  append_tex_caption (tex, compare);
  g_string_append (tex, "\\begin{tabular}{@{}lrrrrr@{}}\n\\toprule\n"
                        "method & PSNR & difference & SSIM & MS-SSIM & hole "
                        "\\\\\n");
  for (guint i = 0; i < compare->summary->len; i++) {
    const SummaryRow *row = &g_array_index (compare->summary, SummaryRow, i);

    if (i == 0 || !same_group (compare, row - 1, row))
      append_tex_group (tex, compare, row);
    append_tex_row (tex, compare, row);
  }
  g_string_append (tex, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
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
  g_autoptr (JsonObject) results = compare_to_json (compare);
  char *text = json_report_to_text (results);

  return write_file (compare, "results.json",
                     g_bytes_new_take (text, strlen (text)), error);
}

/* Whether this report has a dictionary of that name. */
static gboolean
has_dictionary (const Compare *compare, const char *file)
{
  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    for (guint s = 0; s < contender->run_count; s++) {
      g_autofree char *name = compare_dictionary_file (compare, contender, s);

      if (contender->runs[s].dictionary != NULL && g_str_equal (name, file))
        return TRUE;
    }
  }
  return FALSE;
}

/* Removes the file that a contender, or one of its runs, had. */
static void
drop_old (JsonArray *array, guint i, JsonNode *node, gpointer data)
{
  const Compare *compare = data;
  JsonObject *object =
    JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonNode *runs =
    object != NULL ? json_object_get_member (object, "runs") : NULL;
  const char *file =
    object != NULL
      ? json_object_get_string_member_with_default (object, "file", NULL)
      : NULL;
  g_autofree char *path = NULL;

  (void) array;
  (void) i;
  if (runs != NULL && JSON_NODE_HOLDS_ARRAY (runs))
    json_array_foreach_element (json_node_get_array (runs), drop_old, data);
  if (file == NULL || strchr (file, '/') != NULL
      || !g_str_has_suffix (file, ".safetensors")
      || has_dictionary (compare, file))
    return;
  path = g_build_filename (compare->folder, file, NULL);
  g_unlink (path);
}

/* Removes the dictionaries that results.json of an older report in the same
 * folder names and this one does not have.  Its other files are replaced, and
 * nothing else in the folder is touched. */
static void
drop_old_dictionaries (const Compare *compare)
{
  g_autofree char *path =
    g_build_filename (compare->folder, "results.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root, *list;

  if (!json_parser_load_from_file (parser, path, NULL))
    return;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return;
  list = json_object_get_member (json_node_get_object (root), "contenders");
  if (list != NULL && JSON_NODE_HOLDS_ARRAY (list))
    json_array_foreach_element (json_node_get_array (list), drop_old,
                                (gpointer) compare);
}

static gboolean
write_runs (const Compare *compare, const Contender *contender, GError **error)
{
  for (guint s = 0; s < contender->run_count; s++) {
    const Dictionary *dictionary = contender->runs[s].dictionary;
    g_autofree char *name = compare_dictionary_file (compare, contender, s);
    GBytes *file;

    if (dictionary == NULL)
      continue;
    file = dictionary_to_safetensors (dictionary, error);
    if (file == NULL || !write_file (compare, name, file, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_dictionaries (const Compare *compare, GError **error)
{
  for (guint i = 0; i < compare->contenders->len; i++)
    if (!write_runs (compare, compare_contender (compare, i), error))
      return FALSE;
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
  drop_old_dictionaries (compare);
  return write_table (compare, "results.csv", compare_scores_table (compare),
                      error)
         && write_table (compare, "curves.csv", compare_curves_table (compare),
                         error)
         && write_json (compare, error)
         && write_file (compare, "table.tex", to_tex (compare), error)
         && write_plots (compare, error) && write_dictionaries (compare, error)
         && write_file (compare, "index.html",
                        compare_to_page (compare, error), error);
}
