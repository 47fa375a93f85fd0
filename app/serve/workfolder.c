#include "app/serve/workfolder.h"

#include "app/cli/progressbar.h"
#include "app/files/files.h"
#include "app/files/randomid.h"
#include "app/files/tempfolder.h"
#include "base/error.h"
#include "imaging/codec/codec.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MOST_PICTURES 500
#define MOST_PICTURE_BYTES ((gsize) 2 << 30)

struct WorkFolder {
  TempFolder *temp;
  char *pictures;
  GMutex lock; /* for what follows */
  guint picture_count;
  gsize picture_bytes;
  guint paths;
  GHashTable *published; /* id -> folder */
};

WorkFolder *
work_folder_new (GError **error)
{
  TempFolder *temp = temp_folder_new (error);
  WorkFolder *self;

  if (temp == NULL)
    return NULL;
  self = g_new0 (WorkFolder, 1);
  self->temp = temp;
  self->pictures =
    g_build_filename (temp_folder_path (temp), "pictures", NULL);
  self->published =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_mutex_init (&self->lock);
  g_mkdir (self->pictures, 0700);
  return self;
}

void
work_folder_free (WorkFolder *self)
{
  if (self == NULL)
    return;
  temp_folder_free (self->temp);
  g_hash_table_unref (self->published);
  g_mutex_clear (&self->lock);
  g_free (self->pictures);
  g_free (self);
}

char *
work_folder_new_path (WorkFolder *self, const char *ending)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  return g_strdup_printf ("%s/%u%s", temp_folder_path (self->temp),
                          self->paths++, ending);
}

/* ---- pictures to learn from ---- */

static gboolean
has_room (const WorkFolder *self, gsize size)
{
  return self->picture_count < MOST_PICTURES
         && size <= MOST_PICTURE_BYTES - self->picture_bytes;
}

static gboolean
write_picture (const WorkFolder *self, GBytes *bytes, const char *ending,
               GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%04u.%s", self->pictures,
                                           self->picture_count, ending);
  g_autoptr (GError) trouble = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  if (g_file_set_contents (path, data, (gssize) size, &trouble))
    return TRUE;
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
                       trouble->message);
  return FALSE;
}

guint
work_folder_add_picture (WorkFolder *self, GBytes *bytes, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  const char *ending = image_ending_of (bytes); /* whatever it was called */
  gsize size = g_bytes_get_size (bytes);

  if (ending == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "not a %s picture", image_format_list ());
    return 0;
  }
  if (!has_room (self, size)) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                         "no more pictures are accepted");
    return 0;
  }
  if (!write_picture (self, bytes, ending, error))
    return 0;
  self->picture_bytes += size;
  return ++self->picture_count;
}

void
work_folder_clear_pictures (WorkFolder *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  temp_folder_remove_tree (self->pictures);
  g_mkdir (self->pictures, 0700);
  self->picture_count = 0;
  self->picture_bytes = 0;
}

const char *
work_folder_pictures (const WorkFolder *self)
{
  return self->pictures;
}

/* ---- this program ---- */

static char *
own_path (void)
{
  return g_file_read_link ("/proc/self/exe", NULL);
}

char *
work_folder_bundled (void)
{
  static const char *const places[] = { "../data/photos", "../../data/photos",
                                        "../share/tessera/photos" };
  g_autofree char *self = own_path ();
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : NULL;

  for (gsize i = 0; folder != NULL && i < G_N_ELEMENTS (places); i++) {
    g_autofree char *path = g_canonicalize_filename (places[i], folder);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      return g_steal_pointer (&path);
  }
  return NULL;
}

/* Runs in the child: it ends with the server, whatever ends that.  The signal
 * comes when the thread that started the child ends, and that one waits for
 * the child; @data is the process of the server, which may be gone by now. */
static void
end_with_server (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != GPOINTER_TO_INT (data))
    _exit (TESSERA_ERROR_FAILED);
}

static GSubprocess *
start_child (const char *const *arguments, GError **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autofree char *self = own_path ();
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
    G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GError) trouble = NULL;
  GSubprocess *child;

  g_ptr_array_add (argv, self);
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (argv, (char *) *arguments);
  g_ptr_array_add (argv, NULL);
  g_subprocess_launcher_setenv (launcher, PROGRESS_VARIABLE, "1", TRUE);
  g_subprocess_launcher_set_child_setup (launcher, end_with_server,
                                         GINT_TO_POINTER (getpid ()), NULL);
  child = g_subprocess_launcher_spawnv (
    launcher, (const char *const *) argv->pdata, &trouble);
  if (child == NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
                         trouble->message);
  return child;
}

/* @message without what does not belong on the page: the name of the program,
 * and the option that the message is about. */
static const char *
without_option (const char *message)
{
  const char *end;

  if (g_str_has_prefix (message, "tessera: "))
    message += strlen ("tessera: ");
  end = g_str_has_prefix (message, "--") ? strstr (message, ": ") : NULL;
  return end != NULL ? end + strlen (": ") : message;
}

/* Passes what @child writes about its progress on, and returns the last of its
 * other lines. */
static char *
follow_child (GSubprocess *child, const WorkWatch *watch)
{
  GCancellable *cancellable = watch->progress->cancellable;
  g_autoptr (GDataInputStream) lines =
    g_data_input_stream_new (g_subprocess_get_stderr_pipe (child));
  g_autofree char *last = g_strdup ("it ended without a message");
  char *line;

  while ((line = g_data_input_stream_read_line_utf8 (lines, NULL, cancellable,
                                                     NULL))
         != NULL) {
    const char *label;
    double done;

    if (progress_line_parse (line, &done, &label)) {
      watch->progress->report (done, watch->progress->user_data);
      watch->stage (label, watch->data);
      g_free (line);
    } else {
      g_free (last);
      last = line;
    }
  }
  return g_strdup (without_option (last));
}

/* Waits for @child to end, or ends it when the work is cancelled: all that it
 * could leave behind is in our folder.  FALSE in that case. */
static gboolean
await_child (GSubprocess *child, GCancellable *cancellable)
{
  if (g_subprocess_wait (child, cancellable, NULL))
    return TRUE;
  g_subprocess_force_exit (child);
  g_subprocess_wait (child, NULL, NULL);
  return FALSE;
}

gboolean
work_folder_run (const char *const *arguments, const WorkWatch *watch,
                 GError **error)
{
  const Progress *progress = watch->progress;
  g_autoptr (GSubprocess) child = NULL;
  g_autofree char *words = NULL;

  if (!progress_step (progress, 0, error))
    return FALSE;
  child = start_child (arguments, error);
  if (child == NULL)
    return FALSE;
  words = follow_child (child, watch);
  if (!await_child (child, progress->cancellable))
    return progress_step (progress, 1, error);
  if (g_subprocess_get_successful (child))
    return TRUE;
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_FAILED, words);
  return FALSE;
}

/* ---- results ---- */

char *
work_folder_publish (WorkFolder *self, const char *folder)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  char id[RANDOM_ID_LENGTH + 1];

  random_id (id);
  g_hash_table_insert (self->published, g_strdup (id), g_strdup (folder));
  return g_strdup (id);
}

/* The path of the file @name in @folder, if there is one.  The folder is
 * asked for its files: what a request says never becomes part of a path. */
static char *
find_file (const char *folder, const char *name)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *entry;

  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    if (g_str_equal (entry, name)) {
      g_autofree char *path = g_build_filename (folder, entry, NULL);

      return g_file_test (path, G_FILE_TEST_IS_REGULAR)
               ? g_steal_pointer (&path)
               : NULL;
    }
  return NULL;
}

GBytes *
work_folder_read (WorkFolder *self, const char *id, const char *name,
                  GError **error)
{
  g_autofree char *path = NULL;
  const char *folder;

  g_mutex_lock (&self->lock);
  folder = g_hash_table_lookup (self->published, id);
  path = folder != NULL ? find_file (folder, name) : NULL;
  g_mutex_unlock (&self->lock);
  if (path != NULL)
    return file_read (path, error);
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "there is no such file in this report");
  return NULL;
}
