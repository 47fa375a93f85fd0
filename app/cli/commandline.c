#include "app/cli/commandline.h"

#include "app/system/blasguard.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "app/cli/parser.h"
#include "app/cli/terminal.h"
#include "app/version.h"
#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

#define MAX_THREADS 1024

void
command_line_init (CommandLine *line)
{
  *line =
    (CommandLine){ .options = g_array_new (FALSE, FALSE, sizeof (Option)),
                   .limits = IMAGE_LIMITS_DEFAULTS };
}

void
command_line_clear (CommandLine *line)
{
  g_clear_pointer (&line->options, g_array_unref);
  g_clear_pointer (&line->arguments, g_strfreev);
}

void
command_line_add (CommandLine *line, const Option *rows, gsize count)
{
  g_array_append_vals (line->options, rows, (guint) count);
}

/* ---- common options ---- */

static void
add_limits (CommandLine *line)
{
  ImageLimits *limits = &line->limits;
  const Option rows[] = {
    { "max-pixels", 0, "N", "largest picture to read (200M)", option_size,
      .value = &limits->max_pixels, .min = 1, .max = (double) G_MAXSSIZE },
    { "max-side", 0, "N", "largest width and height to read (65500)",
      option_int, .value = &limits->max_side, .min = 1, .max = G_MAXINT },
    { "max-scans", 0, "N", "largest number of JPEG scans (100)", option_int,
      .value = &limits->max_scans, .min = 1, .max = G_MAXINT },
    { "max-metadata", 0, "BYTES", "largest size of EXIF and profiles (64M)",
      option_size, .value = &limits->max_metadata, .min = 0,
      .max = (double) G_MAXSSIZE },
    { "lenient", 0, NULL, "use the readable part of a broken picture",
      option_flag, .value = &limits->lenient },
  };

  command_line_add (line, rows, G_N_ELEMENTS (rows));
}

static void
add_common (CommandLine *line)
{
  const Option dictionary[] = {
    { "dict", 0, "FILE", "dictionary to use, 'builtin' or 'learned'",
      option_file, .value = &line->dictionary, .role = INPUT_FILE },
  };
  const Option seed[] = {
    { "seed", 0, "N", "seed of the random numbers (0)", option_seed,
      .value = &line->seed },
  };
  const Option force[] = {
    { "force", 'f', NULL, "replace existing files", option_flag,
      .value = &line->force },
  };
  const Option always[] = {
    { "threads", 0, "N", "number of threads (one per core)", option_int,
      .value = &line->threads, .min = 0, .max = MAX_THREADS },
    { "json", 0, NULL, "print the result as JSON", option_flag,
      .value = &line->json },
    { "quiet", 'q', NULL, "print errors only", option_flag,
      .value = &line->quiet },
    { "verbose", 'v', NULL, "print more details", option_flag,
      .value = &line->verbose },
    { "version", 0, NULL, "show the version and exit", option_flag,
      .value = &line->version },
    { "help", 'h', NULL, "show this help and exit", option_flag,
      .value = &line->help },
  };

  if (line->common & COMMON_DICTIONARY)
    command_line_add (line, dictionary, G_N_ELEMENTS (dictionary));
  if (line->common & COMMON_SEED)
    command_line_add (line, seed, G_N_ELEMENTS (seed));
  if (line->common & COMMON_OUTPUT)
    command_line_add (line, force, G_N_ELEMENTS (force));
  if (line->common & COMMON_LIMITS)
    add_limits (line);
  command_line_add (line, always, G_N_ELEMENTS (always));
}

/* ---- after parsing ---- */

static gboolean
answer (CommandLine *line, const Parser *parser, GError **error)
{
  g_autofree char *help = NULL;

  line->answered = TRUE;
  if (line->version)
    return version_show (error);
  help = parser_help (parser);
  return stdout_write (help, strlen (help), error);
}

static gboolean
check_arguments (const CommandLine *line, GError **error)
{
  int count =
    line->arguments != NULL ? (int) g_strv_length (line->arguments) : 0;

  if (count >= line->min_arguments && count <= line->max_arguments)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "%s: usage is \"%s %s\"; add --help for more",
               count < line->min_arguments ? "a file name is missing"
                                           : "too many file names",
               g_get_prgname (), line->usage);
  return FALSE;
}

static int
count_dashes (const GPtrArray *paths)
{
  int count = 0;

  for (guint i = 0; i < paths->len; i++)
    count += is_dash (paths->pdata[i]);
  return count;
}

/* Standard input and output can be used only once. */
static gboolean
check_standard_streams (const CommandLine *line, const GPtrArray *inputs,
                        const GPtrArray *outputs, GError **error)
{
  const char *message = NULL;

  if (count_dashes (inputs) > 1)
    message = "standard input can be only one of the inputs";
  else if (count_dashes (outputs) > 0 && line->json)
    message = "--json and an output of '-' both need standard output; name a "
              "file instead of '-'";
  if (message != NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE, message);
  return message == NULL;
}

static gboolean
set_missing (const Option *option, GError **error)
{
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "-%c %s is missing: %s", option->short_name, option->value_name,
               option->help);
  return FALSE;
}

static gboolean
check_files (const CommandLine *line, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();

  for (char **path = line->arguments; path != NULL && *path != NULL; path++)
    g_ptr_array_add (inputs, *path);
  for (guint i = 0; i < line->options->len; i++) {
    const Option *option = &g_array_index (line->options, Option, i);
    char *path = option->role != NO_FILE ? *(char **) option->value : NULL;

    if (path != NULL)
      g_ptr_array_add (option->role == INPUT_FILE ? inputs : outputs, path);
    else if (option->required)
      return set_missing (option, error);
  }
  if (!check_standard_streams (line, inputs, outputs, error)
      || !output_check_distinct (inputs, outputs, error))
    return FALSE;
  for (guint i = 0; i < outputs->len; i++)
    if (!output_check (outputs->pdata[i], line->force, error))
      return FALSE;
  return TRUE;
}

gboolean
command_line_parse (CommandLine *line, char **argv, GError **error)
{
  Parser parser = { line->usage, line->about, line->options };
  g_autofree char *program = g_strconcat ("tessera ", argv[0], NULL);

  g_set_prgname (program);
  add_common (line);
  if (!parser_run (&parser, argv, &line->arguments, error))
    return FALSE;
  if (line->help || line->version)
    return answer (line, &parser, error);
  terminal_init (line->quiet, line->verbose);
  if (!check_arguments (line, error) || !check_files (line, error)
      || !blas_guard_prepare (&line->threads, error))
    return FALSE;
  parallel_init (line->threads);
  terminal_detail ("threads: %d, %s", parallel_threads (),
                   parallel_blas_name ());
  return TRUE;
}
