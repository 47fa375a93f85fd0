/* handle_noise.c - the noise of a photograph, and what removing it would do */
#include "app/serve/handler.h"

#include "app/cli/jsonreport.h"
#include "app/mend/noisewords.h"
#include "app/mend/removed.h"
#include "base/error.h"
#include "imaging/denoise/denoise.h"
#include "imaging/preview.h"

/* Largest part that is denoised while somebody waits. */
#define MOST_PIXELS (1024 * 1024)

/* ---- what there is ---- */

static gboolean
handle_get_noise (const HandlerCall *call, Response *response, GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);
  g_autoptr (PhotoVersion) version = NULL;
  g_autoptr (JsonObject) json = NULL;
  g_autofree char *words = NULL;
  const FoundNoise *noise;

  if (photo != NULL)
    version = call_version (call, photo, error);
  if (version == NULL)
    return FALSE;
  noise = photo_version_noise (version, error);
  if (noise == NULL)
    return FALSE;
  json = noise_to_json (noise);
  if (noise->kind != NOISE_NONE)
    words = noise_in_words (noise);
  json_report_set_text (json, "words", words);
  response_set_json (response, json);
  return TRUE;
}

/* ---- a part, with less of it ---- */

enum { SHOW_RESULT, SHOW_REMOVED };
static const char *const shows[] = { "result", "removed", NULL };

typedef struct {
  ImageArea area;
  double strength;
  double sigma; /* or SIGMA_UNKNOWN */
  int show;
} PartRequest;

static gboolean
read_part (const HandlerCall *call, const Image *image, PartRequest *part,
           GError **error)
{
  *part = (PartRequest){ .strength = 1, .sigma = SIGMA_UNKNOWN };
  if (!call_area (call, image, &part->area, error)
      || !call_real (call, "strength", STRENGTH_MIN, STRENGTH_MAX,
                     &part->strength, error)
      || !call_real (call, "sigma", 0, SIGMA_MAX, &part->sigma, error)
      || !call_choice (call, "show", shows, &part->show, error))
    return FALSE;
  if (part->area.width > MOST_PIXELS / part->area.height)
    return tessera_fail (error, TESSERA_ERROR_LIMIT,
                         "the part is too large for a preview");
  return TRUE;
}

/* The noise that the whole picture has, as strong as it was asked for. */
static gboolean
noise_of (PhotoVersion *version, const PartRequest *part, FoundNoise *noise,
          GError **error)
{
  const FoundNoise *found = photo_version_noise (version, error);
  FoundNoise white;

  if (found == NULL)
    return FALSE;
  white = found_white_noise (found->model.colours, MAX (part->sigma, 0));
  *noise =
    found_noise_scaled (part->sigma >= 0 ? &white : found, part->strength);
  return TRUE;
}

/* @image without @noise, as a copy. */
static Image *
denoised (const Image *image, const FoundNoise *noise,
          const Progress *progress, GError **error)
{
  /* Somebody waits: the dictionary for white noise, which makes a small
   * difference, would take nearly twice as long. */
  const RestoreOptions options = { .quality = QUALITY_FAST, .cosines = TRUE };
  g_autoptr (Image) copy = image_copy (image, error);
  gsize patches = 0;

  if (copy == NULL
      || (noise->sigma > 0
          && !image_denoise (copy, noise, &options, &patches, progress,
                             error)))
    return NULL;
  return g_steal_pointer (&copy);
}

static gboolean
handle_get_denoised (const HandlerCall *call, Response *response,
                     GError **error)
{
  const Progress progress = { .cancellable = call->context->ending };
  g_autoptr (Photo) photo = call_photo (call, error);
  g_autoptr (PhotoVersion) version = NULL;
  g_autoptr (Image) before = NULL;
  g_autoptr (Image) after = NULL;
  PartRequest part;
  FoundNoise noise;

  if (photo != NULL)
    version = call_version (call, photo, error);
  if (version == NULL || !read_part (call, version->image, &part, error)
      || !noise_of (version, &part, &noise, error))
    return FALSE;
  before = image_preview (version->image, &part.area, G_MAXINT, error);
  if (before != NULL)
    after = denoised (before, &noise, &progress, error);
  if (after != NULL && part.show == SHOW_REMOVED) {
    g_autoptr (Image) removed = draw_removed (before, after, error);

    return removed != NULL && respond_view (response, removed, error);
  }
  return after != NULL && respond_view (response, after, error);
}

/* ---- what a version has less than the first one ---- */

static gboolean
handle_get_removed (const HandlerCall *call, Response *response,
                    GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);
  g_autoptr (PhotoVersion) first = NULL, version = NULL;
  g_autoptr (Image) before = NULL, after = NULL, removed = NULL;
  int side = LARGEST_VIEW;
  ImageArea area;

  if (photo != NULL)
    first = photo_version (photo, 0, error);
  if (first != NULL)
    version = call_version (call, photo, error);
  if (version == NULL || !call_area (call, version->image, &area, error)
      || !call_int (call, "side", 1, LARGEST_VIEW, &side, error))
    return FALSE;
  before = image_preview (first->image, &area, side, error);
  if (before != NULL)
    after = image_preview (version->image, &area, side, error);
  if (after != NULL)
    removed = draw_removed (before, after, error);
  return removed != NULL && respond_view (response, removed, error);
}

const Route noise_routes[] = {
  { "GET", "/api/photos/*/noise", WITH_KEY, BODY_NONE, handle_get_noise },
  { "GET", "/api/photos/*/denoised", WITH_KEY, BODY_NONE,
    handle_get_denoised },
  { "GET", "/api/photos/*/removed", WITH_KEY, BODY_NONE, handle_get_removed },
  { .method = NULL },
};
