/* outside.c - programs of others that restore or learn
 *
 * They get what our own methods get, as files in a folder of their own, and
 * nothing else: in the words of their command,
 *
 *     {input}    the damaged picture, a PNG; or the training patches, a .npy
 *                of floats, one patch per row, white is 255
 *     {mask}     white where pixels are missing; in colour if channels are
 *                missing one by one
 *     {sigma}    standard deviation of the noise, white is 255; 0 for none
 *     {output}   what they have to write: a picture of the same size, or a
 *                .npy of atoms, one per row
 *     {seed} {patch} {atoms}   for learners
 *
 * are replaced.  The command is split like a shell does it, but no shell runs
 * it.
 */
#include "app/compare/compare.h"

#include "app/files/files.h"
#include "app/files/picturefile.h"
#include "app/files/tempfolder.h"
#include "app/system/program.h"
#include "base/error.h"
#include "dictlearn/tensor.h"
#include "imaging/codec/codec.h"

#include <string.h>

/* ---- commands ---- */

gboolean
outside_parse (const char *pair, const char *option, char **name,
               char ***command, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (pair, "=", 2);
  g_auto (GStrv) words = NULL;
  gboolean has_output = FALSE;

  if (parts[0] == NULL || parts[1] == NULL
      || !g_shell_parse_argv (parts[1], NULL, &words, NULL))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%s %s: write NAME=COMMAND, as in "
                         "\"mine=./program {input} {output}\"",
                         option, pair);
  for (int i = 1; words[i] != NULL; i++)
    has_output |= strstr (words[i], "{output}") != NULL;
  if (!has_output)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%s %s: the command must have {output}, the file "
                         "that it writes",
                         option, parts[0]);
  *name = g_strdup (parts[0]);
  *command = g_steal_pointer (&words);
  return TRUE;
}

typedef struct {
  const char *mark; /* {input} and the like */
  const char *value;
} Placeholder;

/* The words of @command with the placeholders replaced. */
static char **
fill_in (char **command, const Placeholder *places, gsize count)
{
  char **argv = g_strdupv (command);

  for (int i = 0; argv[i] != NULL; i++) {
    GString *word = g_string_new (argv[i]);

    g_free (argv[i]);
    for (gsize p = 0; p < count; p++)
      g_string_replace (word, places[p].mark, places[p].value, 0);
    argv[i] = g_string_free (word, FALSE);
  }
  return argv;
}

/* ---- its folder ---- */

typedef struct {
  TempFolder *folder;
  char *input, *mask, *output, *words;
} Exchange;

static gboolean
exchange_init (Exchange *self, const char *kind, GError **error)
{
  const char *path;

  self->folder = temp_folder_new (error);
  if (self->folder == NULL)
    return FALSE;
  path = temp_folder_path (self->folder);
  self->input = g_strdup_printf ("%s/input.%s", path, kind);
  self->mask = g_build_filename (path, "mask.png", NULL);
  self->output = g_strdup_printf ("%s/output.%s", path, kind);
  self->words = g_build_filename (path, "errors.txt", NULL);
  return TRUE;
}

/* The program may have left files of its own. */
static void
exchange_clear (Exchange *self)
{
  temp_folder_free (self->folder);
  g_free (self->input);
  g_free (self->mask);
  g_free (self->output);
  g_free (self->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Exchange, exchange_clear)

static gboolean
put (const char *path, GBytes *content, GError **error)
{
  g_autoptr (GError) why = NULL;
  gsize size;
  const char *data;

  if (content == NULL)
    return FALSE;
  data = g_bytes_get_data (content, &size);
  return g_file_set_contents (path, data, (gssize) size, &why)
         || tessera_fail (error, TESSERA_ERROR_FAILED, "%s", why->message);
}

static gboolean
put_picture (const char *path, const Image *image, GError **error)
{
  g_autoptr (GBytes) png =
    image_encode (image, TESSERA_PNG, &ENCODE_DEFAULTS, error);

  return put (path, png, error);
}

static gboolean
put_mask (const char *path, const Mask *mask, GError **error)
{
  g_autoptr (Image) picture = mask_to_picture (mask, error);

  return picture != NULL && put_picture (path, picture, error);
}

static gboolean
run (const Compare *compare, const Exchange *exchange, char **argv,
     double *seconds, const Progress *progress, GError **error)
{
  const ProgramOptions options = { argv, exchange->words,
                                   compare->outside_limit };

  if (!program_run (&options, seconds, progress, error))
    return FALSE;
  return g_file_test (exchange->output, G_FILE_TEST_IS_REGULAR)
         || tessera_fail (error, TESSERA_ERROR_FAILED,
                          "did not write its output");
}

/* ---- restoring ---- */

static Image *
get_picture (const Compare *compare, const Exchange *exchange,
             const Image *wanted, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (Image) image =
    picture_load (exchange->output, &compare->line.limits, &why);

  if (image == NULL) {
    /* Nobody knows the name of the file. */
    tessera_fail (error, TESSERA_ERROR_FAILED, "its output%s",
                  g_str_has_prefix (why->message, exchange->output)
                    ? why->message + strlen (exchange->output)
                    : " cannot be read");
    return NULL;
  }
  if (image->width != wanted->width || image->height != wanted->height) {
    tessera_fail (error, TESSERA_ERROR_FAILED,
                  "its output has %d x %d pixels instead of %d x %d",
                  image->width, image->height, wanted->width, wanted->height);
    return NULL;
  }
  return g_steal_pointer (&image);
}

/* The picture without what its file said beside the pixels. */
static Image *
bare (const Image *image, GError **error)
{
  return image_middle (image, MAX (image->width, image->height), error);
}

Image *
outside_restore (const Compare *compare, const Contender *contender,
                 const Damaged *damaged, double *seconds,
                 const Progress *progress, GError **error)
{
  g_auto (Exchange) exchange = { 0 };
  g_auto (GStrv) argv = NULL;
  g_autoptr (Image) input = bare (damaged->image, error);
  char sigma[G_ASCII_DTOSTR_BUF_SIZE];

  if (input == NULL || !exchange_init (&exchange, "png", error)
      || !put_picture (exchange.input, input, error)
      || !put_mask (exchange.mask, damaged->missing, error))
    return NULL;
  g_ascii_formatd (sigma, sizeof sigma, "%.10g", damaged->noise);
  const Placeholder places[] = { { "{input}", exchange.input },
                                 { "{mask}", exchange.mask },
                                 { "{output}", exchange.output },
                                 { "{sigma}", sigma } };

  argv = fill_in (contender->command, places, G_N_ELEMENTS (places));
  if (!run (compare, &exchange, argv, seconds, progress, error))
    return NULL;
  return get_picture (compare, &exchange, damaged->image, error);
}

/* ---- learning ---- */

/* Learners of others take samples as pictures have them; ours, where white is
 * 1. */
#define WHITE 255

static gboolean
put_patches (const char *path, const Mat *Y, GError **error)
{
  g_auto (MatF) numbers = { 0 };
  Tensor tensor = { .dimensions = 2, .shape = { Y->cols, Y->rows } };
  g_autoptr (GBytes) npy = NULL;

  if (!matf_try_new (&numbers, Y->rows, Y->cols, error))
    return FALSE;
  mat_to_float (Y, &numbers);
  for (int j = 0; j < numbers.cols; j++)
    for (int i = 0; i < numbers.rows; i++)
      *matf_at (&numbers, i, j) *= WHITE;
  tensor.data = numbers.data;
  npy = tensor_to_npy (&tensor, error);
  return npy != NULL && put (path, npy, error);
}

/* Atoms are rows, or columns if only they have the right length. */
static Dictionary *
get_dictionary (const Compare *compare, const Exchange *exchange,
                GError **error)
{
  g_autoptr (GBytes) bytes = file_read (exchange->output, error);

  for (DictionaryLayout layout = LAYOUT_ROWS;
       bytes != NULL && layout <= LAYOUT_COLUMNS; layout++) {
    g_autoptr (GError) why = NULL;
    g_autoptr (Dictionary) dictionary =
      dictionary_from_layout (bytes, "its output", layout, &why);

    if (dictionary != NULL && dictionary->patch == compare->patch
        && dictionary->channels == COMPARE_CHANNELS)
      return g_steal_pointer (&dictionary);
    if (layout == LAYOUT_COLUMNS)
      tessera_fail (error, TESSERA_ERROR_FAILED, "%s",
                    why != NULL ? why->message
                                : "its atoms do not have the length of a "
                                  "patch");
  }
  return NULL;
}

gboolean
outside_learn (const Compare *compare, const Contender *contender, guint seed,
               LearnRun *result, const Progress *progress, GError **error)
{
  g_auto (Exchange) exchange = { 0 };
  g_auto (GStrv) argv = NULL;
  g_autofree char *number =
    g_strdup_printf ("%" G_GUINT64_FORMAT, compare_seed (compare, seed));
  g_autofree char *patch = g_strdup_printf ("%d", compare->patch);
  g_autofree char *atoms = g_strdup_printf (
    "%d", compare->atoms > 0 ? compare->atoms : compare_length (compare));

  if (!exchange_init (&exchange, "npy", error)
      || !put_patches (exchange.input, &compare->Y, error))
    return FALSE;
  const Placeholder places[] = { { "{input}", exchange.input },
                                 { "{output}", exchange.output },
                                 { "{seed}", number },
                                 { "{patch}", patch },
                                 { "{atoms}", atoms } };

  argv = fill_in (contender->command, places, G_N_ELEMENTS (places));
  if (!run (compare, &exchange, argv, &result->seconds, progress, error))
    return FALSE;
  result->dictionary = get_dictionary (compare, &exchange, error);
  if (result->dictionary == NULL)
    return FALSE;
  result->dictionary->algorithm = g_strdup (contender->name);
  result->dictionary->seed = compare_seed (compare, seed);
  result->dictionary->samples = (guint64) compare->Y.cols;
  result->ready = TRUE;
  return TRUE;
}
