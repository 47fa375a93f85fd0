#include "app/gimp/selection.h"

gboolean
selection_bounds (gint32 drawable, gboolean is_needed, GeglRectangle *bounds,
                  GError **error)
{
  gint32 image = gimp_item_get_image (drawable);

  if (is_needed && gimp_selection_is_empty (image)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "nothing is selected; select what is to be filled");
    return FALSE;
  }
  if (gimp_drawable_mask_intersect (drawable, &bounds->x, &bounds->y,
                                    &bounds->width, &bounds->height))
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "nothing of the layer is selected");
  return FALSE;
}

/* Where @part of @drawable lies in the image. */
static GeglRectangle
in_image (gint32 drawable, const GeglRectangle *part)
{
  GeglRectangle place = *part;
  gint x = 0, y = 0;

  gimp_drawable_offsets (drawable, &x, &y);
  place.x += x;
  place.y += y;
  return place;
}

static gpointer
try_plane (int width, int height, gsize size, GError **error)
{
  gpointer plane = g_try_malloc_n ((gsize) width * (gsize) height, size);

  if (plane == NULL)
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                 "out of memory for the selection");
  return plane;
}

TesseraMask *
selection_read (gint32 drawable, const GeglRectangle *part, GError **error)
{
  gint32 selection = gimp_image_get_selection (gimp_item_get_image (drawable));
  const GeglRectangle place = in_image (drawable, part);
  gsize count = (gsize) part->width * (gsize) part->height;
  g_autofree float *amounts =
    try_plane (part->width, part->height, sizeof *amounts, error);
  g_autofree guint8 *bytes =
    amounts != NULL ? try_plane (part->width, part->height, 1, error) : NULL;
  g_autoptr (GeglBuffer) buffer = NULL;
  TesseraMask *mask;

  if (bytes == NULL)
    return NULL;
  mask = tessera_mask_new (part->width, part->height, error);
  if (mask == NULL)
    return NULL;
  buffer = gimp_drawable_get_buffer (selection);
  gegl_buffer_get (buffer, &place, 1, babl_format ("Y float"), amounts,
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gsize i = 0; i < count; i++)
    bytes[i] = amounts[i] > 0 ? TESSERA_MASK_PIXEL : 0;
  tessera_mask_set (mask, bytes, part->width);
  return mask;
}

/* Writes @bytes to a new channel of the image and combines it with the
 * selection. */
static void
combine (gint32 drawable, const guint8 *bytes, const GeglRectangle *place,
         GimpChannelOps operation)
{
  gint32 image = gimp_item_get_image (drawable);
  gint32 active = gimp_image_get_active_drawable (image);
  const GimpRGB black = { 0, 0, 0, 1 };
  gint32 channel = gimp_channel_new (image, "damage", gimp_image_width (image),
                                     gimp_image_height (image), 50, &black);
  GeglBuffer *buffer;

  gimp_image_insert_channel (image, channel, -1, 0);
  buffer = gimp_drawable_get_buffer (channel);
  gegl_buffer_clear (buffer, NULL);
  gegl_buffer_set (buffer, place, 0, babl_format ("Y u8"), bytes,
                   GEGL_AUTO_ROWSTRIDE);
  g_object_unref (buffer);
  gimp_image_select_item (image, operation, channel);
  gimp_image_remove_channel (image, channel);
  if (gimp_item_is_layer (active))
    gimp_image_set_active_layer (image, active);
  else if (gimp_item_is_channel (active))
    gimp_image_set_active_channel (image, active);
}

gboolean
selection_combine (gint32 drawable, const TesseraMask *mask,
                   GimpChannelOps operation, GError **error)
{
  gint32 image = gimp_item_get_image (drawable);
  int width = tessera_mask_width (mask), height = tessera_mask_height (mask);
  const GeglRectangle place =
    in_image (drawable, GEGL_RECTANGLE (0, 0, width, height));
  g_autofree guint8 *bytes = try_plane (width, height, 1, error);

  if (bytes == NULL)
    return FALSE;
  tessera_mask_get (mask, bytes, width);
  for (gsize i = 0; i < (gsize) width * (gsize) height; i++)
    bytes[i] = bytes[i] != 0 ? 255 : 0;
  gimp_image_undo_group_start (image);
  combine (drawable, bytes, &place, operation);
  gimp_image_undo_group_end (image);
  return TRUE;
}
