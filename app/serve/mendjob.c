#include "app/serve/mendjob.h"

#include "app/cli/jsonreport.h"
#include "app/mend/fadingwords.h"
#include "app/mend/noisewords.h"
#include "app/serve/overlays.h"
#include "base/error.h"
#include "imaging/maskruns.h"

#include <string.h>

typedef struct {
  Photo *photo;
  PhotoVersion *base;
  Mask *mask; /* or NULL */
  MendOptions options;

  /* The result. */
  GArray *counts;      /* DamageCount: what was found of each kind, or NULL;
                          atomic, and does not change once it is there */
  gsize found;         /* pixels */
  JsonArray *versions; /* NULL after a search */
  int version;
  gsize pixels; /* restored */
  gboolean changed;
  char *noise; /* that was removed, in words, or NULL */
  const char *faded; /* what was brought back of faded colours, or NULL */
} MendJob;

/* Assumed share of the work of finding damage. */
#define FIND_SHARE 0.3

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
  g_free (job->noise);
  g_free (job);
}

/* Says of the mask which of its pixels may be looked through. */
static gboolean
apply_overlays (MendJob *job, GError **error)
{
  const MendOptions *options = &job->options;

  if (job->mask == NULL)
    return TRUE;
  return (!options->has_found
          || overlays_apply (job->photo, OVERLAYS_FOUND, job->mask, error))
         && (!options->has_loaded
             || overlays_apply (job->photo, OVERLAYS_LOADED, job->mask,
                                error));
}

/* Adds @found to what is to be filled. */
static gboolean
add_found (MendJob *job, const Mask *found, GError **error)
{
  if (job->mask == NULL)
    job->mask = mask_copy (found, error);
  else
    mask_add (job->mask, found);
  return job->mask != NULL;
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
  photo_set_found (job->photo, runs);
  if (!overlays_keep (job->photo, OVERLAYS_FOUND, found, error)
      || (!job->options.is_search && !add_found (job, found, error)))
    return FALSE;
  job->found = mask_count (found);
  g_atomic_pointer_set (&job->counts, g_steal_pointer (&counts));
  return TRUE;
}

static gboolean
widen_marks (MendJob *job, GError **error)
{
  Mask *wide;

  if (job->mask == NULL || job->options.grow == 0)
    return TRUE;
  wide = mask_widened (job->mask, job->options.grow, error);
  if (wide == NULL)
    return FALSE;
  mask_free (job->mask);
  job->mask = wide;
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

  if (image == NULL || !apply_overlays (job, error)
      || !widen_marks (job, error)
      || !image_restore (image, job->mask, &job->options.restore, &report,
                         progress, error))
    return FALSE;
  job->pixels = report.masked_pixels;
  job->noise = report.sigma > 0 ? noise_in_words (&report.noise) : NULL;
  job->faded = fading_in_words (&report.fading);
  job->changed = differ (image, job->base->image);
  job->version = photo_add_version (job->photo, job->options.version,
                                    g_steal_pointer (&image), error);
  if (job->version < 0)
    return FALSE;
  job->versions = photo_versions (job->photo);
  return TRUE;
}

static gboolean
run (gpointer data, const Progress *progress, GError **error)
{
  MendJob *job = data;
  gboolean find = job->options.kinds != NULL;
  gboolean is_search = job->options.is_search;
  ProgressPart finding = { progress, 0, is_search ? 1 : FIND_SHARE };
  ProgressPart filling = { progress, find ? FIND_SHARE : 0, 1 };
  Progress part = progress_part (&finding);
  gboolean ok = !find || find_damage (job, &part, error);

  part = progress_part (&filling);
  ok = ok && (is_search || restore (job, &part, error));
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
describe_found (gpointer data, JsonObject *json)
{
  MendJob *job = data;
  const GArray *counts = g_atomic_pointer_get (&job->counts);

  if (counts == NULL)
    return;
  json_report_set_count (json, "found", job->found);
  json_object_set_object_member (json, "kinds", describe_counts (counts));
}

static void
describe (gpointer data, JsonObject *json)
{
  MendJob *job = data;

  describe_found (job, json);
  if (job->versions == NULL)
    return;
  json_report_set_count (json, "version", (guint64) job->version);
  json_report_set_count (json, "masked_pixels", job->pixels);
  json_object_set_boolean_member (json, "changed", job->changed);
  json_report_set_text (json, "noise", job->noise);
  json_report_set_text (json, "faded", job->faded);
  json_object_set_array_member (json, "versions",
                                json_array_ref (job->versions));
}

const JobClass mend_job_class = { .run = run,
                                  .describe = describe,
                                  .describe_so_far = describe_found,
                                  .free = mend_job_free };
