#include "imaging/detect/detect.h"

const Detector *const detectors[] = {
  &detector_blocks,
  &detector_dead_pixels,
  &detector_scratches,
  &detector_dust,
  &detector_border,
  NULL,
};

const Detector *
detector_find (const char *name)
{
  for (gsize i = 0; detectors[i] != NULL; i++)
    if (g_str_equal (detectors[i]->name, name))
      return detectors[i];
  return NULL;
}
