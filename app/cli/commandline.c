#include "app/cli/commandline.h"

#include "app/system/blasguard.h"
#include "app/files/dictionaryfile.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "app/cli/parser.h"
#include "app/cli/terminal.h"
#include "app/version.h"
#include "base/error.h"
#include "base/parallel.h"

#include <string.h>
#include <sys/stat.h>

#define MAX_THREADS 1024

void
command_line_init (CommandLine *line)
{
  *line =
    (CommandLine){ .options = g_array_new (FALSE, FALSE, sizeof (Option)),
                   .given = g_hash_table_new_full (g_str_hash, g_str_equal,
                                                   g_free, g_free),
                   .limits = IMAGE_LIMITS_DEFAULTS };
}

void
command_line_clear (CommandLine *line)
{
  g_clear_pointer (&line->options, g_array_unref);
  g_clear_pointer (&line->arguments, g_strfreev);
  g_clear_pointer (&line->given, g_hash_table_unref);
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
      .value = &limits->max_pixels, .min = 1, .max = (double) G_MAXSSIZE,
      .keeps_result = TRUE },
    { "max-side", 0, "N", "largest width and height to read (65500)",
      option_int, .value = &limits->max_side, .min = 1, .max = G_MAXINT,
      .keeps_result = TRUE },
    { "max-scans", 0, "N", "largest number of JPEG scans (100)", option_int,
      .value = &limits->max_scans, .min = 1, .max = G_MAXINT,
      .keeps_result = TRUE },
    { "max-metadata", 0, "BYTES", "largest size of EXIF and profiles (64M)",
      option_size, .value = &limits->max_metadata, .min = 0,
      .max = (double) G_MAXSSIZE, .keeps_result = TRUE },
    { "lenient", 0, NULL, "use the readable part of a broken picture",
      option_flag, .value = &limits->lenient },
  };

  command_line_add (line, rows, G_N_ELEMENTS (rows));
}

static void
add_common (CommandLine *line)
{
  const Option dictionary[] = {
    { "dict", 0, "FILE", "a file, cosines, learned, noise or convolutional",
      option_file, .value = &line->dictionary,
      .choices = dictionary_file_names, .role = INPUT_FILE },
  };
  const Option seed[] = {
    { "seed", 0, "N", "seed of the random numbers (0)", option_seed,
      .value = &line->seed },
  };
  const Option force[] = {
    { "force", 'f', NULL, "replace existing files", option_flag,
      .value = &line->force, .keeps_result = TRUE },
  };
  const Option always[] = {
    { "threads", 0, "N", "number of threads (one per core)", option_int,
      .value = &line->threads, .min = 0, .max = MAX_THREADS,
      .keeps_result = TRUE },
    { "json", 0, NULL, "print the result as JSON", option_flag,
      .value = &line->json, .keeps_result = TRUE },
    { "quiet", 'q', NULL, "print errors only", option_flag,
      .value = &line->quiet, .keeps_result = TRUE },
    { "verbose", 'v', NULL, "print more details", option_flag,
      .value = &line->verbose, .keeps_result = TRUE },
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
is_folder (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_DIR);
}

/* Whether inputs or output ask for a folder of results: several inputs, a
 * folder among them, or an output that is a folder or ends in a slash. */
static gboolean
is_folder_asked_for (const CommandLine *line)
{
  int count = 0;

  for (; line->arguments != NULL && line->arguments[count] != NULL; count++)
    if (is_folder (line->arguments[count]))
      return TRUE;
  for (guint i = 0; i < line->options->len; i++) {
    const Option *option = &g_array_index (line->options, Option, i);
    const char *path =
      option->role == OUTPUT_PLACE ? *(char **) option->value : NULL;

    if (path != NULL
        && (is_folder (path) || g_str_has_suffix (path, G_DIR_SEPARATOR_S)))
      return TRUE;
  }
  return count > 1;
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

    if (path == NULL && option->required)
      return set_missing (option, error);
    if (path != NULL && option->role == INPUT_FILE)
      g_ptr_array_add (inputs, path);
    else if (path != NULL
             && (option->role == OUTPUT_FILE || !line->into_folder))
      g_ptr_array_add (outputs, path);
  }
  if (!check_standard_streams (line, inputs, outputs, error)
      || !output_check_distinct (inputs, outputs, error))
    return FALSE;
  for (guint i = 0; i < outputs->len; i++)
    if (!output_check (outputs->pdata[i], line->force, error))
      return FALSE;
  return TRUE;
}

/* ---- what was given ---- */

static const Option *
find_option (const CommandLine *line, const char *name)
{
  for (guint i = 0; i < line->options->len; i++) {
    const Option *option = &g_array_index (line->options, Option, i);

    if (g_str_equal (option->name, name))
      return option;
  }
  return NULL;
}

static void
append_given (GString *text, const Option *option, const char *value)
{
  g_autofree char *plain = g_strdup (value);
  struct stat info;

  g_string_append_printf (text, "%s=%s", option->name,
                          g_strdelimit (plain, "\n\r", ' '));
  if (option->role == INPUT_FILE && stat (value, &info) == 0
      && S_ISREG (info.st_mode))
    g_string_append_printf (
      text, " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld",
      (gint64) info.st_size, (gint64) info.st_mtim.tv_sec,
      info.st_mtim.tv_nsec);
  g_string_append_c (text, '\n');
}

char *
command_line_recipe (const CommandLine *line)
{
  GString *text =
    g_string_new (TESSERA_VERSION " "); /* and "tessera COMMAND" */
  g_autoptr (GList) names = g_hash_table_get_keys (line->given);

  g_string_append_printf (text, "%s\n", g_get_prgname ());
  names = g_list_sort (names, (GCompareFunc) strcmp);
  for (const GList *at = names; at != NULL; at = at->next) {
    const Option *option = find_option (line, at->data);

    if (!option->keeps_result
        && (option->role == NO_FILE || option->role == INPUT_FILE))
      append_given (text, option, g_hash_table_lookup (line->given, at->data));
  }
  return g_string_free (text, FALSE);
}

static CommandLineReader description_reader;
static gpointer description_data;

void
command_line_describe_to (CommandLineReader reader, gpointer data)
{
  description_reader = reader;
  description_data = data;
}

static gboolean
describe (CommandLine *line)
{
  line->answered = TRUE;
  description_reader (line, description_data);
  return TRUE;
}

gboolean
command_line_parse (CommandLine *line, char **argv, GError **error)
{
  Parser parser = { line->usage, line->about, line->options, line->given };
  g_autofree char *program = g_strconcat ("tessera ", argv[0], NULL);

  add_common (line);
  if (description_reader != NULL)
    return describe (line);
  g_set_prgname (program);
  if (!parser_run (&parser, argv, &line->arguments, error))
    return FALSE;
  if (line->help || line->version)
    return answer (line, &parser, error);
  terminal_init (line->quiet, line->verbose);
  line->into_folder = is_folder_asked_for (line);
  if (!check_arguments (line, error) || !check_files (line, error)
      || !blas_guard_prepare (&line->threads, error))
    return FALSE;
  parallel_init (line->threads);
  terminal_detail ("threads: %d, %s", parallel_threads (),
                   parallel_blas_name ());
  return TRUE;
}
