#include "imaging/codec/jpegpatch.h"

#include "imaging/codec/jpegcodec.h"
#include "imaging/codec/orient.h"

#include <string.h>

/* The coefficients of a file. */
typedef struct {
  struct jpeg_decompress_struct cinfo;
  JpegErrors errors;
  jvirt_barray_ptr *arrays; /* one for each component */
} Coefficients;

static void
coefficients_init (Coefficients *self)
{
  *self = (Coefficients){ 0 };
  self->cinfo.err = jpegcodec_errors_init (&self->errors, TESSERA_ERROR_FAILED,
                                           "cannot take a JPEG apart");
}

static void
coefficients_clear (Coefficients *self)
{
  jpeg_destroy_decompress (&self->cinfo);
  g_clear_error (&self->errors.error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Coefficients, coefficients_clear)

/* Errors inside libjpeg come back to the setjmp() here. */
static gboolean
coefficients_read (Coefficients *self, GBytes *file)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (file, &size);

  if (setjmp (self->errors.escape))
    return FALSE;
  jpeg_create_decompress (&self->cinfo);
  jpeg_mem_src (&self->cinfo, data, size);
  jpeg_read_header (&self->cinfo, TRUE);
  self->arrays = jpeg_read_coefficients (&self->cinfo);
  return TRUE;
}

/* ---- which blocks change ---- */

/* Whether block number @x, @y of a component holds a pixel of @changed, which
 * is a picture of the mask.  Colours at half the size have blocks of 16 x 16
 * pixels. */
static gboolean
is_touched (const Coefficients *file, int component, const Image *changed,
            int x, int y)
{
  const jpeg_component_info *info = &file->cinfo.comp_info[component];
  int across = DCTSIZE * file->cinfo.max_h_samp_factor;
  int down = DCTSIZE * file->cinfo.max_v_samp_factor;
  int right = (x + 1) * across / info->h_samp_factor;
  int bottom = (y + 1) * down / info->v_samp_factor;

  right = MIN (right, changed->width);
  bottom = MIN (bottom, changed->height);
  for (int row = y * down / info->v_samp_factor; row < bottom; row++)
    for (int column = x * across / info->h_samp_factor; column < right;
         column++)
      for (int c = 0; c < changed->channels; c++)
        if (image_pixel (changed, column, row)[c] != 0)
          return TRUE;
  return FALSE;
}

static void
count_blocks (const Coefficients *file, const Image *changed, JpegPatch *patch)
{
  const jpeg_component_info *info = &file->cinfo.comp_info[0];

  for (int y = 0; y < (int) info->height_in_blocks; y++)
    for (int x = 0; x < (int) info->width_in_blocks; x++) {
      patch->blocks++;
      patch->changed += is_touched (file, 0, changed, x, y) ? 1 : 0;
    }
}

/* ---- the new blocks ---- */

static JBLOCKROW
row_of (Coefficients *file, int component, int y)
{
  j_common_ptr common = (j_common_ptr) &file->cinfo;

  return file->cinfo.mem->access_virt_barray (common, file->arrays[component],
                                              (JDIMENSION) y, 1, TRUE)[0];
}

/* Copies the blocks that change from @fresh, which has the same shape. */
static gboolean
take_over (Coefficients *file, Coefficients *fresh, const Image *changed)
{
  if (setjmp (file->errors.escape))
    return FALSE;
  if (setjmp (fresh->errors.escape))
    return FALSE;
  for (int i = 0; i < file->cinfo.num_components; i++) {
    const jpeg_component_info *info = &file->cinfo.comp_info[i];

    for (int y = 0; y < (int) info->height_in_blocks; y++) {
      JBLOCKROW to = row_of (file, i, y), from = row_of (fresh, i, y);

      for (int x = 0; x < (int) info->width_in_blocks; x++)
        if (is_touched (file, i, changed, x, y))
          memcpy (to[x], from[x], sizeof (JBLOCK));
    }
  }
  return TRUE;
}

/* The new file; NULL with @error set. */
static GBytes *
make_file (Coefficients *file, const Image *image, const Image *changed,
           GError **error)
{
  g_auto (Coefficients) fresh;
  g_autoptr (GBytes) whole = NULL;

  coefficients_init (&fresh);
  whole = jpegcodec_write_like (image, &file->cinfo, error);
  if (whole == NULL)
    return NULL;
  if (!coefficients_read (&fresh, whole)) {
    g_propagate_error (error, g_steal_pointer (&fresh.errors.error));
    return NULL;
  }
  if (!take_over (file, &fresh, changed)) {
    tessera_fail (error, TESSERA_ERROR_FAILED, "cannot put a JPEG together");
    return NULL;
  }
  return jpegcodec_write_coefficients (image, &file->cinfo, file->arrays,
                                       error);
}

/* The same; nothing but a lack of memory is an error. */
static gboolean
make_if_possible (Coefficients *file, const Image *image, const Image *changed,
                  JpegPatch *patch, GError **error)
{
  g_autoptr (GError) why = NULL;

  patch->bytes = make_file (file, image, changed, &why);
  if (patch->bytes != NULL
      || !g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_MEMORY))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

/* As the file stores it. */
static gboolean
patch_stored (GBytes *source, const Image *image, const Image *changed,
              JpegPatch *patch, GError **error)
{
  g_auto (Coefficients) file;

  coefficients_init (&file);
  if (!coefficients_read (&file, source))
    return TRUE;
  if (file.cinfo.image_width != (JDIMENSION) image->width
      || file.cinfo.image_height != (JDIMENSION) image->height)
    return TRUE;
  count_blocks (&file, changed, patch);
  return 2 * patch->changed > patch->blocks
         || make_if_possible (&file, image, changed, patch, error);
}

gboolean
jpeg_patch (GBytes *source, const Image *image, const Mask *changed,
            JpegPatch *patch, GError **error)
{
  int orientation = image->meta.orientation;
  g_autoptr (Image) marks = NULL, turned = NULL, turned_marks = NULL;

  *patch = (JpegPatch){ 0 };
  if (image->meta.format != TESSERA_JPEG || !image->meta.has_steps)
    return TRUE;
  marks = mask_to_picture (changed, error);
  if (marks == NULL)
    return FALSE;
  if (orientation == 1)
    return patch_stored (source, image, marks, patch, error);
  turned = orient_stored (image, orientation, error);
  if (turned != NULL)
    turned_marks = orient_stored (marks, orientation, error);
  return turned_marks != NULL
         && patch_stored (source, turned, turned_marks, patch, error);
}
