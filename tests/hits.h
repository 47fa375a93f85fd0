/* hits.h - what a finder has found of known damage */
#pragma once

#include "imaging/mask.h"

static const char *const photos[] = { "badlands5", "beach0", "city10",
                                      "forest3",   "snow4",  "water0" };

typedef struct {
  double found;        /* share of the damaged pixels that the mask names */
  double false_alarms; /* share of the others that it names too */
} Hits;

/* Compares what was found with @truth. */
static inline Hits
compare (const Mask *mask, const Mask *truth)
{
  gsize pixels = (gsize) mask->width * (gsize) mask->height;
  gsize damaged = 0, found = 0, wrong = 0;

  for (gsize i = 0; i < pixels; i++) {
    damaged += truth->missing[i] != 0;
    found += truth->missing[i] && mask->missing[i];
    wrong += !truth->missing[i] && mask->missing[i];
  }
  return (Hits){ damaged > 0 ? (double) found / (double) damaged : 1,
                 (double) wrong / (double) (pixels - damaged) };
}

/* The pixels that both name. */
static inline gsize
common (const Mask *a, const Mask *b)
{
  gsize sum = 0;

  for (gsize i = 0; i < (gsize) a->width * (gsize) a->height; i++)
    sum += a->missing[i] && b->missing[i];
  return sum;
}
