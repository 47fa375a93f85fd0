/* data.c - which pictures train and which test, and the patches
 *
 * Pictures are shuffled by the seed.  The first that can be used are for the
 * test; of the others a few are probes, which show how good a dictionary is
 * while it is learned, and the rest give patches.
 */
#include "app/compare/compare.h"

#include "app/files/files.h"
#include "app/files/picturefile.h"
#include "app/files/picturelist.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "base/random.h"
#include "imaging/patchsource.h"

#include <string.h>

/* Streams of random numbers. */
enum { STREAM_SPLIT = 0x636d7000, STREAM_PROBES };

/* The paper sets 20 pictures aside.  Of a small set, a quarter. */
#define USUAL_TESTS 20
#define TEST_SHARE 4

/* Probes: enough that one odd picture does not matter, few enough that testing
 * them takes no longer than a step of learning. */
#define MOST_PROBES 3
#define PROBE_SHARE 4

/* Numbers that training patches may have in all: 2 GB. */
#define MOST_NUMBERS 250e6

/* ---- usable pictures ---- */

/* Finds out whether the picture can be read and is larger than a patch.  FALSE
 * with @error set when there is not enough memory, which does not mean that
 * the picture is bad. */
static gboolean
try_picture (Compare *compare, const char *path, gboolean *good,
             GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (Image) image = picture_load (path, &compare->line.limits, &why);

  *good = image != NULL && image->width >= compare->patch
          && image->height >= compare->patch;
  if (g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_MEMORY)) {
    g_propagate_error (error, g_steal_pointer (&why));
    return FALSE;
  }
  if (!*good)
    skipped_files_add (&compare->skipped, path,
                       why != NULL ? why->message : "smaller than a patch");
  return TRUE;
}

static void
shuffle (GPtrArray *paths, guint64 seed, guint64 stream)
{
  g_autofree gsize *order = g_new (gsize, paths->len);
  g_autofree gpointer *shuffled = g_new (gpointer, paths->len);

  random_permutation (seed, stream, paths->len, order);
  for (guint i = 0; i < paths->len; i++)
    shuffled[i] = paths->pdata[order[i]];
  if (paths->len > 0)
    memcpy (paths->pdata, shuffled, paths->len * sizeof (gpointer));
}

/* Moves good pictures from the front of @from to @to until that has @count;
 * bad ones on the way are dropped. */
static gboolean
take_good (Compare *compare, GPtrArray *from, GPtrArray *to, guint count,
           GError **error)
{
  guint taken = 0;

  while (taken < from->len && to->len < count) {
    char *path = from->pdata[taken];
    gboolean good;

    if (!try_picture (compare, path, &good, error))
      return FALSE;
    if (good) {
      from->pdata[taken] = NULL; /* has another owner now */
      g_ptr_array_add (to, path);
    }
    taken++;
  }
  if (taken > 0)
    g_ptr_array_remove_range (from, 0, taken);
  return TRUE;
}

/* ---- train and test ---- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
set_none_good (const Compare *compare, GError **error)
{
  skipped_files_set_error (&compare->skipped, error);
  return FALSE;
}

/* ---- the same picture under two names ---- */

/* Pictures by the checksum of their file. */
static GHashTable *
contents_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

/* The path of a picture that was asked for before and has the same content.
 * NULL if there is none; @path, which must live as long as @seen, is then
 * found later.  A file that cannot be read equals no other. */
static const char *
contents_find (GHashTable *seen, const char *path)
{
  g_autoptr (GBytes) bytes = file_read (path, NULL);
  g_autofree char *checksum = NULL;
  const char *same;

  if (bytes == NULL)
    return NULL;
  checksum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  same = g_hash_table_lookup (seen, checksum);
  if (same == NULL)
    g_hash_table_insert (seen, g_steal_pointer (&checksum), (char *) path);
  return same;
}

/* Leaves out duplicate pictures: one copy might train and the other test. */
static void
drop_copies (Compare *compare, GPtrArray *paths)
{
  g_autoptr (GHashTable) seen = contents_new ();

  for (guint i = 0; i < paths->len;) {
    const char *same = contents_find (seen, paths->pdata[i]);
    g_autofree char *why = NULL;

    if (same == NULL) {
      i++;
      continue;
    }
    why = g_strdup_printf ("the same picture as %s", same);
    skipped_files_add (&compare->skipped, paths->pdata[i], why);
    g_ptr_array_remove_index (paths, i);
  }
}

/* From the arguments. */
static gboolean
split (Compare *compare, GError **error)
{
  int wanted = compare->test_pictures;
  int all, distinct;

  compare->training = picture_list_find (compare->line.arguments, error);
  if (compare->training == NULL)
    return FALSE;
  all = (int) compare->training->len;
  drop_copies (compare, compare->training);
  distinct = (int) compare->training->len;
  if (distinct < 2)
    return tessera_fail (
      error, TESSERA_ERROR_INPUT,
      "%s: is the only picture; give at least two, one to learn from and one "
      "to test with",
      (char *) compare->training->pdata[0]);
  if (wanted == 0)
    wanted = CLAMP (distinct / TEST_SHARE, 1, USUAL_TESTS);
  if (wanted >= distinct)
    return tessera_fail (
      error, TESSERA_ERROR_USAGE,
      "--test-pictures %d: there are only %d, and at least one is needed to "
      "learn from",
      wanted, distinct);
  shuffle (compare->training, compare->line.seed, STREAM_SPLIT);
  if (!take_good (compare, compare->training, compare->testing, (guint) wanted,
                  error))
    return FALSE;
  if (compare->testing->len == 0)
    return set_none_good (compare, error);
  if (compare->training->len > 0)
    return TRUE;
  return tessera_fail (
    error, TESSERA_ERROR_INPUT,
    "only %d of the %d pictures can be used: too few to learn from and to "
    "test with",
    all - compare->skipped.count, all);
}

/* Whether no picture of one folder is, under whatever name, in the other. */
static gboolean
check_distinct (const Compare *compare, GError **error)
{
  g_autoptr (GHashTable) seen = contents_new ();

  for (guint i = 0; i < compare->training->len; i++)
    contents_find (seen, compare->training->pdata[i]);
  for (guint i = 0; i < compare->testing->len; i++) {
    const char *path = compare->testing->pdata[i];
    const char *same = contents_find (seen, path);

    /* Two of the test pictures may be the same. */
    if (same != NULL && !g_ptr_array_find (compare->testing, same, NULL))
      return tessera_fail (
        error, TESSERA_ERROR_USAGE,
        "%s: is in --train and in --test, there as %s; pictures to learn from "
        "cannot be used to test",
        same, path);
  }
  return TRUE;
}

/* From --train and --test. */
static gboolean
take_folders (Compare *compare, GError **error)
{
  char *train[] = { (char *) compare->train, NULL };
  char *test[] = { (char *) compare->test, NULL };
  g_autoptr (GPtrArray) tests = NULL;
  int wanted = compare->test_pictures;

  compare->training = picture_list_find (train, error);
  if (compare->training == NULL)
    return FALSE;
  tests = picture_list_find (test, error);
  if (tests == NULL)
    return FALSE;
  if (wanted > 0)
    shuffle (tests, compare->line.seed, STREAM_SPLIT);
  if (!take_good (compare, tests, compare->testing,
                  wanted > 0 ? (guint) wanted : G_MAXUINT, error))
    return FALSE;
  if (compare->testing->len == 0)
    return set_none_good (compare, error);
  return check_distinct (compare, error);
}

/* Probes give no patches, unless there is nothing else to learn from. */
static gboolean
take_probes (Compare *compare, GError **error)
{
  guint wanted = CLAMP (compare->training->len / PROBE_SHARE, 1, MOST_PROBES);

  shuffle (compare->training, compare->line.seed, STREAM_PROBES);
  if (!take_good (compare, compare->training, compare->probing, wanted, error))
    return FALSE;
  if (compare->probing->len == 0)
    return set_none_good (compare, error);
  if (compare->training->len == 0)
    g_ptr_array_add (compare->training, g_strdup (compare->probing->pdata[0]));
  g_ptr_array_sort (compare->training, by_name);
  return TRUE;
}

/* ---- names ---- */

/* The last part of each path, or all of it where two are the same. */
static void
name_tests (Compare *compare)
{
  g_autoptr (GHashTable) count =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < compare->testing->len; i++) {
    char *name = g_path_get_basename (compare->testing->pdata[i]);
    int before = GPOINTER_TO_INT (g_hash_table_lookup (count, name));

    g_hash_table_insert (count, name, GINT_TO_POINTER (before + 1));
  }
  for (guint i = 0; i < compare->testing->len; i++) {
    const char *path = compare->testing->pdata[i];
    g_autofree char *name = g_path_get_basename (path);
    gboolean alone = GPOINTER_TO_INT (g_hash_table_lookup (count, name)) == 1;

    g_ptr_array_add (compare->names,
                     g_utf8_make_valid (alone ? name : path, -1));
  }
}

gboolean
compare_find_pictures (Compare *compare, GError **error)
{
  compare->testing = g_ptr_array_new_with_free_func (g_free);
  compare->probing = g_ptr_array_new_with_free_func (g_free);
  compare->names = g_ptr_array_new_with_free_func (g_free);
  if (!(compare->train != NULL ? take_folders : split) (compare, error)
      || !take_probes (compare, error))
    return FALSE;
  g_ptr_array_sort (compare->testing, by_name);
  name_tests (compare);
  return TRUE;
}

/* ---- patches ---- */

typedef struct {
  Compare *compare;
  const Progress *progress;
} Gathering;

static Image *
load_picture (const char *path, gpointer data, GError **error)
{
  const Gathering *gathering = data;

  if (!progress_step (gathering->progress, 0, error))
    return NULL;
  return picture_load (path, &gathering->compare->line.limits, error);
}

static void
note_skipped (const char *path, const char *why, gpointer data)
{
  const Gathering *gathering = data;

  skipped_files_add (&gathering->compare->skipped, path, why);
}

static gboolean
check_memory (const Compare *compare, GError **error)
{
  if ((double) compare->patches * compare_length (compare) <= MOST_NUMBERS)
    return TRUE;
  return tessera_fail (
    error, TESSERA_ERROR_LIMIT,
    "--patches %d: of %d samples each, these are too many to "
    "keep; give at most %d",
    compare->patches, compare_length (compare),
    (int) (MOST_NUMBERS / compare_length (compare)));
}

gboolean
compare_gather_patches (Compare *compare, guint seed, const Progress *progress,
                        GError **error)
{
  Gathering gathering = { compare, progress };
  PatchSourceOptions options = { .patch = compare->patch,
                                 .channels = COMPARE_CHANNELS,
                                 .step = 1,
                                 .max_patches = (guint64) compare->patches,
                                 .seed = compare_seed (compare, seed),
                                 .load = load_picture,
                                 .skipped = note_skipped,
                                 .data = &gathering };
  g_autoptr (PatchSource) source = NULL;
  int count, read = 0;

  if (!check_memory (compare, error))
    return FALSE;
  source = patch_source_new (compare->training, &options, error);
  if (source == NULL)
    return FALSE;
  mat_clear (&compare->Y);
  if (!mat_try_new (&compare->Y, compare_length (compare), compare->patches,
                    error))
    return FALSE;
  do {
    Mat rest = mat_columns (&compare->Y, read, compare->patches - read);

    count = patch_source_read (source, &rest);
    read += count;
  } while (count > 0 && read < compare->patches);
  compare->Y.cols = read;
  if (!progress_step (progress, 1, error)
      || !patch_source_check (source, error))
    return FALSE;
  return read > 0 || set_none_good (compare, error);
}
