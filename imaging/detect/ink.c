#include "imaging/detect/ink.h"

#include "imaging/detect/marks.h"

#include <math.h>
#include <string.h>

/* The least share of ink that counts. */
#define LEAST_GLOW 0.04

/* Mean share of ink of the pixels that @now has and @before has not, where
 * the background is @ground. */
static double
share_of_ink (const Image *image, const Mask *before, const Mask *now,
              const double ink[3], const double ground[3])
{
  double sum = 0, count = 0, square = 0;

  for (int c = 0; c < 3; c++)
    square += (ink[c] - ground[c]) * (ink[c] - ground[c]);
  for (gsize i = 0; i < image_pixels (image); i++)
    if (now->missing[i] && !before->missing[i]) {
      count++;
      for (int c = 0; c < 3; c++)
        sum += (ink_level (image, i, c) - ground[c]) * (ink[c] - ground[c]);
    }
  return count > 0 && square > 0 ? sum / count / square : 0;
}

/* Mean colour of the pixels that @now has and @before has not. */
static void
mean_colour (const Image *image, const Mask *before, const Mask *now,
             double mean[3])
{
  double count = 0;

  memset (mean, 0, 3 * sizeof *mean);
  for (gsize i = 0; i < image_pixels (image); i++)
    if (now->missing[i] && !before->missing[i]) {
      count++;
      for (int c = 0; c < 3; c++)
        mean[c] += ink_level (image, i, c);
    }
  for (int c = 0; c < 3; c++)
    mean[c] /= fmax (count, 1);
}

gboolean
ink_grow_glow (const Image *image, const double ink[3], Mask *marks,
               GError **error)
{
  g_autoptr (Mask) near = mask_copy (marks, error);
  g_autoptr (Mask) far = NULL;
  double ground[3];

  if (near == NULL || !mask_grow (near, INK_GLOW + 1, error))
    return FALSE;
  far = mask_copy (near, error);
  if (far == NULL || !mask_grow (far, INK_GROUND, error))
    return FALSE;
  mean_colour (image, near, far, ground);
  for (int d = 0; d < INK_GLOW; d++) {
    g_autoptr (Mask) before = mask_copy (marks, error);

    if (before == NULL || !mask_grow (marks, 1, error))
      return FALSE;
    if (share_of_ink (image, before, marks, ink, ground) < LEAST_GLOW)
      break;
  }
  return TRUE;
}
