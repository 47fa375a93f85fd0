/* handle_photos.c - photographs and masks, to and from the page */
#include "app/serve/handler.h"

#include "app/cli/jsonreport.h"
#include "app/files/files.h"
#include "app/serve/overlays.h"
#include "app/serve/savephoto.h"
#include "base/error.h"
#include "imaging/maskruns.h"
#include "imaging/preview.h"

#define RUNS_TYPE "application/octet-stream"
#define VIEW_QUALITY 90

Photo *
call_photo (const HandlerCall *call, GError **error)
{
  return open_photos_find (call->context->photos, call->stars[0], error);
}

/* ---- opening and closing ---- */

static void
response_photo (Response *response, Photo *photo)
{
  g_autoptr (PhotoVersion) first = photo_version (photo, 0, NULL);
  g_autoptr (JsonObject) json = json_object_new ();
  g_autofree char *mended = photo_mended_name (photo);
  const Image *image = first->image;

  json_report_set_text (json, "id", photo_id (photo));
  json_report_set_text (json, "name", photo_name (photo));
  json_report_set_text (json, "mended_name", mended);
  json_report_set_count (json, "width", (guint64) image->width);
  json_report_set_count (json, "height", (guint64) image->height);
  json_report_set_count (json, "depth", (guint64) image->depth);
  json_report_set_count (json, "colours", (guint64) image_colours (image));
  json_object_set_boolean_member (
    json, "alpha", image_has_alpha (image) || image->meta.has_key);
  json_report_set_text (json, "format",
                        image_format_name (image->meta.format));
  json_object_set_array_member (json, "versions", photo_versions (photo));
  response_set_json (response, json);
}

static gboolean
handle_post_photo (const HandlerCall *call, Response *response, GError **error)
{
  g_autofree char *name = call_file_name (call);
  g_autoptr (Photo) photo =
    open_photos_open (call->context->photos, name, call->request->body, error);

  if (photo != NULL)
    response_photo (response, photo);
  return photo != NULL;
}

/* The name of a file as the page shows it, valid UTF-8. */
static char *
given_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  return g_filename_display_name (base);
}

static gboolean
handle_get_given (const HandlerCall *call, Response *response, GError **error)
{
  const GPtrArray *given = call->context->given;
  g_autoptr (JsonObject) json = json_object_new ();
  JsonArray *names = json_array_new ();

  (void) error;
  for (guint i = 0; i < given->len; i++) {
    g_autofree char *name = given_name (given->pdata[i]);

    json_array_add_string_element (names, name);
  }
  json_object_set_array_member (json, "names", names);
  response_set_json (response, json);
  return TRUE;
}

static gboolean
handle_post_given (const HandlerCall *call, Response *response, GError **error)
{
  const GPtrArray *given = call->context->given;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (Photo) photo = NULL;
  g_autofree char *name = NULL;
  guint64 number;

  if (!g_ascii_string_to_unsigned (call->stars[0], 10, 0, G_MAXUINT, &number,
                                   NULL)
      || number >= given->len)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "no picture of that number was given");
  bytes = file_read (given->pdata[number], error);
  if (bytes == NULL)
    return FALSE;
  name = given_name (given->pdata[number]);
  photo = open_photos_open (call->context->photos, name, bytes, error);
  if (photo != NULL)
    response_photo (response, photo);
  return photo != NULL;
}

static gboolean
handle_get_photo (const HandlerCall *call, Response *response, GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);

  if (photo != NULL)
    response_photo (response, photo);
  return photo != NULL;
}

void
serve_close_photo (const char *id, gpointer data)
{
  ServeContext *context = data;

  job_queue_cancel_owner (context->mend_jobs, id);
  open_photos_close (context->photos, id);
}

static gboolean
handle_delete_photo (const HandlerCall *call, Response *response,
                     GError **error)
{
  (void) error;
  serve_close_photo (call->stars[0], call->context);
  respond_done (response);
  return TRUE;
}

/* ---- looking and saving ---- */

PhotoVersion *
call_version (const HandlerCall *call, Photo *photo, GError **error)
{
  int number = 0;

  if (!call_int (call, "version", 0, G_MAXINT, &number, error))
    return NULL;
  return photo_version (photo, number, error);
}

gboolean
call_area (const HandlerCall *call, const Image *image, ImageArea *area,
           GError **error)
{
  *area = (ImageArea){ 0, 0, image->width, image->height };
  if (!call_int (call, "x", 0, image->width - 1, &area->x, error)
      || !call_int (call, "y", 0, image->height - 1, &area->y, error))
    return FALSE;
  area->width -= area->x;
  area->height -= area->y;
  return call_int (call, "w", 1, area->width, &area->width, error)
         && call_int (call, "h", 1, area->height, &area->height, error);
}

gboolean
respond_view (Response *response, const Image *view, GError **error)
{
  const EncodeOptions options = { .jpeg_quality = VIEW_QUALITY };

  return respond_picture (response, view,
                          image_has_alpha (view) ? TESSERA_PNG : TESSERA_JPEG,
                          &options, error);
}

static gboolean
handle_get_view (const HandlerCall *call, Response *response, GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);
  g_autoptr (PhotoVersion) version = NULL;
  g_autoptr (Image) view = NULL;
  int side = 2048;
  ImageArea area;

  if (photo == NULL || !call_int (call, "side", 1, LARGEST_VIEW, &side, error))
    return FALSE;
  version = call_version (call, photo, error);
  if (version == NULL || !call_area (call, version->image, &area, error))
    return FALSE;
  view = image_preview (version->image, &area, side, error);
  return view != NULL && respond_view (response, view, error);
}

static gboolean
handle_get_picture (const HandlerCall *call, Response *response,
                    GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);
  g_autoptr (PhotoVersion) version = NULL;
  GBytes *bytes;
  ImageArea area;
  int number = 0;

  if (photo == NULL
      || !call_int (call, "version", 0, G_MAXINT, &number, error))
    return FALSE;
  version = photo_version (photo, number, error);
  if (version == NULL || !call_area (call, version->image, &area, error))
    return FALSE;
  bytes = photo_save (photo, number, &area, error);
  if (bytes != NULL)
    response_set (response, image_format_type (version->image->meta.format),
                  bytes);
  return bytes != NULL;
}

/* ---- masks ---- */

static gboolean
handle_get_found (const HandlerCall *call, Response *response, GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);
  GBytes *runs = photo != NULL ? photo_found (photo) : NULL;

  if (photo != NULL && runs == NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "damage has not been searched for yet");
  if (runs != NULL)
    response_set (response, RUNS_TYPE, runs);
  return runs != NULL;
}

/* What a mask picture says, if it fits. */
static Mask *
read_mask_picture (const HandlerCall *call, const Photo *photo, GError **error)
{
  int width = photo_width (photo), height = photo_height (photo);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (Image) picture = NULL;
  g_autoptr (Mask) mask = NULL;

  limits.max_pixels = (gsize) width * (gsize) height;
  picture = image_decode (call->request->body, "the mask", &limits, error);
  if (picture != NULL)
    mask = mask_from_picture (picture, MASK_TOGETHER, error);
  if (mask == NULL || !mask_check_size (mask, width, height, error))
    return NULL;
  return g_steal_pointer (&mask);
}

static gboolean
handle_post_mask_picture (const HandlerCall *call, Response *response,
                          GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);
  g_autoptr (Mask) mask = NULL;
  GBytes *runs = NULL;

  if (photo != NULL)
    mask = read_mask_picture (call, photo, error);
  if (mask != NULL && overlays_keep (photo, OVERLAYS_LOADED, mask, error))
    runs = mask_to_runs (mask, error);
  if (runs != NULL)
    response_set (response, RUNS_TYPE, runs);
  return runs != NULL;
}

static gboolean
handle_post_mask_runs (const HandlerCall *call, Response *response,
                       GError **error)
{
  g_autoptr (Photo) photo = call_photo (call, error);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) picture = NULL;
  int found = 0, loaded = 0;

  if (photo == NULL || !call_int (call, "found", 0, 1, &found, error)
      || !call_int (call, "loaded", 0, 1, &loaded, error))
    return FALSE;
  mask = mask_from_runs (call->request->body, photo_width (photo),
                         photo_height (photo), error);
  if (mask != NULL
      && (!found || overlays_apply (photo, OVERLAYS_FOUND, mask, error))
      && (!loaded || overlays_apply (photo, OVERLAYS_LOADED, mask, error)))
    picture = mask_to_picture (mask, error);
  return picture != NULL
         && respond_picture (response, picture, TESSERA_PNG, &ENCODE_DEFAULTS,
                             error);
}

const Route photo_routes[] = {
  { "GET", "/api/given", WITH_KEY, BODY_NONE, handle_get_given },
  { "POST", "/api/given/*", WITH_KEY, BODY_NONE, handle_post_given },
  { "POST", "/api/photos", WITH_KEY, BODY_PICTURE, handle_post_photo },
  { "GET", "/api/photos/*", WITH_KEY, BODY_NONE, handle_get_photo },
  { "DELETE", "/api/photos/*", WITH_KEY, BODY_NONE, handle_delete_photo },
  { "GET", "/api/photos/*/view", WITH_KEY, BODY_NONE, handle_get_view },
  { "GET", "/api/photos/*/picture", WITH_KEY, BODY_NONE, handle_get_picture },
  { "GET", "/api/photos/*/found", WITH_KEY, BODY_NONE, handle_get_found },
  { "POST", "/api/photos/*/mask/picture", WITH_KEY, BODY_PICTURE,
    handle_post_mask_picture },
  { "POST", "/api/photos/*/mask/runs", WITH_KEY, BODY_RUNS,
    handle_post_mask_runs },
  { .method = NULL },
};
