#include "app/serve/learnjob.h"

#include "app/files/dictionaryfile.h"
#include "app/cli/jsonreport.h"

typedef struct {
  Studio *studio;
  GPtrArray *arguments; /* char *, NULL at the end */
  char *output;         /* file or folder that the command makes */
  Shelf *shelf;         /* for what was learned; NULL for a comparison */
  char *name;

  /* The result. */
  int dictionary;
  char *report;
} Study;

static Study *
study_new (Studio *studio, const char *ending)
{
  Study *study = g_new0 (Study, 1);

  study->studio = studio;
  study->arguments = g_ptr_array_new_with_free_func (g_free);
  study->output = studio_new_path (studio, ending);
  return study;
}

static void
study_free (gpointer data)
{
  Study *study = data;

  g_ptr_array_unref (study->arguments);
  g_free (study->output);
  g_free (study->name);
  g_free (study->report);
  g_free (study);
}

static void
add (Study *study, const char *argument)
{
  g_ptr_array_add (study->arguments, g_strdup (argument));
}

/* "--time-limit SECONDS -o OUTPUT", and that nothing follows. */
static void
add_end (Study *study, int seconds)
{
  add (study, "--time-limit");
  g_ptr_array_add (study->arguments, g_strdup_printf ("%d", seconds));
  add (study, "-o");
  add (study, study->output);
  g_ptr_array_add (study->arguments, NULL);
}

gpointer
study_new_learning (Studio *studio, Shelf *shelf, const char *name,
                    const char *algorithm, int seconds)
{
  Study *study = study_new (studio, ".safetensors");

  study->shelf = shelf;
  study->name = g_strdup (name);
  add (study, "learn");
  add (study, studio_pictures (studio));
  add (study, "--algorithm");
  add (study, algorithm);
  add_end (study, seconds);
  return study;
}

gpointer
study_new_comparison (Studio *studio, const char *folder, int seconds)
{
  Study *study = study_new (studio, "");

  add (study, "compare");
  add (study, folder);
  add_end (study, seconds);
  return study;
}

static gboolean
put_on_shelf (Study *study, GError **error)
{
  Dictionary *dictionary = atoms_load (study->output, error);

  if (dictionary == NULL)
    return FALSE;
  study->dictionary = shelf_add (study->shelf, study->name, dictionary, error);
  return study->dictionary >= 0;
}

static gboolean
run (gpointer data, const Progress *progress, GError **error)
{
  Study *study = data;

  if (!studio_run ((const char *const *) study->arguments->pdata, progress,
                   error))
    return FALSE;
  if (study->shelf != NULL)
    return put_on_shelf (study, error);
  study->report = studio_publish (study->studio, study->output);
  return TRUE;
}

static void
describe (gpointer data, JsonObject *json)
{
  Study *study = data;

  if (study->shelf != NULL)
    report_set_count (json, "dictionary", (guint64) study->dictionary);
  else
    report_set_text (json, "report", study->report);
}

const JobClass study_class = { run, describe, study_free };
