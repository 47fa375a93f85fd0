#include "app/system/machine.h"

#include "app/cli/jsonreport.h"
#include "base/parallel.h"

#include <string.h>
#include <sys/utsname.h>

/* What Linux calls the processor, or NULL. */
static char *
processor_name (void)
{
  g_autofree char *text = NULL;
  char *line;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return NULL;
  line = strstr (text, "model name");
  if (line == NULL || (line = strchr (line, ':')) == NULL)
    return NULL;
  line[strcspn (line, "\n")] = '\0';
  return g_strstrip (g_strdup (line + 1));
}

static char *
system_name (void)
{
  struct utsname name;

  if (uname (&name) != 0)
    return NULL;
  return g_strdup_printf ("%s %s %s", name.sysname, name.release,
                          name.machine);
}

JsonObject *
machine_to_json (void)
{
  JsonObject *json = json_object_new ();
  g_autofree char *processor = processor_name ();
  g_autofree char *system = system_name ();

  json_report_set_text (json, "version", TESSERA_VERSION);
  json_report_set_text (json, "system", system);
  json_report_set_text (json, "processor", processor);
  json_report_set_count (json, "cores", g_get_num_processors ());
  json_report_set_count (json, "threads", (guint64) parallel_threads ());
  json_report_set_text (json, "blas", parallel_blas_name ());
  return json;
}
