#include "imaging/planes.h"

#include "base/error.h"

#include <string.h>

Planes *
planes_new (int width, int height, int channels, GError **error)
{
  gsize pixels = (gsize) width * (gsize) height;
  float *data = g_try_malloc0_n (pixels, (gsize) channels * sizeof (float));
  Planes *planes;

  if (data == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                 "not enough memory to work on %d x %d pixels", width, height);
    return NULL;
  }
  planes = g_new (Planes, 1);
  *planes = (Planes){ width, height, channels, data };
  return planes;
}

void
planes_free (Planes *planes)
{
  if (planes == NULL)
    return;
  g_free (planes->data);
  g_free (planes);
}

/* For a size that the compiler knows, rows are copied without a loop. */
static inline __attribute__ ((always_inline)) void
get_patch (const Planes *planes, int x, int y, int patch, float *to)
{
  for (int c = 0; c < planes->channels; c++)
    for (int row = y; row < y + patch; row++, to += patch)
      memcpy (to, planes_at (planes, c, x, row),
              (gsize) patch * sizeof (float));
}

void
planes_get_patch (const Planes *planes, int x, int y, int patch, float *to)
{
  if (patch == 4)
    get_patch (planes, x, y, 4, to);
  else if (patch == 8)
    get_patch (planes, x, y, 8, to);
  else
    get_patch (planes, x, y, patch, to);
}
