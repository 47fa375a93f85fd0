#include "imaging/inpaint/region.h"

#include "base/error.h"
#include "base/list.h"
#include "imaging/area.h"
#include "imaging/distance.h"
#include "imaging/planes.h"

/* A part is cut out with a margin of its larger side, within these bounds. */
#define LEAST_MARGIN 64
#define MOST_MARGIN 512

/* ---- thickness ---- */

static gboolean
is_deep (const Thickness *self, gsize i)
{
  return self->depth[i] > CHAMFER_PIXEL * THIN_DEPTH;
}

static gboolean
has_deep (const Thickness *self)
{
  gsize pixels = (gsize) self->width * (gsize) self->height;

  for (gsize i = 0; i < pixels; i++)
    if (is_deep (self, i))
      return TRUE;
  return FALSE;
}

/* Marks what is missing within reach of something deep. */
static gboolean
mark_thick (Thickness *self, const Mask *missing, GError **error)
{
  gsize pixels = (gsize) self->width * (gsize) self->height;
  g_autofree guint16 *distance = g_try_new (guint16, pixels);

  if (distance == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to measure holes");
  for (gsize i = 0; i < pixels; i++)
    distance[i] = is_deep (self, i) ? 0 : CHAMFER_FAR;
  chamfer_distances (distance, self->width, self->height);
  for (gsize i = 0; i < pixels; i++)
    if (missing->missing[i] && distance[i] <= CHAMFER_PIXEL * THIN_DEPTH) {
      self->thick[i] = THICK_WAITING;
      self->waiting++;
    }
  return TRUE;
}

/* Whether patches see nothing of pixel @i: one colour that is left tells them
 * much about the others. */
static gboolean
is_lost (const Image *image, const Mask *missing, gsize i)
{
  if (image_is_transparent (image, i))
    return TRUE;
  for (int c = 0; c < image_colours (image); c++)
    if (!mask_hides (missing->missing[i], c))
      return FALSE;
  return TRUE;
}

Thickness *
thickness_new (const Image *image, const Mask *missing, GError **error)
{
  g_autoptr (Thickness) self = g_new0 (Thickness, 1);
  gboolean opaque = !image_has_alpha (image) && !image->meta.has_key;
  gsize pixels = image_pixels (image);

  self->width = image->width;
  self->height = image->height;
  self->depth = g_try_new (guint16, pixels);
  self->thick = g_try_malloc0 (pixels);
  if (self->depth == NULL || self->thick == NULL) {
    tessera_fail (error, TESSERA_ERROR_MEMORY,
                  "not enough memory to measure holes");
    return NULL;
  }
  for (gsize i = 0; i < pixels; i++)
    self->depth[i] =
      (missing->missing[i] || !opaque) && is_lost (image, missing, i)
        ? CHAMFER_FAR
        : 0;
  chamfer_distances (self->depth, self->width, self->height);
  if (has_deep (self) && !mark_thick (self, missing, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
thickness_free (Thickness *self)
{
  if (self == NULL)
    return;
  g_free (self->depth);
  g_free (self->thick);
  g_free (self);
}

/* Chooses the waiting neighbours of pixel @i and puts them on @stack. */
static void
choose_neighbours (Thickness *self, gsize i, List *stack)
{
  int x = (int) (i % (gsize) self->width), y = (int) (i / (gsize) self->width);

  for (int row = MAX (0, y - 1); row <= MIN (y + 1, self->height - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, self->width - 1);
         col++) {
      gsize j = (gsize) row * (gsize) self->width + (gsize) col;

      if (self->thick[j] == THICK_WAITING) {
        self->thick[j] = THICK_CHOSEN;
        self->waiting--;
        list_append (stack, &j, 1);
      }
    }
}

static gboolean
choose_part (Thickness *self, gsize start, GError **error)
{
  g_autoptr (List) stack = list_new (sizeof (gsize), NULL);
  int left = self->width, right = 0, top = self->height, bottom = 0;

  self->thick[start] = THICK_CHOSEN;
  self->waiting--;
  list_append (stack, &start, 1);
  while (stack->len > 0) {
    gsize i = list_at (stack, gsize, stack->len - 1);
    int x = (int) (i % (gsize) self->width);
    int y = (int) (i / (gsize) self->width);

    list_cut (stack, stack->len - 1);
    left = MIN (left, x);
    right = MAX (right, x + 1);
    top = MIN (top, y);
    bottom = MAX (bottom, y + 1);
    choose_neighbours (self, i, stack);
  }
  self->chosen = (ImageArea){ left, top, right - left, bottom - top };
  return list_check (stack, "a thick hole", error);
}

static void
finish_chosen (Thickness *self)
{
  const ImageArea *box = &self->chosen;

  for (int y = box->y; y < box->y + box->height; y++)
    for (int x = box->x; x < box->x + box->width; x++) {
      guint8 *state =
        self->thick + (gsize) y * (gsize) self->width + (gsize) x;

      if (*state == THICK_CHOSEN)
        *state = THICK_DONE;
    }
}

gboolean
thickness_next (Thickness *self, GError **error)
{
  finish_chosen (self);
  if (self->waiting == 0)
    return FALSE;
  while (self->thick[self->next] != THICK_WAITING)
    self->next++;
  return choose_part (self, self->next, error);
}

/* ---- regions ---- */

/* @box with a margin, within the picture. */
static ImageArea
widen (const ImageArea *box, const Image *image)
{
  int margin =
    CLAMP (MAX (box->width, box->height), LEAST_MARGIN, MOST_MARGIN);

  return area_widened (box, margin, image->width, image->height);
}

static void
cut_pixel (Region *self, const Image *image, const Mask *missing,
           const Thickness *thickness, gsize to, gsize from)
{
  const guint16 *pixel = image->samples + from * (gsize) image->channels;
  float scale = 1 / (float) image_peak (image);

  self->missing[to] =
    image_is_transparent (image, from) ? MASK_PIXEL : missing->missing[from];
  self->wanted[to] = thickness->thick[from] == THICK_CHOSEN;
  self->depth[to] = (float) thickness->depth[from] / CHAMFER_PIXEL;
  for (int c = 0; c < self->channels; c++)
    self->values[to * (gsize) self->channels + (gsize) c] =
      mask_hides (self->missing[to], c) ? 0 : (float) pixel[c] * scale;
}

Region *
region_new (const Image *image, const Mask *missing,
            const Thickness *thickness, GError **error)
{
  const ImageArea *box = &thickness->chosen;
  g_autoptr (Region) self = g_new0 (Region, 1);
  ImageArea area = widen (box, image);
  gsize pixels = (gsize) area.width * (gsize) area.height;

  self->x = area.x;
  self->y = area.y;
  self->width = area.width;
  self->height = area.height;
  self->channels = image_colours (image);
  self->values = g_try_new (float, pixels *(gsize) self->channels);
  self->missing = g_try_malloc (pixels);
  self->wanted = g_try_malloc (pixels);
  self->depth = g_try_new (float, pixels);
  if (self->values == NULL || self->missing == NULL || self->wanted == NULL
      || self->depth == NULL) {
    tessera_fail (error, TESSERA_ERROR_MEMORY,
                  "not enough memory to fill a hole of %d x %d pixels",
                  box->width, box->height);
    return NULL;
  }
  for (int y = 0; y < area.height; y++)
    for (int x = 0; x < area.width; x++)
      cut_pixel (self, image, missing, thickness,
                 (gsize) y * (gsize) area.width + (gsize) x,
                 (gsize) (area.y + y) * (gsize) image->width
                   + (gsize) (area.x + x));
  return g_steal_pointer (&self);
}

void
region_free (Region *self)
{
  if (self == NULL)
    return;
  g_free (self->values);
  g_free (self->missing);
  g_free (self->wanted);
  g_free (self->depth);
  g_free (self);
}

float
region_depth (const Region *self)
{
  float most = 0;

  for (gsize i = 0; i < region_pixels (self); i++)
    if (self->wanted[i])
      most = MAX (most, self->depth[i]);
  return most;
}

static void
write_pixel (const Region *self, gsize from, Image *image, gsize to)
{
  guint16 *pixel = image->samples + to * (gsize) image->channels;

  for (int c = 0; c < self->channels; c++)
    if (mask_hides (self->missing[from], c))
      pixel[c] = planes_to_sample (
        image, self->values[from * (gsize) self->channels + (gsize) c]);
  if (mask_hides (self->missing[from], self->channels - 1))
    image_avoid_key (image, to);
  if (image->palette != NULL)
    image->palette->index[to] = 0;
}

void
region_write_back (const Region *self, float depth, Image *image,
                   Mask *missing)
{
  for (int y = 0; y < self->height; y++)
    for (int x = 0; x < self->width; x++) {
      gsize from = (gsize) y * (gsize) self->width + (gsize) x;
      gsize to =
        (gsize) (self->y + y) * (gsize) image->width + (gsize) (self->x + x);

      if (self->wanted[from] && self->depth[from] > depth) {
        write_pixel (self, from, image, to);
        missing->missing[to] = 0;
      }
    }
}
