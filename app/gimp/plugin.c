/* plugin.c - Filters > Tessera, a plug-in for GIMP 2.10
 *
 * Each filter is a procedure with the arguments run-mode, image, drawable and
 * its settings.  GIMP ends the process when the user cancels; the layer
 * changes in one step at the end, so that it is then as it was.
 */
#include "app/gimp/dialog.h"
#include "app/gimp/filter.h"
#include "app/gimp/layer.h"
#include "app/gimp/selection.h"

#include <string.h>

#define COMMON_ARGUMENTS 3

static const Filter *const filters[] = { &filter_heal, &filter_find,
                                         &filter_denoise, NULL };

/* ---- what GIMP is told ---- */

static void
install (const Filter *filter)
{
  GimpParamDef arguments[COMMON_ARGUMENTS + MAX_SETTINGS] = {
    { GIMP_PDB_INT32, (char *) "run-mode",
      (char
         *) "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1) }" },
    { GIMP_PDB_IMAGE, (char *) "image", (char *) "The image" },
    { GIMP_PDB_DRAWABLE, (char *) "drawable", (char *) "The layer" },
  };

  for (int i = 0; i < filter->setting_count; i++)
    arguments[COMMON_ARGUMENTS + i] = setting_argument (&filter->settings[i]);
  gimp_install_procedure (
    filter->procedure, filter->blurb, filter->help, "The Tessera authors",
    "The Tessera authors", "2026", filter->label, "RGB*, GRAY*", GIMP_PLUGIN,
    COMMON_ARGUMENTS + filter->setting_count, 0, arguments, NULL);
  for (int i = 0; i < filter->setting_count; i++)
    g_free (arguments[COMMON_ARGUMENTS + i].description);
  gimp_plugin_menu_register (filter->procedure, "<Image>/Filters/Tessera");
}

static void
query (void)
{
  for (int i = 0; filters[i] != NULL; i++)
    install (filters[i]);
}

static const Filter *
find_filter (const char *procedure)
{
  for (int i = 0; filters[i] != NULL; i++)
    if (g_str_equal (filters[i]->procedure, procedure))
      return filters[i];
  return NULL;
}

/* ---- the work ---- */

/* Steps of the progress bar that can be seen. */
#define STEP 0.01

static gboolean
show_progress (double done, void *data)
{
  double *shown = data;

  if (done >= *shown + STEP) {
    gimp_progress_update (done);
    *shown = done;
  }
  return TRUE;
}

static gboolean
is_whole (const Job *job, const GeglRectangle *bounds)
{
  return gegl_rectangle_equal (&job->part, bounds);
}

/* What is left to be done with the pixels that were found. */
static gboolean
select_missing (const Filter *filter, const Job *job,
                const TesseraImage *image, gboolean *is_done, GError **error)
{
  TesseraMask *mask = filter->missing (job, image, error);
  gboolean ok;

  if (mask == NULL)
    return FALSE;
  *is_done = tessera_mask_count (mask) > 0;
  ok = selection_combine (job->drawable, mask, filter->operation (job->values),
                          error);
  tessera_mask_free (mask);
  return ok;
}

static gboolean
restore (const Filter *filter, Job *job, TesseraImage *image,
         const GeglRectangle *bounds, TesseraRestoreReport *report,
         GError **error)
{
  /* What is selected is filled as if all were; of noise, only the part is
   * worked on. */
  if (!filter->needs_selection && !is_whole (job, bounds))
    job->area =
      (TesseraArea){ bounds->x, bounds->y, bounds->width, bounds->height };
  return filter_restore (filter, job, image, report, error)
         && ((report->filled_pixels == 0 && report->sigma <= 0)
             || layer_write (job->drawable, image, bounds, error));
}

static gboolean
work (const Filter *filter, Job *job, const GeglRectangle *bounds,
      GError **error)
{
  TesseraRestoreReport report = { .size = sizeof report };
  TesseraImage *image = layer_read (job->drawable, &job->part, error);
  gboolean is_done = FALSE;
  gboolean ok = image != NULL;

  if (ok && filter->choose == NULL)
    ok = select_missing (filter, job, image, &is_done, error);
  else if (ok) {
    ok = restore (filter, job, image, bounds, &report, error);
    is_done = report.filled_pixels > 0 || report.sigma > 0;
  }
  tessera_image_free (image);
  if (ok && !is_done)
    gimp_message (filter->nothing_done (&report));
  return ok;
}

/* ---- a call ---- */

/* The values that the run mode asks for.  FALSE with @error set, or without
 * when the user has cancelled. */
static gboolean
choose_values (const Filter *filter, int count, const GimpParam *arguments,
               TesseraContext *context, Values *values, GError **error)
{
  const Setting *settings = filter->settings;

  settings_start (settings, filter->setting_count, values);
  if (arguments[0].data.d_int32 == GIMP_RUN_NONINTERACTIVE) {
    if (count == COMMON_ARGUMENTS + filter->setting_count)
      return settings_from_arguments (settings, filter->setting_count,
                                      arguments + COMMON_ARGUMENTS, values,
                                      error);
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "%s has %d arguments, not %d", filter->procedure,
                 COMMON_ARGUMENTS + filter->setting_count, count);
    return FALSE;
  }
  if (gimp_get_data_size (filter->procedure) == sizeof *values)
    gimp_get_data (filter->procedure, values);
  return arguments[0].data.d_int32 != GIMP_RUN_INTERACTIVE
         || dialog_run (filter, arguments[2].data.d_drawable, context, values);
}

/* As many threads as GIMP may use. */
static TesseraContext *
context_new (void)
{
  int threads = 0;

  g_object_get (gegl_config (), "threads", &threads, NULL);
  return tessera_context_new (MAX (threads, 0));
}

static gboolean
call (const Filter *filter, int count, const GimpParam *arguments,
      TesseraContext *context, GError **error)
{
  double shown = 0;
  GeglRectangle bounds;
  Values values;
  Job job = { .drawable = arguments[2].data.d_drawable,
              .values = &values,
              .context = context,
              .progress = show_progress,
              .progress_data = &shown };

  if (!layer_check (job.drawable, filter->choose != NULL, error)
      || (filter->choose != NULL
          && !selection_bounds (job.drawable, filter->needs_selection, &bounds,
                                error))
      || !choose_values (filter, count, arguments, context, &values, error))
    return FALSE;
  job.part = layer_extent (job.drawable);
  gimp_progress_init (filter->title);
  if (!work (filter, &job, &bounds, error))
    return FALSE;
  gimp_progress_end ();
  gimp_set_data (filter->procedure, &values, sizeof values);
  if (arguments[0].data.d_int32 != GIMP_RUN_NONINTERACTIVE)
    gimp_displays_flush ();
  return TRUE;
}

static void
run (const gchar *name, gint count, const GimpParam *arguments,
     gint *result_count, GimpParam **results)
{
  static GimpParam values[2];
  static char *message;
  const Filter *filter = find_filter (name);
  GError *error = NULL;
  TesseraContext *context;

  *results = values;
  *result_count = 1;
  values[0].type = GIMP_PDB_STATUS;
  values[0].data.d_status = GIMP_PDB_CALLING_ERROR;
  if (filter == NULL || count < COMMON_ARGUMENTS)
    return;
  gegl_init (NULL, NULL);
  context = context_new ();
  if (call (filter, count, arguments, context, &error))
    values[0].data.d_status = GIMP_PDB_SUCCESS;
  else if (error == NULL)
    values[0].data.d_status = GIMP_PDB_CANCEL;
  else {
    message = g_strdup (error->message);
    message[0] = g_ascii_toupper (message[0]);
    g_error_free (error);
    values[0].data.d_status = GIMP_PDB_EXECUTION_ERROR;
    values[1].type = GIMP_PDB_STRING;
    values[1].data.d_string = message;
    *result_count = 2;
  }
  tessera_context_free (context);
}

const GimpPlugInInfo PLUG_IN_INFO = { NULL, NULL, query, run };

MAIN ()
