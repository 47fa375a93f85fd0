#include "app/batch/plan.h"

#include "app/files/folder.h"
#include "app/files/identity.h"
#include "base/error.h"

#include <errno.h>
#include <string.h>

/* Folders in folders: deeper than any collection of pictures. */
#define MOST_LEVELS 64

typedef struct {
  const BatchRequest *request;
  BatchPlan *plan;
  GHashTable *folders; /* identities of those visited */
  GHashTable *paths;   /* of pictures, in one spelling */
  GHashTable *others;  /* identities of what is no input: the output folder,
                          the mask or the folder of masks */
} Search;

static void
item_free (gpointer data)
{
  BatchItem *item = data;

  if (item == NULL)
    return;
  item_free (item->mask_result);
  g_free (item->input);
  g_free (item->output);
  g_free (item->name);
  g_free (item->mask);
  g_free (item->problem);
  g_free (item);
}

void
batch_plan_free (BatchPlan *plan)
{
  if (plan == NULL)
    return;
  g_ptr_array_unref (plan->items);
  g_hash_table_unref (plan->inputs);
  g_ptr_array_unref (plan->left_out);
  g_free (plan);
}

gboolean
batch_plan_reads (const BatchPlan *plan, const char *path)
{
  struct stat info;

  return stat (path, &info) == 0 && identity_is_in (plan->inputs, &info);
}

/* ---- names ---- */

/* Where the ending of a file name begins, with its dot; its end if it has
 * none. */
static const char *
ending_of (const char *name)
{
  const char *slash = strrchr (name, G_DIR_SEPARATOR);
  const char *base = slash != NULL ? slash + 1 : name;
  const char *dot = strrchr (base, '.');

  return dot != NULL && dot != base ? dot : name + strlen (name);
}

static char *
stem_of (const char *name)
{
  return g_strndup (name, (gsize) (ending_of (name) - name));
}

static char *
output_name_of (const char *name, const BatchOptions *options)
{
  const char *ending = ending_of (name);
  g_autofree char *stem = stem_of (name);
  const char *suffix = options->suffix != NULL ? options->suffix : "";

  if (options->format != NULL)
    return g_strconcat (stem, suffix, ".", options->format, NULL);
  return g_strconcat (stem, suffix, ending, NULL);
}

/* ---- masks ---- */

/* The file in @folder for the picture @name: of the same name, or with the
 * ending of another format. */
static char *
find_mask (const char *folder, const char *name)
{
  g_autofree char *same = g_build_filename (folder, name, NULL);
  const char *const *endings = image_format_endings ();
  gsize stem = (gsize) (ending_of (same) - same);

  if (g_file_test (same, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&same);
  for (int i = 0; endings[i] != NULL; i++) {
    g_autofree char *path =
      g_strdup_printf ("%.*s.%s", (int) stem, same, endings[i]);

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer (&path);
  }
  return NULL;
}

static void
set_mask (const Search *search, BatchItem *item, const char *name)
{
  const char *masks = search->request->masks;

  if (masks == NULL)
    return;
  item->mask = g_file_test (masks, G_FILE_TEST_IS_DIR)
                 ? find_mask (masks, name)
                 : g_strdup (masks);
  if (item->mask == NULL)
    item->problem = g_strdup_printf (
      "%s: there is no mask of that name in '%s'", item->input, masks);
}

/* The mask of the result, which find_mask() finds by @name. */
static BatchItem *
mask_result_new (const Search *search, const char *path, const char *name)
{
  const char *folder = search->request->mask_folder;
  g_autofree char *stem = stem_of (name);
  BatchItem *result = g_new0 (BatchItem, 1);

  result->is_mask = TRUE;
  result->input = g_strdup (path);
  result->name = g_strconcat (stem, ".png", NULL);
  result->output = g_build_filename (folder, result->name, NULL);
  return result;
}

/* ---- the search ---- */

/* Adds the picture at @path, called @name from its folder on. */
static BatchItem *
add_item (Search *search, const char *path, const char *name)
{
  const BatchRequest *request = search->request;
  BatchItem *item = g_new0 (BatchItem, 1);

  item->input = g_strdup (path);
  item->name = output_name_of (name, request->options);
  item->output = g_build_filename (request->folder, item->name, NULL);
  if (request->mask_folder != NULL)
    item->mask_result = mask_result_new (search, path, name);
  g_ptr_array_add (search->plan->items, item);
  return item;
}

/* One spelling for each path. */
static char *
canonical (const char *path)
{
  return g_canonicalize_filename (path, NULL);
}

static void
add_picture (Search *search, const char *path, const char *name,
             const struct stat *info)
{
  BatchItem *item;

  if (identity_is_in (search->others, info)
      || !g_hash_table_add (search->paths, canonical (path)))
    return;
  item = add_item (search, path, name);
  item->bytes = (gsize) MAX (0, info->st_size);
  set_mask (search, item, name);
}

static void
add_problem (Search *search, const char *path, const char *name,
             const char *why)
{
  BatchItem *item = add_item (search, path, name);

  item->problem = g_strdup_printf ("%s: %s", path, why);
}

static void add_folder (Search *search, const char *folder, const char *name,
                        int level);

/* Adds what @path is; @name as for add_item(). */
static void
add_entry (Search *search, const char *path, const char *name, int level)
{
  struct stat info;
  TesseraFormat format;

  if (stat (path, &info) != 0) {
    if (image_format_from_path (path, &format))
      add_problem (search, path, name, g_strerror (errno));
  } else if (S_ISDIR (info.st_mode)) {
    if (search->request->options->recursive && level < MOST_LEVELS
        && !identity_is_in (search->others, &info)
        && identity_add (search->folders, &info))
      add_folder (search, path, name, level + 1);
  } else if (S_ISREG (info.st_mode) && image_format_from_path (path, &format))
    add_picture (search, path, name, &info);
  else if (S_ISREG (info.st_mode))
    g_ptr_array_add (search->plan->left_out, g_strdup (path));
}

/* Adds the pictures in @folder, which is called @name from the folder on that
 * the user named: NULL for that one. */
static void
add_folder (Search *search, const char *folder, const char *name, int level)
{
  g_autoptr (GPtrArray) entries = folder_names (folder);

  if (entries == NULL) {
    add_problem (search, folder, name != NULL ? name : ".",
                 "the folder cannot be read");
    return;
  }
  for (guint i = 0; i < entries->len; i++) {
    const char *entry = entries->pdata[i];
    g_autofree char *path = g_build_filename (folder, entry, NULL);
    g_autofree char *inner =
      name != NULL ? g_build_filename (name, entry, NULL) : g_strdup (entry);

    add_entry (search, path, inner, level);
  }
}

static gboolean
add_argument (Search *search, const char *path, GError **error)
{
  g_autofree char *name = g_path_get_basename (path);
  struct stat info;

  if (g_str_equal (path, "-"))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "standard input has no name and cannot go into a "
                         "folder; name a file to write");
  if (stat (path, &info) != 0)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "%s: no such file or folder", path);
  if (!S_ISDIR (info.st_mode))
    add_picture (search, path, name, &info);
  else if (identity_add (search->folders, &info))
    add_folder (search, path, NULL, 0);
  return TRUE;
}

/* ---- checks ---- */

/* Results of a run before that lie beside their inputs were found as well. */
static void
drop_results (BatchPlan *plan, const BatchOptions *options)
{
  g_autoptr (GHashTable) outputs =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (options->suffix == NULL)
    return;
  for (guint i = 0; i < plan->items->len; i++)
    g_hash_table_add (outputs, canonical (batch_plan_item (plan, i)->output));
  for (guint i = plan->items->len; i-- > 0;) {
    g_autofree char *input = canonical (batch_plan_item (plan, i)->input);

    if (g_hash_table_contains (outputs, input))
      g_ptr_array_remove_index (plan->items, i);
  }
}

/* All that is written: items without a problem, and their masks.  The caller
 * owns the array. */
static GPtrArray *
all_results (const BatchPlan *plan)
{
  GPtrArray *results = g_ptr_array_new ();

  for (guint i = 0; i < plan->items->len; i++) {
    const BatchItem *item = batch_plan_item (plan, i);

    if (item->problem != NULL)
      continue;
    g_ptr_array_add (results, (gpointer) item);
    if (item->mask_result != NULL)
      g_ptr_array_add (results, item->mask_result);
  }
  return results;
}

static gboolean
check_distinct (const BatchPlan *plan, GError **error)
{
  g_autoptr (GHashTable) outputs =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) results = all_results (plan);

  for (guint i = 0; i < results->len; i++) {
    const BatchItem *item = results->pdata[i];
    g_autofree char *path = canonical (item->output);
    const BatchItem *other = g_hash_table_lookup (outputs, path);

    if (other != NULL && g_str_equal (other->input, item->input))
      return tessera_fail (error, TESSERA_ERROR_USAGE,
                           "%s and its mask would both become %s; name "
                           "another folder for masks",
                           item->input, item->output);
    if (other != NULL)
      return tessera_fail (error, TESSERA_ERROR_USAGE,
                           "%s and %s would both become %s; work on them in "
                           "two runs",
                           other->input, item->input, item->output);
    if (batch_plan_reads (plan, path))
      return tessera_fail (error, TESSERA_ERROR_USAGE,
                           "%s: is also an input; name another folder, or use "
                           "--suffix",
                           item->output);
    g_hash_table_insert (outputs, g_steal_pointer (&path), (gpointer) item);
  }
  return TRUE;
}

/* The same for names that differ only by case. */
static char *
fold_case (const char *path)
{
  g_autofree char *whole = canonical (path);

  return g_utf8_validate (whole, -1, NULL) ? g_utf8_casefold (whole, -1)
                                           : g_ascii_strdown (whole, -1);
}

gboolean
batch_plan_find_case_pair (const BatchPlan *plan, const BatchItem *pair[2])
{
  g_autoptr (GHashTable) folded =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) results = all_results (plan);

  for (guint i = 0; i < results->len; i++) {
    const BatchItem *item = results->pdata[i];
    g_autofree char *name = fold_case (item->output);

    pair[0] = g_hash_table_lookup (folded, name);
    pair[1] = item;
    if (pair[0] != NULL)
      return TRUE;
    g_hash_table_insert (folded, g_steal_pointer (&name), (gpointer) item);
  }
  return FALSE;
}

/* What no result may replace: all pictures and masks. */
static void
note_inputs (BatchPlan *plan)
{
  for (guint i = 0; i < plan->items->len; i++) {
    const BatchItem *item = batch_plan_item (plan, i);
    struct stat info;

    if (stat (item->input, &info) == 0 && S_ISREG (info.st_mode))
      identity_add (plan->inputs, &info);
    if (item->mask != NULL && stat (item->mask, &info) == 0)
      identity_add (plan->inputs, &info);
  }
}

static gboolean
search_arguments (Search *search, GError **error)
{
  const BatchRequest *request = search->request;
  struct stat info;

  if (stat (request->folder, &info) == 0)
    identity_add (search->others, &info);
  if (request->masks != NULL && stat (request->masks, &info) == 0)
    identity_add (search->others, &info);
  if (request->mask_folder != NULL && stat (request->mask_folder, &info) == 0)
    identity_add (search->others, &info);
  for (int i = 0; request->arguments[i] != NULL; i++)
    if (!add_argument (search, request->arguments[i], error))
      return FALSE;
  /* The next run would take them for pictures. */
  if (request->mask_folder != NULL && stat (request->mask_folder, &info) == 0
      && identity_is_in (search->folders, &info))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%s: is a folder of inputs; name another folder for "
                         "masks",
                         request->mask_folder);
  if (search->plan->items->len > 0)
    return TRUE;
  return tessera_fail (error, TESSERA_ERROR_INPUT,
                       "%s: no picture of a known format in it%s",
                       request->arguments[0],
                       request->options->recursive
                         ? ""
                         : "; --recursive looks into the folders in it");
}

BatchPlan *
batch_plan_new (const BatchRequest *request, GError **error)
{
  g_autoptr (BatchPlan) plan = g_new0 (BatchPlan, 1);
  g_autoptr (GHashTable) folders = identities_new ();
  g_autoptr (GHashTable) others = identities_new ();
  g_autoptr (GHashTable) paths =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Search search = { request, plan, folders, paths, others };

  plan->items = g_ptr_array_new_with_free_func (item_free);
  plan->inputs = identities_new ();
  plan->left_out = g_ptr_array_new_with_free_func (g_free);
  if (!search_arguments (&search, error))
    return NULL;
  drop_results (plan, request->options);
  note_inputs (plan);
  return check_distinct (plan, error) ? g_steal_pointer (&plan) : NULL;
}
