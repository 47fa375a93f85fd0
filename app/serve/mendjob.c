#include "app/serve/mendjob.h"

#include "app/cli/jsonreport.h"
#include "base/error.h"
#include "imaging/maskruns.h"

#include <string.h>

typedef struct {
  Photo *photo;
  PhotoVersion *base;
  Mask *mask; /* or NULL */
  MendOptions options;

  /* The result. */
  JsonArray *versions;
  int version;
  gsize pixels;   /* restored or found */
  GArray *counts; /* DamageCount: what was found of each kind, or NULL */
  gboolean changed;
} MendJob;

gpointer
mend_job_new (Photo *photo, Mask *mask, const MendOptions *options,
              GError **error)
{
  PhotoVersion *base = photo_version (photo, options->version, error);
  MendJob *job;

  if (base == NULL) {
    mask_free (mask);
    return NULL;
  }
  job = g_new0 (MendJob, 1);
  job->photo = photo_ref (photo);
  job->base = base;
  job->mask = mask;
  job->options = *options;
  if (options->kinds != NULL)
    g_ptr_array_ref (options->kinds);
  return job;
}

/* Frees all but the result. */
static void
release (MendJob *job)
{
  g_clear_pointer (&job->photo, photo_unref);
  g_clear_pointer (&job->base, photo_version_unref);
  g_clear_pointer (&job->mask, mask_free);
  g_clear_pointer (&job->options.kinds, g_ptr_array_unref);
}

static void
mend_job_free (gpointer data)
{
  MendJob *job = data;

  release (job);
  g_clear_pointer (&job->versions, json_array_unref);
  g_clear_pointer (&job->counts, g_array_unref);
  g_free (job);
}

/* Keeps the pixels of @found that may be looked through. */
static gboolean
keep_overlays (MendJob *job, const Mask *found, GError **error)
{
  g_autoptr (Mask) overlays = mask_new (found->width, found->height, error);
  GBytes *runs;

  if (overlays == NULL)
    return FALSE;
  for (gsize i = 0; i < image_pixels (job->base->image); i++)
    overlays->missing[i] = found->missing[i] & MASK_THROUGH ? MASK_PIXEL : 0;
  runs = mask_to_runs (overlays, error);
  if (runs == NULL)
    return FALSE;
  photo_set_overlays (job->photo, runs);
  return TRUE;
}

/* Says of the mask which of its pixels may be looked through. */
static gboolean
apply_overlays (MendJob *job, GError **error)
{
  g_autoptr (GBytes) runs = photo_overlays (job->photo);
  g_autoptr (Mask) overlays = NULL;

  if (runs == NULL || job->mask == NULL)
    return TRUE;
  overlays =
    mask_from_runs (runs, job->mask->width, job->mask->height, error);
  if (overlays == NULL)
    return FALSE;
  for (gsize i = 0; i < image_pixels (job->base->image); i++)
    if (overlays->missing[i] && (job->mask->missing[i] & MASK_PIXEL))
      job->mask->missing[i] |= MASK_THROUGH;
  return TRUE;
}

static gboolean
find_damage (MendJob *job, const Progress *progress, GError **error)
{
  const DamageSearch search = { job->options.kinds, job->options.strength };
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (DamageCount));
  g_autoptr (Mask) found =
    damage_find (job->base->image, &search, counts, progress, error);
  GBytes *runs = found != NULL ? mask_to_runs (found, error) : NULL;

  if (runs == NULL)
    return FALSE;
  if (!keep_overlays (job, found, error)) {
    g_bytes_unref (runs);
    return FALSE;
  }
  job->pixels = mask_count (found);
  job->counts = g_steal_pointer (&counts);
  photo_set_found (job->photo, runs);
  return TRUE;
}

/* Whether some sample of @a is not that of @b, of the same type. */
static gboolean
differ (const Image *a, const Image *b)
{
  gsize samples = image_pixels (a) * (gsize) a->channels;

  return memcmp (a->samples, b->samples, samples * sizeof *a->samples) != 0;
}

static gboolean
restore (MendJob *job, const Progress *progress, GError **error)
{
  g_autoptr (Image) image = image_copy (job->base->image, error);
  g_auto (RestoreReport) report = { 0 };

  if (image == NULL
      || (job->options.has_found && !apply_overlays (job, error))
      || !image_restore (image, job->mask, &job->options.restore, &report,
                         progress, error))
    return FALSE;
  job->pixels = report.masked_pixels;
  job->changed = differ (image, job->base->image);
  job->version = photo_add_version (job->photo, job->options.version,
                                    g_steal_pointer (&image));
  job->versions = photo_versions (job->photo);
  return TRUE;
}

static gboolean
run (gpointer data, const Progress *progress, GError **error)
{
  MendJob *job = data;
  gboolean ok = job->options.kinds != NULL
                  ? find_damage (job, progress, error)
                  : restore (job, progress, error);

  release (job);
  return ok && progress_step (progress, 1, error);
}

/* { "dust": { "marks": 3, "pixels": 40 } } */
static JsonObject *
describe_counts (const GArray *counts)
{
  JsonObject *kinds = json_object_new ();

  for (guint i = 0; i < counts->len; i++) {
    const DamageCount *count = &g_array_index (counts, DamageCount, i);
    JsonObject *kind = json_object_new ();

    json_report_set_count (kind, "marks", count->marks);
    json_report_set_count (kind, "pixels", count->pixels);
    json_object_set_object_member (kinds, count->detector->name, kind);
  }
  return kinds;
}

static void
describe (gpointer data, JsonObject *json)
{
  MendJob *job = data;

  if (job->counts != NULL) {
    json_report_set_count (json, "found", job->pixels);
    json_object_set_object_member (json, "kinds",
                                   describe_counts (job->counts));
    return;
  }
  json_report_set_count (json, "version", (guint64) job->version);
  json_report_set_count (json, "masked_pixels", job->pixels);
  json_object_set_boolean_member (json, "changed", job->changed);
  json_object_set_array_member (json, "versions",
                                json_array_ref (job->versions));
}

const JobClass mend_job_class = { .run = run,
                                  .describe = describe,
                                  .free = mend_job_free };
