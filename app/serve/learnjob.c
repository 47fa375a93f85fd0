#include "app/serve/learnjob.h"

#include "app/files/dictionaryfile.h"
#include "app/cli/jsonreport.h"

typedef struct {
  WorkFolder *folder;
  GPtrArray *arguments; /* char *, NULL at the end */
  char *output;         /* file or folder that the command makes */
  DictionaryList
    *dictionaries; /* for what was learned; NULL for a comparison */
  char *name;
  GMutex lock; /* for stage */
  char *stage; /* NULL before the first one */

  /* The result. */
  int dictionary;
  char *report;
} LearnJob;

static LearnJob *
learn_job_new (WorkFolder *folder, const char *ending)
{
  LearnJob *job = g_new0 (LearnJob, 1);

  job->folder = folder;
  g_mutex_init (&job->lock);
  job->arguments = g_ptr_array_new_with_free_func (g_free);
  job->output = work_folder_new_path (folder, ending);
  return job;
}

static void
learn_job_free (gpointer data)
{
  LearnJob *job = data;

  g_ptr_array_unref (job->arguments);
  g_free (job->output);
  g_free (job->name);
  g_free (job->stage);
  g_mutex_clear (&job->lock);
  g_free (job->report);
  g_free (job);
}

static void
add (LearnJob *job, const char *argument)
{
  g_ptr_array_add (job->arguments, g_strdup (argument));
}

/* "--time-limit SECONDS -o OUTPUT", and that nothing follows. */
static void
add_end (LearnJob *job, int seconds)
{
  add (job, "--time-limit");
  g_ptr_array_add (job->arguments, g_strdup_printf ("%d", seconds));
  add (job, "-o");
  add (job, job->output);
  g_ptr_array_add (job->arguments, NULL);
}

gpointer
learn_job_new_learning (WorkFolder *folder, DictionaryList *dictionaries,
                        const char *name, const char *algorithm, int seconds)
{
  LearnJob *job = learn_job_new (folder, ".safetensors");

  job->dictionaries = dictionaries;
  job->name = g_strdup (name);
  add (job, "learn");
  add (job, work_folder_pictures (folder));
  add (job, "--algorithm");
  add (job, algorithm);
  add_end (job, seconds);
  return job;
}

gpointer
learn_job_new_comparison (WorkFolder *folder, const char *pictures,
                          int seconds)
{
  LearnJob *job = learn_job_new (folder, "");

  add (job, "compare");
  add (job, pictures);
  add_end (job, seconds);
  return job;
}

static gboolean
list_dictionary (LearnJob *job, GError **error)
{
  Dictionary *dictionary = dictionary_file_load (job->output, error);

  if (dictionary == NULL)
    return FALSE;
  job->dictionary =
    dictionary_list_add (job->dictionaries, job->name, dictionary, error);
  return job->dictionary >= 0;
}

static void
set_stage (const char *stage, gpointer data)
{
  LearnJob *job = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&job->lock);

  g_free (job->stage);
  job->stage = g_strdup (stage);
}

static char *
get_stage (gpointer data)
{
  LearnJob *job = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&job->lock);

  return g_strdup (job->stage);
}

static gboolean
run (gpointer data, const Progress *progress, GError **error)
{
  LearnJob *job = data;
  WorkWatch watch = { progress, set_stage, job };

  if (!work_folder_run ((const char *const *) job->arguments->pdata, &watch,
                        error))
    return FALSE;
  if (job->dictionaries != NULL)
    return list_dictionary (job, error);
  job->report = work_folder_publish (job->folder, job->output);
  return TRUE;
}

static void
describe (gpointer data, JsonObject *json)
{
  LearnJob *job = data;

  if (job->dictionaries != NULL)
    json_report_set_count (json, "dictionary", (guint64) job->dictionary);
  else
    json_report_set_text (json, "report", job->report);
}

const JobClass learn_job_class = {
  .run = run, .describe = describe, .free = learn_job_free, .stage = get_stage
};
