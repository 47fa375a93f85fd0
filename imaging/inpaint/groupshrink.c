/* groupshrink.c - transforms in registers, lanes of which are patches
 *
 * H and D are linear and act on different axes, so their order is free.  H is
 * applied to rows of samples as they are read, D to vectors whose lanes are
 * the patches: so neither moves numbers within a vector.  Between the two, rows
 * of SHRINK_PATCHES patches are transposed.
 *
 *     read:    H, transpose, cosines along x             -> codes
 *     columns: cosines along y, colours, threshold, and back, in place
 *     write:   cosines along x back, transpose, H
 *
 * Cosines of n samples are halved as in every fast transform: those of even
 * frequency see the sums of opposite samples, those of odd frequency their
 * differences,
 *
 *     X_2k   = sum_x<n/2 C[x, 2k]   (y_x + y_(n-1-x)),
 *     X_2k+1 = sum_x<n/2 C[x, 2k+1] (y_x - y_(n-1-x)),
 *
 * and the even ones are cosines of n / 2 samples, to be halved again.  The odd
 * ones are summed as they stand: for 16 samples, 85 products in place of 256.
 *
 * groupshrink.inc has the loops, which base/cpusets.inc compiles for each set
 * of instructions.  No lane depends on another, so that
 * the width of vectors does not show in the result.
 */
#include "imaging/inpaint/groupshrink.h"

#include "base/multiplyadd.h"
#include "dictlearn/initial.h"

#include <math.h>
#include <string.h>

#define PATCHES SHRINK_PATCHES
#define MOST_SIDE 16
#define MOST_CHANNELS 3

struct GroupShrink {
  int side, channels;
  float axis[MOST_SIDE * MOST_SIDE]; /* C[x, k] is number x + side k */
  float colours[MOST_CHANNELS * MOST_CHANNELS]; /* K[c, m]: c + channels m */
};

GroupShrink *
group_shrink_new (int side, int channels)
{
  GroupShrink *self;

  g_return_val_if_fail (side == 6 || side == 10 || side == 16, NULL);
  g_return_val_if_fail (channels == 1 || channels == 3, NULL);

  self = g_new0 (GroupShrink, 1);
  self->side = side;
  self->channels = channels;
  for (int k = 0; k < side; k++)
    for (int x = 0; x < side; x++)
      self->axis[x + side * k] = (float) dct_entry (k, x, side);
  for (int m = 0; m < channels; m++)
    for (int c = 0; c < channels; c++)
      self->colours[c + channels * m] = (float) dct_entry (m, c, channels);
  return self;
}

void
group_shrink_free (GroupShrink *self)
{
  g_free (self);
}

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

/* ---- rows of samples ---- */

/* Samples of a row that are read at a time, and patches of which they are:
 * those of the largest group. */
#define BLOCK 4
#define UNIT SHRINK_TOGETHER

typedef float Block __attribute__ ((vector_size (BLOCK * sizeof (float)),
                                    aligned (4), may_alias));

/* A row that consists of whole blocks. */
#define PADDED(side) (((side) + BLOCK - 1) / BLOCK * BLOCK)

/* Multiplies groups of @together by a Hadamard matrix, which is its own inverse
 * times @together. */
ALWAYS_INLINE void
mix_groups (Block *rows, int together)
{
#pragma GCC unroll 4
  for (int half = 1; half < UNIT; half *= 2)
    if (half < together) {
#pragma GCC unroll 8
      for (int p = 0; p < UNIT; p++)
        if (!(p & half)) {
          Block a = rows[p], b = rows[p + half];

          rows[p] = a + b;
          rows[p + half] = a - b;
        }
    }
}

/* Turns BLOCK rows into columns. */
ALWAYS_INLINE void
transpose (Block *rows)
{
#if defined(__x86_64__)
  __m128 a = (__m128) rows[0], b = (__m128) rows[1];
  __m128 c = (__m128) rows[2], d = (__m128) rows[3];

  _MM_TRANSPOSE4_PS (a, b, c, d);
  rows[0] = (Block) a;
  rows[1] = (Block) b;
  rows[2] = (Block) c;
  rows[3] = (Block) d;
#else
  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < i; j++) {
      float x = rows[i][j];

      rows[i][j] = rows[j][i];
      rows[j][i] = x;
    }
#endif
}

/* BLOCK samples of UNIT patches, which are @stride apart, mixed; sample x of
 * patch p becomes number x PATCHES + p. */
ALWAYS_INLINE void
read_unit (const float *y, int stride, int together, float *turned)
{
  Block rows[UNIT];

#pragma GCC unroll 8
  for (int p = 0; p < UNIT; p++)
    rows[p] = *(const Block *) (y + p * stride);
  mix_groups (rows, together);
#pragma GCC unroll 8
  for (int p = 0; p < UNIT; p += BLOCK) {
    transpose (rows + p);
#pragma GCC unroll 4
    for (int x = 0; x < BLOCK; x++)
      *(Block *) (turned + x * PATCHES + p) = rows[p + x];
  }
}

/* The inverse, for the first @count samples. */
ALWAYS_INLINE void
write_unit (const float *turned, int together, int count, float *y, int stride)
{
  Block rows[UNIT];

#pragma GCC unroll 8
  for (int p = 0; p < UNIT; p += BLOCK) {
#pragma GCC unroll 4
    for (int x = 0; x < BLOCK; x++)
      rows[p + x] = *(const Block *) (turned + x * PATCHES + p);
    transpose (rows + p);
  }
  mix_groups (rows, together);
#pragma GCC unroll 8
  for (int p = 0; p < UNIT; p++)
    memcpy (y + p * stride, &rows[p], (gsize) count * sizeof (float));
}

#define LOOPS "imaging/inpaint/groupshrink.inc"
#include "base/cpusets.inc"

static void (*const shrink[CPU_SETS]) (const GroupShrink *self,
                                       const ShrinkOptions *options, float *y,
                                       float *codes, int *kept) =
  CPU_FUNCTIONS (shrink);

gboolean
group_shrink_with (int number, const GroupShrink *self,
                   const ShrinkOptions *options, float *y, float *codes,
                   int kept[SHRINK_PATCHES])
{
  int set = cpu_set (number);
  gsize off = GPOINTER_TO_SIZE (codes) % 64 / sizeof (float);

  if (set == CPU_NO_SET)
    return FALSE;
  shrink[set](self, options, y, off > 0 ? codes + (16 - off) : codes, kept);
  return TRUE;
}

void
group_shrink (const GroupShrink *self, const ShrinkOptions *options, float *y,
              float *codes, int kept[SHRINK_PATCHES])
{
  group_shrink_with (0, self, options, y, codes, kept);
}
