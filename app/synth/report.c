#include "app/synth/report.h"

#include "app/files/output.h"
#include "app/cli/terminal.h"

/* One of the two is NULL. */
typedef struct {
  char *name;
  Table *table;
  Plot *plot;
} File;

struct SynthReport {
  GArray *files; /* File */
  Table *summary;
};

static void
clear_file (gpointer data)
{
  File *file = data;

  g_free (file->name);
  table_free (file->table);
  plot_free (file->plot);
}

SynthReport *
synth_report_new (void)
{
  SynthReport *self = g_new0 (SynthReport, 1);

  self->files = g_array_new (FALSE, FALSE, sizeof (File));
  g_array_set_clear_func (self->files, clear_file);
  return self;
}

void
synth_report_free (SynthReport *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->files);
  table_free (self->summary);
  g_free (self);
}

void
synth_report_add_table (SynthReport *self, const char *name, Table *table)
{
  File file = { g_strconcat (name, ".csv", NULL), table, NULL };

  g_array_append_val (self->files, file);
}

void
synth_report_add_plot (SynthReport *self, const char *name, Plot *plot)
{
  File file = { g_strconcat (name, ".svg", NULL), NULL, plot };

  g_array_append_val (self->files, file);
}

void
synth_report_set_summary (SynthReport *self, Table *table)
{
  table_free (self->summary);
  self->summary = table;
}

static const File *
file_at (const SynthReport *self, guint i)
{
  return &g_array_index (self->files, File, i);
}

gboolean
synth_report_write (const SynthReport *self, const char *folder,
                    gboolean force, GError **error)
{
  for (guint i = 0; i < self->files->len; i++) {
    const File *file = file_at (self, i);
    g_autofree char *path = g_build_filename (folder, file->name, NULL);
    g_autoptr (GBytes) content = file->table != NULL
                                   ? table_to_csv (file->table)
                                   : plot_to_svg (file->plot);

    if (!output_write (path, content, force, error))
      return FALSE;
  }
  return TRUE;
}

void
synth_report_print (const SynthReport *self, const char *folder)
{
  g_autofree char *text = table_to_text (self->summary);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) names = g_string_new (NULL);

  for (int i = 0; lines[i] != NULL; i++)
    terminal_result ("%s", lines[i]);
  for (guint i = 0; i < self->files->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                            file_at (self, i)->name);
  terminal_result ("-> %s: %s", folder, names->str);
}

void
synth_report_to_json (const SynthReport *self, const char *folder,
                      JsonObject *json)
{
  JsonArray *files = json_array_new ();

  for (guint i = 0; i < self->files->len; i++) {
    g_autofree char *path =
      g_build_filename (folder, file_at (self, i)->name, NULL);

    json_array_add_string_element (files, path);
  }
  json_object_set_array_member (json, "files", files);
  json_object_set_array_member (json, "results",
                                table_to_json (self->summary));
}
