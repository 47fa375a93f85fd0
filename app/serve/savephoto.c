#include "app/serve/savephoto.h"

#include "imaging/area.h"
#include "imaging/codec/jpegpatch.h"

#include <string.h>

/* Pixels of which some sample is another one, in pictures of one type. */
static Mask *
find_changed (const Image *a, const Image *b, GError **error)
{
  Mask *changed = mask_new (a->width, a->height, error);
  gsize channels = (gsize) a->channels;

  for (gsize i = 0; changed != NULL && i < image_pixels (a); i++)
    if (memcmp (a->samples + i * channels, b->samples + i * channels,
                channels * sizeof *a->samples)
        != 0)
      changed->missing[i] = MASK_PIXEL;
  return changed;
}

/* @bytes stays NULL where the file has to be made as a whole. */
static gboolean
change_file (GBytes *file, const Image *first, const Image *image,
             GBytes **bytes, GError **error)
{
  g_autoptr (Mask) changed = find_changed (first, image, error);
  JpegPatch patch = { 0 };

  if (changed == NULL)
    return FALSE;
  if (mask_count (changed) == 0)
    patch.bytes = g_bytes_ref (file);
  else if (!jpeg_patch (file, image, changed, &patch, error))
    return FALSE;
  *bytes = patch.bytes;
  return TRUE;
}

static GBytes *
save_area (const Image *image, const ImageArea *area, GError **error)
{
  g_autoptr (Image) part = image_cut (image, area, error);

  return part != NULL
           ? image_encode (part, part->meta.format, &ENCODE_DEFAULTS, error)
           : NULL;
}

GBytes *
photo_save (Photo *photo, int number, const ImageArea *area, GError **error)
{
  g_autoptr (PhotoVersion) version = photo_version (photo, number, error);
  g_autoptr (PhotoVersion) first =
    version != NULL ? photo_version (photo, 0, error) : NULL;
  GBytes *file = photo_file (photo), *bytes = NULL;
  const Image *image;

  if (first == NULL)
    return NULL;
  image = version->image;
  if (area->width < image->width || area->height < image->height)
    return save_area (image, area, error);
  if (file != NULL && !change_file (file, first->image, image, &bytes, error))
    return NULL;
  return bytes != NULL
           ? bytes
           : image_encode (image, image->meta.format, &ENCODE_DEFAULTS, error);
}
