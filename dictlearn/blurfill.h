/* blurfill.h - a first guess at what is missing in a plane
 *
 * Known samples are blurred less and less; each blur is filled in from the
 * previous one where little is known.  Noise that is left in the finest one
 * stays: where there is some, stop at a wide blur.
 */
#pragma once

#include <glib.h>

typedef struct {
  int width, height;
  int finest;  /* the narrowest blur, as a standard deviation in pixels; 0: as
                  narrow as there is */
  float *room; /* three planes */
} BlurFill;

/* @known is 0 .. 1 for each sample of @y; @to gets a value everywhere. */
void blur_fill (const BlurFill *self, const float *y, const float *known,
                float *to);
