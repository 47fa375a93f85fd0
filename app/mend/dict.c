/* dict.c - look at a dictionary, or convert it */
#include "app/files/dictionaryfile.h"
#include "app/command.h"
#include "app/cli/commandline.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "app/files/picturefile.h"
#include "app/cli/jsonreport.h"
#include "app/cli/plaintext.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "imaging/mosaic.h"

static const char about[] =
  "Examples:\n"
  "  tessera dict my.safetensors\n"
  "  tessera dict learned --mosaic atoms.png --zoom 3\n"
  "  tessera dict my.safetensors -o atoms.npy\n"
  "  tessera dict atoms.npy -o my.safetensors\n"
  "\n"
  "Shows the contents of a dictionary.  It can be drawn as a mosaic of its\n"
  "atoms and converted to and from NumPy array files.  'cosines',\n"
  "'learned', 'convolutional' and 'noise' are part of the program;\n"
  "'./learned' is a file of that name.";

#define DEFAULT_ZOOM 2
#define MAX_ZOOM 64

typedef struct {
  CommandLine line;
  const char *path;     /* of the converted dictionary, NULL for none */
  PictureOutput mosaic; /* path NULL for none */
  int zoom;
  int layout; /* DictionaryLayout */
} Dict;

/* In the order of DictionaryLayout. */
static const char *const layouts[] = { "auto", "rows", "columns", NULL };

/* ---- converting ---- */

static gboolean
convert (const Dict *dict, const Dictionary *dictionary, GError **error)
{
  g_autoptr (GBytes) bytes =
    dictionary_file_encode (dictionary, dict->path, error);

  return bytes != NULL
         && output_write (dict->path, bytes, dict->line.force, error);
}

static gboolean
draw (const Dict *dict, const Dictionary *dictionary, GError **error)
{
  g_autoptr (Image) mosaic = dictionary_mosaic (dictionary, dict->zoom, error);

  return mosaic != NULL
         && picture_save (mosaic, NULL, &dict->mosaic, dict->line.force,
                          error);
}

/* ---- showing ---- */

static gboolean
print_json (const Dictionary *dictionary, GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();

  json_report_set_count (json, "patch", (guint64) dictionary->patch);
  json_report_set_count (json, "channels", (guint64) dictionary->channels);
  json_report_set_count (json, "atoms", (guint64) dictionary->atoms.cols);
  json_report_set_count (json, "dimension", (guint64) dictionary->atoms.rows);
  json_object_set_boolean_member (json, "orthonormal",
                                  dictionary_is_orthonormal (dictionary));
  json_report_set_text (json, "algorithm", dictionary->algorithm);
  json_report_set_text (json, "options", dictionary->options);
  json_report_set_count (json, "seed", dictionary->seed);
  json_report_set_count (json, "samples", dictionary->samples);
  return json_report_print (json, error);
}

/* A line of the table; the text is that of a file, and may be NULL. */
static void
append_text (GString *table, const char *label, const char *text)
{
  g_autofree char *plain = plain_text (text != NULL ? text : "unknown");

  g_string_append_printf (table, "%-12s %s\n", label, plain);
}

static gboolean
print_table (const Dictionary *dictionary, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (
    text, "atoms        %d%s\n", dictionary->atoms.cols,
    dictionary_is_orthonormal (dictionary) ? ", orthonormal" : "");
  g_string_append_printf (text, "patch        %d x %d pixels\n",
                          dictionary->patch, dictionary->patch);
  g_string_append_printf (text, "channels     %d, %s\n", dictionary->channels,
                          dictionary->channels == 1 ? "gray" : "color");
  append_text (text, "algorithm", dictionary->algorithm);
  if (dictionary->options != NULL)
    append_text (text, "options", dictionary->options);
  if (dictionary->samples > 0)
    g_string_append_printf (text,
                            "samples      %" G_GUINT64_FORMAT "\n"
                            "seed         %" G_GUINT64_FORMAT "\n",
                            dictionary->samples, dictionary->seed);
  return stdout_write (text->str, text->len, error);
}

static gboolean
write_outputs (const Dict *dict, const Dictionary *dictionary, GError **error)
{
  if (dict->path != NULL) {
    if (!convert (dict, dictionary, error))
      return FALSE;
    terminal_result ("converted -> %s", output_name (dict->path));
  }
  if (dict->mosaic.path != NULL) {
    if (!draw (dict, dictionary, error))
      return FALSE;
    terminal_result ("mosaic -> %s", output_name (dict->mosaic.path));
  }
  return TRUE;
}

/* Whether standard output is taken by a file. */
static gboolean
uses_stdout (const Dict *dict)
{
  return (dict->path != NULL && is_dash (dict->path))
         || (dict->mosaic.path != NULL && is_dash (dict->mosaic.path));
}

static gboolean
work (const Dict *dict, GError **error)
{
  g_autoptr (Dictionary) dictionary =
    dictionary_file_load_as (dict->line.arguments[0],
                             (DictionaryLayout) dict->layout, error);

  if (dictionary == NULL || !write_outputs (dict, dictionary, error))
    return FALSE;
  if (dict->line.json)
    return print_json (dictionary, error);
  return uses_stdout (dict) || print_table (dictionary, error);
}

static gboolean
run (char **argv, GError **error)
{
  Dict dict = { .mosaic = PICTURE_OUTPUT_DEFAULTS, .zoom = DEFAULT_ZOOM };
  CommandLine *line = &dict.line;
  const Option rows[] = {
    { "output", 'o', "FILE", "convert to this .safetensors or .npy file",
      dictionary_file_option_output, .value = &dict.path,
      .role = OUTPUT_FILE },
    { "mosaic", 0, "FILE", "draw all atoms into this picture",
      picture_option_output, .value = &dict.mosaic.path, .role = OUTPUT_FILE },
    { "zoom", 0, "N", "size of an entry of an atom, 1 to 64 (2)", option_int,
      .value = &dict.zoom, .min = 1, .max = MAX_ZOOM },
    { "layout", 0, "KIND", "atoms of a matrix: rows, columns, auto",
      option_choice, .value = &dict.layout, .choices = layouts },
  };
  gboolean ok;

  command_line_init (line);
  line->usage = "DICT";
  line->about = about;
  line->min_arguments = line->max_arguments = 1;
  line->common = COMMON_OUTPUT;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  ok = command_line_parse (line, argv, error)
       && (line->answered || work (&dict, error));
  command_line_clear (line);
  return ok;
}

const Command command_dict = { .name = "dict",
                               .summary = "show or convert a dictionary",
                               .run = run };
