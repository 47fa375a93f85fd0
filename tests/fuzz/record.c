/* record.c - a folder that somebody has prepared, and one picture for it
 *
 * The bytes say what is there: a byte each for the place of the result, of its
 * record, of the folder of records, for what happens to the result during the
 * work, and for --force; then, with a zero byte between them, the name of the
 * result, the options that make it, what was there before, and the record.  In
 * the record, \1 stands for the line of what was there and \2 for the options.
 *
 * Whatever is there, the turn ends, writes nothing outside of its folder, and
 * replaces nothing that is not a result of ours; and what it has written is
 * current afterwards.
 */
#include "tests/fuzz/fuzz.h"

#include "app/batch/record.h"
#include "app/batch/turn.h"
#include "app/files/tempfolder.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define MADE "the new result"
#define BY_HAND "changed by hand while the work went on"
#define SECRET "secret"

/* What may be in a place. */
typedef enum { NOTHING, ORDINARY, LINK, DANGLING, PIPE, FOLDER, KINDS } Kind;

static TempFolder *temp;
static char *root, *out, *elsewhere;

typedef struct {
  Kind result, record, records, meanwhile;
  gboolean force, was_changed; /* during the work */
  char *name, *recipe, *before, *text;
} Scene;

/* ---- what is there ---- */

static void
write_text (const char *path, const char *text)
{
  fuzz_must (g_file_set_contents (path, text, -1, NULL));
}

/* Puts something to @path, whose folders are made; FALSE where it has no
 * place. */
static gboolean
put (Kind kind, const char *path, const char *text, const char *target)
{
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *nowhere = g_build_filename (elsewhere, "nothing", NULL);

  temp_folder_remove_tree (path);
  if (kind == NOTHING)
    return TRUE;
  if (g_mkdir_with_parents (parent, 0700) != 0)
    return FALSE;
  switch (kind) {
  case ORDINARY: /* in place: a temporary name may be too long */
    return g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE,
                                     0600, NULL);
  case LINK:
    return symlink (target, path) == 0;
  case DANGLING:
    return symlink (nowhere, path) == 0;
  case PIPE:
    return mkfifo (path, 0600) == 0;
  default:
    return g_mkdir (path, 0700) == 0;
  }
}

/* A path as folders give it: no part of it is hidden, empty or too long. */
static char *
read_name (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, "/", 4);
  GString *name = g_string_new (NULL);

  for (int i = 0; words[i] != NULL; i++) {
    g_strdelimit (words[i], "/", '_');
    g_string_append_printf (name, "%s%s%.254s", i > 0 ? "/" : "",
                            *words[i] == '\0' || *words[i] == '.' ? "x" : "",
                            words[i]);
  }
  return g_string_free (name, FALSE);
}

static char *
line_of (const char *content)
{
  g_autofree char *sum =
    g_compute_checksum_for_string (G_CHECKSUM_SHA256, content, -1);

  return g_strdup_printf ("output %" G_GSIZE_FORMAT " %s\n", strlen (content),
                          sum);
}

static gboolean
read_scene (Scene *scene, const uint8_t *data, size_t size)
{
  g_autofree char *rest = NULL;
  g_autofree char *line = NULL;
  g_autoptr (GString) text = NULL;
  char *parts[4] = { "", "", "", "" };

  if (size < 6)
    return FALSE;
  *scene = (Scene){ .result = data[0] % KINDS,
                    .record = data[1] % KINDS,
                    .records = data[2] % KINDS,
                    .meanwhile = data[3] % KINDS,
                    .force = data[4] % 2 };
  rest = g_malloc0 (size - 5 + G_N_ELEMENTS (parts));
  memcpy (rest, data + 5, size - 5);
  parts[0] = rest;
  for (int i = 1; i < 4; i++)
    parts[i] = parts[i - 1] + strlen (parts[i - 1]) + 1;
  line = line_of (parts[2]);
  text = g_string_new (parts[3]);
  g_string_replace (text, "\002", parts[1], 100);
  g_string_replace (text, "\001", line, 100);
  scene->name = read_name (parts[0]);
  scene->recipe = g_strconcat (parts[1], "\n", NULL);
  scene->before = g_strdup (parts[2]);
  scene->text = g_strdup (text->str);
  return TRUE;
}

static void
scene_clear (Scene *scene)
{
  g_free (scene->name);
  g_free (scene->recipe);
  g_free (scene->before);
  g_free (scene->text);
}

static gboolean
set_up (const Scene *scene, const char *result)
{
  g_autofree char *records = g_build_filename (out, RECORD_FOLDER, NULL);
  g_autofree char *ending = g_strconcat (scene->name, ".txt", NULL);
  g_autofree char *record = g_build_filename (records, ending, NULL);
  g_autofree char *secret = g_build_filename (elsewhere, "secret", NULL);
  g_autofree char *target = g_build_filename (elsewhere, "target", NULL);

  temp_folder_remove_tree (root);
  g_mkdir (root, 0700);
  g_mkdir (out, 0700);
  g_mkdir (elsewhere, 0700);
  write_text (secret, SECRET);
  write_text (target, scene->before);
  if (!put (scene->result, result, scene->before, target))
    return FALSE;
  if (scene->records == FOLDER)
    put (scene->record, record, scene->text, secret);
  else
    put (scene->records, records, scene->text, elsewhere);
  return TRUE;
}

/* ---- the turn ---- */

static GBytes *
work (BatchTurn *turn, gpointer data, GError **error)
{
  Scene *scene = data;
  g_autofree char *target = g_build_filename (elsewhere, "target", NULL);

  (void) error;
  if (scene->meanwhile != NOTHING)
    scene->was_changed =
      put (scene->meanwhile, turn->item->output, BY_HAND, target);
  return g_bytes_new_static (MADE, strlen (MADE));
}

static gboolean
has_text (const char *path, const char *text)
{
  g_autofree char *content = NULL;

  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
         && g_file_get_contents (path, &content, NULL, NULL)
         && g_str_equal (content, text);
}

/* Nothing outside of the folder has changed, except that --force replaces what
 * a link leads to. */
static void
check_elsewhere (const Scene *scene)
{
  g_autofree char *secret = g_build_filename (elsewhere, "secret", NULL);
  g_autofree char *target = g_build_filename (elsewhere, "target", NULL);
  g_autoptr (GDir) dir = g_dir_open (elsewhere, 0, NULL);
  int names = 0;

  while (g_dir_read_name (dir) != NULL)
    names++;
  fuzz_must (has_text (secret, SECRET));
  fuzz_must (scene->force || has_text (target, scene->before));
  fuzz_must (scene->force || names == 2);
}

/* The record of what was there, or NULL if there is none to be read. */
static const char *
plain_record (const Scene *scene)
{
  return scene->result == ORDINARY && scene->records == FOLDER
             && scene->record == ORDINARY
           ? scene->text
           : NULL;
}

/* What was there is kept, unless its record says that it is ours. */
static void
check_kept (const Scene *scene, const char *result)
{
  const char *text = plain_record (scene);
  g_autofree char *line = line_of (scene->before);

  if (scene->force || scene->result != ORDINARY || scene->meanwhile != NOTHING)
    return;
  if (text == NULL || strstr (text, line) == NULL)
    fuzz_must (has_text (result, scene->before));
}

static void
check_done (const Scene *scene, const Batch *batch, const BatchItem *item)
{
  g_auto (FoundResult) found = { 0 };
  g_auto (FoundResult) other = { 0 };
  g_autofree char *recipe = g_strconcat (scene->recipe, "another\n", NULL);

  fuzz_must (has_text (item->output, MADE));
  record_look_up (batch->folder, item, scene->recipe, &found);
  record_look_up (batch->folder, item, recipe, &other);
  if (found.state == RESULT_LINKED) {
    fuzz_must (scene->force);
    return;
  }
  fuzz_must (found.state == RESULT_CURRENT);
  fuzz_must (other.state == RESULT_OUTDATED);
}

static void
take_turn (Scene *scene, BatchItem *item)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autoptr (GHashTable) inputs =
    g_hash_table_new (g_direct_hash, g_direct_equal);
  BatchPlan plan = { items, inputs };
  BatchOptions options = { 0 };
  CommandLine line = { .force = scene->force };
  Batch batch = { .plan = &plan,
                  .options = &options,
                  .line = &line,
                  .folder = out,
                  .recipe = scene->recipe,
                  .work = work,
                  .data = scene };
  BatchResult result;

  g_ptr_array_add (items, item);
  batch_take_turn (&batch, 0, NULL, NULL, &result);
  check_elsewhere (scene);
  check_kept (scene, item->output);
  if (!scene->force && scene->was_changed && scene->meanwhile == ORDINARY
      && !g_str_equal (scene->before, BY_HAND))
    fuzz_must (has_text (item->output, BY_HAND));
  if (result.state == BATCH_DONE)
    check_done (scene, &batch, item);
  batch_result_clear (&result);
}

/* ---- */

static void
remove_root (void)
{
  temp_folder_free (temp);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  (void) argc, (void) argv;
  /* In memory, for the sake of speed: each file is synced. */
  if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR))
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
  temp = temp_folder_new (NULL);
  fuzz_must (temp != NULL);
  atexit (remove_root);
  root = g_build_filename (temp_folder_path (temp), "root", NULL);
  out = g_build_filename (root, "out", NULL);
  elsewhere = g_build_filename (root, "elsewhere", NULL);
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Scene scene;
  g_autofree char *result = NULL;

  if (!read_scene (&scene, data, size))
    return 0;
  result = g_build_filename (out, scene.name, NULL);
  if (set_up (&scene, result)) {
    BatchItem item = { .input = "nothing",
                       .output = result,
                       .name = scene.name };

    take_turn (&scene, &item);
  }
  scene_clear (&scene);
  return 0;
}
