/* png.c - PNG, by libpng: what reading and writing have in common */
#include "imaging/codec/pngcodec.h"
#include "imaging/codec/pngmeta.h"

enum { SIGNATURE_SIZE = 8 };

void
pngcodec_note (GError **error, TesseraError code, const char *format, ...)
{
  va_list args;

  if (*error != NULL)
    return;
  va_start (args, format);
  *error = g_error_new_valist (TESSERA_ERROR, code, format, args);
  va_end (args);
}

void
pngcodec_note_no_memory (GError **error)
{
  pngcodec_note (error, TESSERA_ERROR_MEMORY, "not enough memory for the PNG");
}

png_voidp
pngcodec_allocate (png_structp png, png_alloc_size_t size)
{
  gpointer memory = g_try_malloc (size);

  if (memory == NULL)
    pngcodec_note_no_memory (png_get_mem_ptr (png));
  return memory;
}

void
pngcodec_free (png_structp png, png_voidp memory)
{
  (void) png;
  g_free (memory);
}

static gboolean
has_signature (const guint8 *data, gsize size)
{
  return size >= SIGNATURE_SIZE && png_sig_cmp (data, 0, SIGNATURE_SIZE) == 0;
}

static const char *const extensions[] = { "png", NULL };

const Codec codec_png = {
  .format = TESSERA_PNG,
  .name = "PNG",
  .type = "image/png",
  .extensions = extensions,
  .matches = has_signature,
  .decode = pngcodec_read,
  .encode = pngcodec_write,
  .loses = pngmeta_loses,
};
