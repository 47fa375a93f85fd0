/* report.c - the files of the report
 *
 *     index.html        the page (page.c)
 *     results.json      everything; its schema is docs/results.schema.json
 *     results.csv       a line for each picture, damage and method
 *     curves.csv        how good dictionaries were while they were learned
 *     table.tex         the summary, to be read into a document
 *     NAME.safetensors  the dictionaries that were learned
 */
#include "app/compare/compare.h"

#include "app/cli/terminal.h"

#include "app/files/output.h"
#include "app/chart/plot.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

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

    if (!contender_has_curve (contender))
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

/* Whether this report has a dictionary of that name. */
static gboolean
has_dictionary (const Compare *compare, const char *file)
{
  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);
    g_autofree char *name = contender_file (contender);

    if (contender->dictionary != NULL && g_str_equal (name, file))
      return TRUE;
  }
  return FALSE;
}

static void
drop_old (JsonArray *array, guint i, JsonNode *node, gpointer data)
{
  const Compare *compare = data;
  JsonObject *contender =
    JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *file =
    contender != NULL
      ? json_object_get_string_member_with_default (contender, "file", NULL)
      : NULL;
  g_autofree char *path = NULL;

  (void) array;
  (void) i;
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
write_dictionaries (const Compare *compare, GError **error)
{
  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);
    g_autofree char *name = contender_file (contender);

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
