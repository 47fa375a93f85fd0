/* preview.c
 *
 * A preview takes seconds.  Events are handled in the meantime: what changes
 * the settings or moves the part ends the work, and it begins anew.
 */
#include "app/gimp/preview.h"

#include "app/gimp/layer.h"
#include "app/gimp/selection.h"

#include <string.h>

/* What is read around the part that is seen: the library looks at no more. */
#define MARGIN 256

struct Preview {
  const Filter *filter;
  gint32 drawable;
  TesseraContext *context;
  const Values *values;
  GtkWidget *widget;
  gboolean is_busy, is_stale, is_closed;
};

static gboolean
handle_events (double done, void *data)
{
  const Preview *self = data;

  (void) done;
  while (gtk_events_pending ())
    gtk_main_iteration ();
  return !self->is_stale && !self->is_closed;
}

/* ---- a part of the layer ---- */

/* The part of the layer that is seen. */
static GeglRectangle
seen (const Preview *self)
{
  GeglRectangle place;

  gimp_preview_get_position (GIMP_PREVIEW (self->widget), &place.x, &place.y);
  gimp_preview_get_size (GIMP_PREVIEW (self->widget), &place.width,
                         &place.height);
  return place;
}

/* What is to be read for it. */
static GeglRectangle
with_surroundings (const Preview *self, const GeglRectangle *place)
{
  const GeglRectangle whole = layer_extent (self->drawable);
  GeglRectangle wide = { place->x - MARGIN, place->y - MARGIN,
                         place->width + 2 * MARGIN,
                         place->height + 2 * MARGIN };

  gegl_rectangle_intersect (&wide, &wide, &whole);
  return wide;
}

static TesseraImage *
restored (const Preview *self, const GeglRectangle *place,
          const GeglRectangle *part)
{
  const Job job = { .drawable = self->drawable,
                    .part = *part,
                    .area = { place->x - part->x, place->y - part->y,
                              place->width, place->height },
                    .values = self->values,
                    .context = self->context,
                    .progress = handle_events,
                    .progress_data = (gpointer) self };
  TesseraImage *image = layer_read (self->drawable, part, NULL);
  TesseraRestoreReport report = { .size = sizeof report };

  /* Where it fails, for example in a hole that fills all, the picture is shown
   * as it is. */
  if (image != NULL)
    filter_restore (self->filter, &job, image, &report, NULL);
  return image;
}

/* Draws what is seen of @image, which is @part of the layer. */
static void
draw (const Preview *self, const TesseraImage *image,
      const GeglRectangle *place, const GeglRectangle *part)
{
  int channels = tessera_image_channels (image);
  gsize width = (gsize) tessera_image_width (image);
  gsize height = (gsize) tessera_image_height (image);
  gsize size = (gsize) tessera_image_depth (image) / 8;
  gsize samples = width * height * (gsize) channels;
  g_autofree guint8 *bytes = g_malloc_n (samples, size);
  gsize first =
    ((gsize) (place->y - part->y) * width + (gsize) (place->x - part->x))
    * (gsize) channels;
  const TesseraPixels pixels = {
    .data = bytes,
    .type = size == 1 ? TESSERA_UINT8 : TESSERA_UINT16,
    .row_stride = (ptrdiff_t) (width * (gsize) channels * size),
    .pixel_stride = (ptrdiff_t) ((gsize) channels * size),
    .channel_stride = (ptrdiff_t) size
  };

  if (!tessera_image_get_pixels (image, &pixels, NULL))
    return;
  for (gsize i = 0; size == 2 && i < samples; i++) {
    guint16 sample;

    memcpy (&sample, bytes + 2 * i, sizeof sample);
    bytes[i] = (guint8) (sample >> 8);
  }
  gimp_preview_draw_buffer (GIMP_PREVIEW (self->widget), bytes + first,
                            (gint) (width * (gsize) channels));
}

static void
draw_anew (Preview *self)
{
  const GeglRectangle place = seen (self);
  const GeglRectangle part = with_surroundings (self, &place);
  TesseraImage *image;

  self->is_stale = FALSE;
  image = restored (self, &place, &part);
  if (image != NULL && !self->is_stale && !self->is_closed)
    draw (self, image, &place, &part);
  tessera_image_free (image);
}

static void
on_invalidated (Preview *self)
{
  self->is_stale = TRUE;
  if (self->is_busy)
    return;
  self->is_busy = TRUE;
  while (self->is_stale && !self->is_closed)
    draw_anew (self);
  self->is_busy = FALSE;
}

/* ---- for the dialog ---- */

Preview *
preview_new (const Filter *filter, gint32 drawable, TesseraContext *context,
             const Values *values)
{
  Preview *self = g_new0 (Preview, 1);

  self->filter = filter;
  self->drawable = drawable;
  self->context = context;
  self->values = values;
  self->widget = gimp_drawable_preview_new_from_drawable_id (drawable);
  g_signal_connect_swapped (self->widget, "invalidated",
                            G_CALLBACK (on_invalidated), self);
  gtk_widget_show (self->widget);
  return self;
}

void
preview_free (Preview *self)
{
  g_free (self);
}

GtkWidget *
preview_widget (Preview *self)
{
  return self->widget;
}

void
preview_update (Preview *self)
{
  gimp_preview_invalidate (GIMP_PREVIEW (self->widget));
}

void
preview_close (Preview *self)
{
  self->is_closed = TRUE;
}
