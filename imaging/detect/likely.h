/* likely.h - dust as the network sees it
 *
 * specknet.h says how likely each pixel is covered.  Pixels whose logit is
 * above one of three levels and that touch each other are spots, besides those
 * of spots.h, and all spots are described by the logits of their pixels and of
 * those around.
 */
#pragma once

#include "imaging/detect/spots.h"

/* Asks the network about all pixels and adds what it finds likely.  @progress
 * may be NULL; FALSE with @error set: MEMORY, CANCELLED. */
gboolean likely_find (Spots *spots, const Progress *progress, GError **error);

/* Of the logits, as they stand in @scores: mean, least and largest of the spot,
 * the mean of the pixels next to it, and mean and largest of those 2 and 3
 * pixels away. */
#define LIKELY_FEATURES 6
void likely_describe (const Spots *spots, const Spot *spot,
                      float f[LIKELY_FEATURES]);

/* Marks the likely pixels around a spot: specks that overlap have two shades,
 * and one of them may not be part of the spot. */
void likely_mark (const Spots *spots, const Spot *spot, Mask *mask);
