#include "app/serve/mendjob.h"

#include "app/cli/jsonreport.h"
#include "base/error.h"
#include "imaging/denoise/denoise.h"
#include "imaging/detect/detect.h"
#include "imaging/maskruns.h"

#include <math.h>
#include <string.h>

typedef struct {
  Photo *photo;
  PhotoVersion *base;
  Mask *mask;
  MendOptions options;

  /* The result. */
  JsonArray *versions;
  int version;
  gsize pixels; /* restored or found */
  gboolean changed;
} MendJob;

gpointer
mend_job_new (Photo *photo, Mask *mask, const MendOptions *options,
              GError **error)
{
  PhotoVersion *base = photo_version (photo, options->version, error);
  MendJob *mending;

  if (base == NULL) {
    mask_free (mask);
    return NULL;
  }
  mending = g_new0 (MendJob, 1);
  mending->photo = photo_ref (photo);
  mending->base = base;
  mending->mask = mask;
  mending->options = *options;
  return mending;
}

/* Lets go of all but the result. */
static void
release (MendJob *mending)
{
  g_clear_pointer (&mending->photo, photo_unref);
  g_clear_pointer (&mending->base, photo_version_unref);
  g_clear_pointer (&mending->mask, mask_free);
}

static void
mend_job_free (gpointer data)
{
  MendJob *mending = data;

  release (mending);
  g_clear_pointer (&mending->versions, json_array_unref);
  g_free (mending);
}

/* ---- finding ---- */

static gboolean
find_damage (MendJob *mending, const Progress *progress, GError **error)
{
  const Image *image = mending->base->image;
  g_autoptr (Mask) found = mending->options.task == MEND_FIND_BLOCKS
                             ? mask_of_black_blocks (image, error)
                             : mask_of_dead_pixels (image, progress, error);
  GBytes *runs = found != NULL ? mask_to_runs (found, error) : NULL;

  if (runs == NULL)
    return FALSE;
  mending->pixels = mask_count (found);
  photo_set_found (mending->photo, runs);
  return TRUE;
}

/* ---- restoring ---- */

/* Share of the work that it is to find dead pixels. */
#define FINDING_SHARE 0.2

static gboolean
fill (MendJob *mending, Image *image, const Progress *progress, GError **error)
{
  g_auto (RestoreReport) report = { 0 };

  mending->pixels = mask_count (mending->mask);
  return image_restore (image, mending->mask, &mending->options.restore,
                        &report, progress, error);
}

/* What is painted is missing, else what stands out from its neighbours. */
static gboolean
denoise (MendJob *mending, Image *image, const Progress *progress,
         GError **error)
{
  ProgressPart parts[] = { { progress, 0, FINDING_SHARE },
                           { progress, FINDING_SHARE, 1 } };
  Progress finding = progress_part (&parts[0]);
  Progress filling = progress_part (&parts[1]);
  DenoiseOptions options = DENOISE_DEFAULTS;
  g_auto (DenoiseReport) report = { 0 };

  options.restore = mending->options.restore;
  if (!isnan (mending->options.sigma))
    options.sigma = mending->options.sigma;
  if (mask_count (mending->mask) == 0) {
    mask_free (mending->mask);
    mending->mask = mask_of_dead_pixels (image, &finding, error);
  }
  if (mending->mask == NULL)
    return FALSE;
  mending->pixels = mask_count (mending->mask);
  return image_denoise (image, mending->mask, &options, &report, &filling,
                        error);
}

/* Whether some sample of @a is not that of @b, of the same type. */
static gboolean
differ (const Image *a, const Image *b)
{
  gsize samples = image_pixels (a) * (gsize) a->channels;

  return memcmp (a->samples, b->samples, samples * sizeof *a->samples) != 0;
}

static gboolean
restore (MendJob *mending, const Progress *progress, GError **error)
{
  g_autoptr (Image) image = image_copy (mending->base->image, error);

  if (image == NULL
      || !(mending->options.task == MEND_FILL
             ? fill (mending, image, progress, error)
             : denoise (mending, image, progress, error)))
    return FALSE;
  mending->changed = differ (image, mending->base->image);
  mending->version = photo_add_version (
    mending->photo, mending->options.version, g_steal_pointer (&image));
  mending->versions = photo_versions (mending->photo);
  return TRUE;
}

/* ---- the job ---- */

static gboolean
is_search (const MendJob *mending)
{
  return mending->options.task == MEND_FIND_BLOCKS
         || mending->options.task == MEND_FIND_DEAD;
}

static gboolean
run (gpointer data, const Progress *progress, GError **error)
{
  MendJob *mending = data;
  gboolean ok = is_search (mending) ? find_damage (mending, progress, error)
                                    : restore (mending, progress, error);

  release (mending);
  return ok && progress_step (progress, 1, error);
}

static void
describe (gpointer data, JsonObject *json)
{
  MendJob *mending = data;

  if (is_search (mending)) {
    json_report_set_count (json, "found", mending->pixels);
    return;
  }
  json_report_set_count (json, "version", (guint64) mending->version);
  json_report_set_count (json, "masked_pixels", mending->pixels);
  json_object_set_boolean_member (json, "changed", mending->changed);
  json_object_set_array_member (json, "versions",
                                json_array_ref (mending->versions));
}

const JobClass mend_job_class = { run, describe, mend_job_free };
