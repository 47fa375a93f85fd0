/* kernels.h - the inner loops of the pursuit
 *
 * Each loop is compiled for several instruction sets; the best one that the
 * CPU has is chosen when the program runs.  All with a fused product and sum give
 * the same numbers, and so do all without (multiplyadd.h): project, the one
 * loop that sums up along a vector, keeps KERNEL_PADDING sums, of every
 * KERNEL_PADDING-th product, and adds these up in halves.
 *
 * Vectors are aligned to a cache line and padded with zeros to a multiple of
 * KERNEL_PADDING floats: `rows` of a matrix and `length` are such multiples,
 * and columns are that far apart.
 */
#pragma once

#include "base/matrix.h"

#define KERNEL_PADDING 16

typedef struct {
  const char *name;
  int block; /* most rows of a result that are kept in registers */

  /* l = U' v. */
  void (*project) (const MatF *U, const float *v, float *l);

  /* out = v - U l; @out may be @v. */
  void (*subtract) (const MatF *U, const float *l, const float *v, float *out);

  /* out += sum_i l_i u_i, where u_i is column which_i of U, @count of them. */
  void (*add_columns) (const MatF *U, int count, const int *which,
                       const float *l, float *out);

  /* The first j that maximises c_j^2 scale_j, or -1 when none exceeds
   * @least. */
  int (*choose) (int length, const float *c, const float *scale, float least);
} Kernels;

/* The @i-th instruction set that this CPU supports, the best first; NULL if
 * there are no more. */
const Kernels *kernels_get (int i);

static inline int
kernel_padded (int length)
{
  return (length + KERNEL_PADDING - 1) / KERNEL_PADDING * KERNEL_PADDING;
}
