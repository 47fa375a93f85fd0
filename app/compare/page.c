/* page.c - the page of the report: one file that needs nothing else
 *
 * report/report.html is a template in which marks of the form @NAME@ are
 * replaced by style, scripts, data and curves.  The data is JSON inside a
 * script element that is never run; since "<" is written as \u003c there, no
 * name of a file can end it.
 */
#include "app/compare/compare.h"

#include "app/cli/jsonreport.h"
#include "base/embedded.h"
#include "base/student.h"
#include "imaging/codec/codec.h"
#include "imaging/mosaic.h"

#include <string.h>

#define MOSAIC_ZOOM 2

/* Intervals of the page are for a reference that its reader chooses. */
#define CONFIDENCE 0.95

/* From report.gresource.xml. */
extern GResource *report_get_resource (void);

/* ---- data ---- */

static char *
data_uri (GBytes *png)
{
  gsize size;
  const guchar *bytes = g_bytes_get_data (png, &size);
  g_autofree char *code = g_base64_encode (bytes, size);

  return g_strconcat ("data:image/png;base64,", code, NULL);
}

static JsonArray *
methods_to_json (const Compare *compare)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < compare->methods->len; i++) {
    JsonObject *json = json_object_new ();

    json_report_set_text (json, "method", compare_method_name (compare, i));
    json_report_set_text (
      json, "protocol", protocol_names[compare_method (compare, i)->protocol]);
    json_array_add_object_element (array, json);
  }
  return array;
}

static void
set_method (JsonObject *json, const Compare *compare, const Shown *shown)
{
  if (shown->method < 0) {
    json_report_set_text (
      json, "method", shown->method == SHOWN_CLEAN ? "original" : "damaged");
    json_report_set_text (json, "protocol", NULL);
    return;
  }
  json_report_set_text (json, "method",
                        compare_method_name (compare, (guint) shown->method));
  json_report_set_text (
    json, "protocol",
    protocol_names[compare_method (compare, (guint) shown->method)->protocol]);
}

static JsonArray *
shown_to_json (const Compare *compare)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < compare->shown->len; i++) {
    const Shown *shown = &g_array_index (compare->shown, Shown, i);
    g_autofree char *uri = data_uri (shown->png);
    JsonObject *json = json_object_new ();

    json_report_set_text (json, "picture",
                          compare->names->pdata[shown->picture]);
    json_report_set_text (json, "damage",
                          compare_damage (compare, shown->damage)->name);
    set_method (json, compare, shown);
    json_report_set_number (json, "psnr", shown->psnr);
    json_report_set_number (json, "ssim", shown->ssim);
    json_report_set_text (json, "src", uri);
    json_array_add_object_element (array, json);
  }
  return array;
}

static JsonObject *
mosaic_to_json (const Contender *contender, GError **error)
{
  g_autoptr (Image) mosaic =
    dictionary_mosaic (contender->runs[0].dictionary, MOSAIC_ZOOM, error);
  g_autoptr (GBytes) png = NULL;
  g_autofree char *uri = NULL;
  JsonObject *json;

  if (mosaic != NULL)
    png = image_encode (mosaic, TESSERA_PNG, &ENCODE_DEFAULTS, error);
  if (png == NULL)
    return NULL;
  uri = data_uri (png);
  json = json_object_new ();
  json_report_set_text (json, "name", contender->name);
  json_report_set_count (json, "width", (guint64) mosaic->width);
  json_report_set_count (json, "height", (guint64) mosaic->height);
  json_report_set_text (json, "src", uri);
  return json;
}

static JsonArray *
mosaics_to_json (const Compare *compare, GError **error)
{
  g_autoptr (JsonArray) array = json_array_new ();

  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);
    JsonObject *json;

    if (contender->runs[0].dictionary == NULL)
      continue;
    json = mosaic_to_json (contender, error);
    if (json == NULL)
      return NULL;
    json_array_add_object_element (array, json);
  }
  return g_steal_pointer (&array);
}

/* Student's bounds for 1, 2, ... degrees of freedom, so that the page can
 * compare with any reference. */
static JsonArray *
bounds_to_json (const Compare *compare)
{
  JsonArray *array = json_array_new ();

  for (guint freedom = 1;
       freedom < compare->testing->len * compare->seeds->len; freedom++)
    json_array_add_double_element (
      array, student_quantile ((int) freedom, CONFIDENCE));
  return array;
}

static char *
page_data (const Compare *compare, GError **error)
{
  JsonArray *mosaics = mosaics_to_json (compare, error);
  g_autoptr (JsonObject) json = NULL;

  if (mosaics == NULL)
    return NULL;
  json = compare_to_json (compare);
  json_object_set_array_member (json, "methods", methods_to_json (compare));
  json_object_set_array_member (json, "shown", shown_to_json (compare));
  json_object_set_array_member (json, "mosaics", mosaics);
  json_object_set_array_member (json, "bounds", bounds_to_json (compare));
  return json_report_to_line (json);
}

/* ---- the page ---- */

typedef struct {
  const Compare *compare;
  const char *data; /* JSON */
  GString *page;
} Page;

/* A file of the template, which ends with a zero byte beyond its size. */
static GBytes *
template_file (const char *path)
{
  return embedded_file (report_get_resource, path);
}

static void
put_file (Page *page, const char *path)
{
  g_autoptr (GBytes) bytes = template_file (path);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);

  g_string_append_len (page->page, text, (gssize) size);
}

static void
put_style (Page *page)
{
  put_file (page, "/tessera/report/report.css");
}

/* Each of them uses those before it. */
static const char *const scripts[] = {
  "/tessera/report/elements.js", "/tessera/report/statistics.js",
  "/tessera/report/summary.js",  "/tessera/report/pictures.js",
  "/tessera/report/scores.js",   "/tessera/report/run.js",
  "/tessera/report/start.js",
};

static void
put_scripts (Page *page)
{
  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    put_file (page, scripts[i]);
}

/* Outside of texts, JSON has no "<". */
static void
put_data (Page *page)
{
  const char *rest = page->data;

  while (*rest != '\0') {
    gsize plain = strcspn (rest, "<");

    g_string_append_len (page->page, rest, (gssize) plain);
    rest += plain;
    if (*rest == '<') {
      g_string_append (page->page, "\\u003c");
      rest++;
    }
  }
}

static void
put_curves (Page *page)
{
  for (Protocol p = 0; compare_lays (page->compare, p); p++)
    for (int by_time = 1; by_time >= 0; by_time--) {
      g_autoptr (GBytes) svg = compare_plot (page->compare, p, by_time);
      gsize size;
      const char *text = g_bytes_get_data (svg, &size);

      g_string_append_printf (
        page->page, "<figure data-protocol=\"%s\" data-axis=\"%s\">\n",
        protocol_names[p], by_time ? "time" : "iterations");
      g_string_append_len (page->page, text, (gssize) size);
      g_string_append (page->page, "</figure>\n");
    }
}

static const struct {
  const char *mark;
  void (*put) (Page *page);
} marks[] = { { "@STYLE@", put_style },
              { "@CURVES@", put_curves },
              { "@DATA@", put_data },
              { "@SCRIPTS@", put_scripts } };

/* The marks occur in the template in the order of the table. */
GBytes *
compare_to_page (const Compare *compare, GError **error)
{
  g_autofree char *data = page_data (compare, error);
  g_autoptr (GBytes) html = template_file ("/tessera/report/report.html");
  const char *rest = g_bytes_get_data (html, NULL);
  Page page = { compare, data, NULL };

  if (data == NULL)
    return NULL;
  page.page = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++) {
    const char *place = strstr (rest, marks[i].mark);

    g_return_val_if_fail (place != NULL, NULL);
    g_string_append_len (page.page, rest, place - rest);
    marks[i].put (&page);
    rest = place + strlen (marks[i].mark);
  }
  g_string_append (page.page, rest);
  return g_string_free_to_bytes (page.page);
}
