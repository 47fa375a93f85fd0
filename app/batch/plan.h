/* plan.h - which pictures of a folder become which files
 *
 * A picture FOLDER/a/b.png becomes OUTPUT/a/b.png; one that is named itself
 * becomes OUTPUT/b.png.  No picture becomes a file that is an input, and no
 * two become the same file.  Its mask becomes MASKS/a/b.png, so that MASKS can
 * be given back as a folder of masks.  A result is never taken for an input:
 * an output folder inside an input folder is left out, and so are results
 * beside their inputs.
 */
#pragma once

#include "app/batch/options.h"

#include <sys/stat.h>

typedef struct BatchItem BatchItem;
struct BatchItem {
  char *input, *output;
  char *name;    /* of the output in its folder */
  char *mask;    /* NULL for none */
  char *problem; /* why nothing can be done, or NULL */
  gsize bytes;   /* size of the input file */
  BatchItem *mask_result; /* the mask that is written besides: its output and
                             name, and input as here; NULL for none */
  gboolean is_mask;       /* is such a mask */
};

typedef struct {
  char **arguments;   /* files and folders, NULL at the end */
  const char *folder; /* where results go */
  const char *masks;  /* a mask, or a folder of masks by name, or NULL */
  const char *mask_folder; /* where masks of the results go; NULL for none */
  const BatchOptions *options;
} BatchRequest;

typedef struct {
  GPtrArray *items;   /* BatchItem, sorted within each folder */
  GHashTable *inputs; /* identities of all files that are read */
  GPtrArray *left_out; /* char *, files of folders that no format has by their
                          names */
} BatchPlan;

/* Makes a plan; looks at names only, reads no picture.  What cannot be read
 * becomes an item with a problem.  NULL with @error set: INPUT when there is
 * nothing to do or something named does not exist, USAGE when a result would
 * replace an input or another result, or masks go where pictures come from. */
BatchPlan *batch_plan_new (const BatchRequest *request, GError **error);

/* @plan may be NULL. */
void batch_plan_free (BatchPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BatchPlan, batch_plan_free)

/* Whether @path leads, by whatever name, to a file that is read. */
gboolean batch_plan_reads (const BatchPlan *plan, const char *path);

/* Two items whose results have names that differ only by case.  FALSE if there
 * are none. */
gboolean batch_plan_find_case_pair (const BatchPlan *plan,
                                    const BatchItem *pair[2]);

static inline const BatchItem *
batch_plan_item (const BatchPlan *plan, guint i)
{
  return plan->items->pdata[i];
}
