/* handle_photos.c - photographs and masks, to and from the page */
#include "app/serve/handler.h"

#include "app/cli/jsonreport.h"
#include "base/error.h"
#include "imaging/maskruns.h"
#include "imaging/preview.h"

#define RUNS_TYPE "application/octet-stream"
#define LARGEST_VIEW 4096
#define VIEW_QUALITY 90

static Photo *
find_photo (const WebCall *call, GError **error)
{
  return album_find (call->web->album, call->stars[0], error);
}

/* ---- opening and closing ---- */

static void
answer_photo (Answer *answer, Photo *photo)
{
  g_autoptr (PhotoVersion) first = photo_version (photo, 0, NULL);
  g_autoptr (JsonObject) json = json_object_new ();
  g_autofree char *mended = photo_mended_name (photo);
  const Image *image = first->image;

  report_set_text (json, "id", photo_id (photo));
  report_set_text (json, "name", photo_name (photo));
  report_set_text (json, "mended_name", mended);
  report_set_count (json, "width", (guint64) image->width);
  report_set_count (json, "height", (guint64) image->height);
  report_set_count (json, "depth", (guint64) image->depth);
  report_set_count (json, "colours", (guint64) image_colours (image));
  json_object_set_boolean_member (
    json, "alpha", image_has_alpha (image) || image->meta.has_key);
  report_set_text (json, "format",
                   image->meta.format == IMAGE_JPEG ? "JPEG" : "PNG");
  json_object_set_array_member (json, "versions", photo_versions (photo));
  answer_set_json (answer, json);
}

gboolean
web_post_photo (const WebCall *call, Answer *answer, GError **error)
{
  g_autofree char *name = web_file_name (call);
  g_autoptr (Photo) photo =
    album_open (call->web->album, name, call->request->body, error);

  if (photo != NULL)
    answer_photo (answer, photo);
  return photo != NULL;
}

gboolean
web_get_photo (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (Photo) photo = find_photo (call, error);

  if (photo != NULL)
    answer_photo (answer, photo);
  return photo != NULL;
}

void
web_close_photo (const char *id, gpointer data)
{
  Web *web = data;

  job_queue_cancel_owner (web->mending, id);
  album_close (web->album, id);
}

gboolean
web_delete_photo (const WebCall *call, Answer *answer, GError **error)
{
  (void) error;
  web_close_photo (call->stars[0], call->web);
  web_answer_done (answer);
  return TRUE;
}

/* ---- looking and saving ---- */

static PhotoVersion *
find_version (const WebCall *call, Photo *photo, GError **error)
{
  int number = 0;

  if (!web_int (call, "version", 0, G_MAXINT, &number, error))
    return NULL;
  return photo_version (photo, number, error);
}

/* The area that the query names, the whole picture by default. */
static gboolean
read_area (const WebCall *call, const Image *image, ImageArea *area,
           GError **error)
{
  *area = (ImageArea){ 0, 0, image->width, image->height };
  if (!web_int (call, "x", 0, image->width - 1, &area->x, error)
      || !web_int (call, "y", 0, image->height - 1, &area->y, error))
    return FALSE;
  area->width -= area->x;
  area->height -= area->y;
  return web_int (call, "w", 1, area->width, &area->width, error)
         && web_int (call, "h", 1, area->height, &area->height, error);
}

/* JPEG for speed, PNG for what it cannot hold. */
static gboolean
answer_view (Answer *answer, const Image *view, GError **error)
{
  const EncodeOptions options = { .jpeg_quality = VIEW_QUALITY };

  return web_answer_picture (answer, view,
                             image_has_alpha (view) ? IMAGE_PNG : IMAGE_JPEG,
                             &options, error);
}

gboolean
web_get_view (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (Photo) photo = find_photo (call, error);
  g_autoptr (PhotoVersion) version = NULL;
  g_autoptr (Image) view = NULL;
  int side = 2048;
  ImageArea area;

  if (photo == NULL || !web_int (call, "side", 1, LARGEST_VIEW, &side, error))
    return FALSE;
  version = find_version (call, photo, error);
  if (version == NULL || !read_area (call, version->image, &area, error))
    return FALSE;
  view = image_preview (version->image, &area, side, error);
  return view != NULL && answer_view (answer, view, error);
}

gboolean
web_get_picture (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (Photo) photo = find_photo (call, error);
  g_autoptr (PhotoVersion) version = NULL;

  if (photo == NULL)
    return FALSE;
  version = find_version (call, photo, error);
  return version != NULL
         && web_answer_picture (answer, version->image,
                                version->image->meta.format, &ENCODE_DEFAULTS,
                                error);
}

/* ---- masks ---- */

gboolean
web_get_found (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (Photo) photo = find_photo (call, error);
  GBytes *runs = photo != NULL ? photo_found (photo) : NULL;

  if (photo != NULL && runs == NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "nobody has looked for damage yet");
  if (runs != NULL)
    answer_set (answer, RUNS_TYPE, runs);
  return runs != NULL;
}

/* What a mask picture says, if it fits. */
static Mask *
read_mask_picture (const WebCall *call, const Photo *photo, GError **error)
{
  int width = photo_width (photo), height = photo_height (photo);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (Image) picture = NULL;

  limits.max_pixels = (gsize) width * (gsize) height;
  picture = image_decode (call->request->body, "the mask", &limits, error);
  if (picture == NULL)
    return NULL;
  if (picture->width == width && picture->height == height)
    return mask_from_picture (picture, MASK_TOGETHER, error);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "the mask has %d x %d pixels but the picture %d x %d; give a "
               "mask of the same size",
               picture->width, picture->height, width, height);
  return NULL;
}

gboolean
web_post_mask_picture (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (Photo) photo = find_photo (call, error);
  g_autoptr (Mask) mask = NULL;
  GBytes *runs = NULL;

  if (photo != NULL)
    mask = read_mask_picture (call, photo, error);
  if (mask != NULL)
    runs = mask_to_runs (mask, error);
  if (runs != NULL)
    answer_set (answer, RUNS_TYPE, runs);
  return runs != NULL;
}

gboolean
web_post_mask_runs (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (Photo) photo = find_photo (call, error);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) picture = NULL;

  if (photo != NULL)
    mask = mask_from_runs (call->request->body, photo_width (photo),
                           photo_height (photo), error);
  if (mask != NULL)
    picture = mask_to_picture (mask, error);
  return picture != NULL
         && web_answer_picture (answer, picture, IMAGE_PNG, &ENCODE_DEFAULTS,
                                error);
}
