/* groupshrink.h - keep what is large of the cosines of similar patches
 *
 * Patches come in groups that look alike, the columns of Y.  With D the cosines
 * of patches of one size (dct.h) and H an orthonormal Hadamard matrix across a
 * group,
 *
 *     Y <- D HT_t (D' Y H) H',
 *
 * where HT_t zeroes what is smaller than t, but for the mean of each plane.
 */
#pragma once

#include <glib.h>

/* Patches that are shrunk at a time: whole groups of them. */
#define SHRINK_PATCHES 16

/* Most patches of a group. */
#define SHRINK_TOGETHER 8

/* Numbers behind the last that are read and written, or skipped to align the
 * others. */
#define SHRINK_ROOM 64

typedef struct GroupShrink GroupShrink;

/* For patches of side 6, 10 or 16, for each of which loops are compiled, and of
 * 1 or 3 channels. */
GroupShrink *group_shrink_new (int side, int channels);

/* @self may be NULL. */
void group_shrink_free (GroupShrink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GroupShrink, group_shrink_free)

typedef struct {
  int together; /* patches of a group, a power of two up to SHRINK_TOGETHER */
  float threshold;
  guint32 rows; /* bit y: whether row y of the result is needed; what is in the
                   others is undefined */
} ShrinkOptions;

/* Shrinks the SHRINK_PATCHES patches in @y, group after group, each plane after
 * plane and row after row.  @codes has room for as many numbers, and both for
 * SHRINK_ROOM more.
 * @kept[p] is set to how many numbers column p of D' Y H has kept, means
 * included; the sum over a group is what the group has kept. */
void group_shrink (const GroupShrink *self, const ShrinkOptions *options,
                   float *y, float *codes, int kept[SHRINK_PATCHES]);

/* For tests: the same by the @set-th set of instructions, the best first; FALSE
 * when this processor supports no more. */
gboolean group_shrink_with (int set, const GroupShrink *self,
                            const ShrinkOptions *options, float *y,
                            float *codes, int kept[SHRINK_PATCHES]);
