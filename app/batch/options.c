#include "app/batch/options.h"

#include "base/error.h"

#include <string.h>

/* A part of a file name into a const char *. */
static gboolean
option_suffix (const Option *option, const char *text, GError **error)
{
  if (*text == '\0' || strchr (text, G_DIR_SEPARATOR) != NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "must be a part of a file name, as in -clean");
  *(const char **) option->value = g_intern_string (text);
  return TRUE;
}

/* An ending that names a format, with or without its dot. */
static gboolean
option_ending (const Option *option, const char *text, GError **error)
{
  const char *ending = text + (*text == '.');
  g_autofree char *path = g_strconcat ("x.", ending, NULL);
  TesseraFormat format;

  if (strchr (ending, '.') != NULL || !image_format_from_path (path, &format))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "there is no such format; there are %s",
                         image_format_list ());
  *(const char **) option->value = g_intern_string (ending);
  return TRUE;
}

void
batch_add_options (CommandLine *line, BatchOptions *options)
{
  const char *format_help = options->format != NULL
                              ? "format of results in a folder (png)"
                              : "format of results in a folder (as the input)";
  const Option rows[] = {
    { "recursive", 'r', NULL, "include subfolders", option_flag,
      .value = &options->recursive, .keeps_result = TRUE },
    { "suffix", 0, "TEXT", "add this to the names of results in a folder",
      option_suffix, .value = &options->suffix, .keeps_result = TRUE },
    { "format", 0, "NAME", format_help, option_ending,
      .value = &options->format, .keeps_result = TRUE },
    { "skip-existing", 0, NULL, "keep every result that already exists",
      option_flag, .value = &options->skip_existing, .keeps_result = TRUE },
    { "strict", 0, NULL, "fail if a file in a folder is left out", option_flag,
      .value = &options->strict, .keeps_result = TRUE },
    { "jobs", 'j', "N", "pictures to work on at a time (one per thread)",
      option_int, .value = &options->jobs, .min = 1, .max = 1024,
      .keeps_result = TRUE },
  };

  command_line_add (line, rows, G_N_ELEMENTS (rows));
}
