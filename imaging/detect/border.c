/* border.c - torn corners and blank borders
 *
 * A region of one colour, to the level, that touches a corner of the picture,
 * is large, and ends at once: the pixels next to it are clearly different,
 * where a burnt-out sky fades.  Narrow parts at its edge, where pixels of the
 * picture happen to have that colour, are left out.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/marks.h"

#include <stdlib.h>
#include <string.h>

/* Levels that samples may differ from the corner: a JPEG rings. */
#define SAME 2
#define SAME_JPEG 12

#define LEAST_SHARE 0.0005 /* of the pixels of the picture */
#define LEAST_SIDE 12      /* of its bounds */

/* Pixels that touch the region and differ from its colour by this many levels
 * are a sharp edge; that share of them must.  Burnt-out skies behind roofs have
 * up to 0.83 (300 photographs), 20 of 21 corners that were cut off 0.98. */
#define CONTRAST 24
#define SHARP_SHARE 0.9

typedef struct {
  const Image *image;
  const guint16 *colour; /* of a corner */
  int same;              /* levels, in the range of the picture */
  int contrast;          /* likewise, of a sharp edge */
} Blank;

static int
difference (const Blank *blank, gsize i)
{
  const Image *image = blank->image;
  const guint16 *pixel = image->samples + i * (gsize) image->channels;
  int most = 0;

  for (int c = 0; c < image_colours (image); c++)
    most = MAX (most, abs (pixel[c] - blank->colour[c]));
  return most;
}

static gboolean
touches_corner (const Blob *blob)
{
  const ImageArea *box = &blob->box;
  gboolean left = box->x == 0, top = box->y == 0;
  gboolean right = box->x + box->width == blob->marks->width;
  gboolean bottom = box->y + box->height == blob->marks->height;

  return (left || right) && (top || bottom);
}

/* Share of the pixels next to @blob that differ clearly. */
static double
sharpness (const Blank *blank, const Blob *blob)
{
  int width = blob->marks->width, height = blob->marks->height;
  gsize around = 0, sharp = 0;

  for (gsize k = 0; k < blob->count; k++) {
    int x = (int) (blob->pixels[k] % (gsize) width);
    int y = (int) (blob->pixels[k] / (gsize) width);

    for (int row = MAX (0, y - 1); row <= MIN (y + 1, height - 1); row++)
      for (int col = MAX (0, x - 1); col <= MIN (x + 1, width - 1); col++) {
        gsize j = (gsize) row * (gsize) width + (gsize) col;

        if (!blob->marks->data[j]) {
          around++;
          sharp += difference (blank, j) > blank->contrast;
        }
      }
  }
  return around > 0 ? (double) sharp / (double) around : 0;
}

static gboolean
is_blank (const Blob *blob, gpointer data)
{
  const Blank *blank = data;
  double pixels = (double) byte_plane_size (blob->marks);

  return touches_corner (blob) && (double) blob->count >= LEAST_SHARE * pixels
         && MIN (blob->box.width, blob->box.height) >= LEAST_SIDE
         && (double) blob->count < 0.5 * pixels
         && sharpness (blank, blob) >= SHARP_SHARE;
}

static gboolean
find_from_corner (Blank blank, int x, int y, Mask *mask, GError **error)
{
  const Image *image = blank.image;
  g_auto (BytePlane) marks = { 0 };

  blank.colour = image_pixel (image, x, y);
  if (!byte_plane_init (&marks, image->width, image->height, error))
    return FALSE;
  for (gsize i = 0; i < byte_plane_size (&marks); i++)
    marks.data[i] =
      difference (&blank, i) <= blank.same && !image_is_transparent (image, i);
  return blobs_keep (&marks, is_blank, &blank, mask, error);
}

static Mask *
find_border (const Image *image, double strength, const Progress *progress,
             GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  int same = image->meta.format == TESSERA_JPEG ? SAME_JPEG : SAME;
  const Blank blank = {
    .image = image,
    .same = same * image_peak (image) / 255,
    .contrast = (int) (CONTRAST * image_peak (image) / (255 * strength)),
  };

  for (int corner = 0; mask != NULL && corner < 4; corner++)
    if (!find_from_corner (blank, corner % 2 ? image->width - 1 : 0,
                           corner / 2 ? image->height - 1 : 0, mask, error)
        || !progress_step (progress, (corner + 1) / 4., error))
      return NULL;
  if (mask != NULL && image->meta.format == TESSERA_JPEG
      && !mask_grow (mask, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_border = { "border", "torn corners and blank borders",
                                   find_border, .is_serial = TRUE };
