/* orderedgemm.h - products with the same result everywhere
 *
 * BLAS promises numbers up to rounding.  How it rounds differs between the
 * kernels for different processors, and within a kernel with the place of a
 * column in its matrix and with the number of columns.  Here each entry is
 *
 *     c_ij = alpha (((a_i1 b_1j + a_i2 b_2j) + a_i3 b_3j) + ...),
 *
 * in this order, each product and sum rounded as one operation where the
 * processor has a fused one, and else one after the other (multiplyadd.h).  So
 * an entry depends on its row and its column alone: not on what else is in the
 * matrices, not on how they are cut, and not on the processor beyond that.
 *
 * Code that has to give the same bytes for any tiles, chunks or neighbours
 * uses these; learning, where only the number of threads must not matter, may
 * use base/matrix.h.
 */
#pragma once

#include "base/matrix.h"

/* C = alpha op(A) op(B).  @C shares no memory with the others. */
void ordered_multiply (float alpha, const MatF *A, MatOp op_a, const MatF *B,
                       MatOp op_b, MatF *C);

/* C = C + op(A) op(B), the sums going on from what @C has: a product that is
 * cut along its inner dimension gives the bytes of the whole. */
void ordered_multiply_add (const MatF *A, MatOp op_a, const MatF *B,
                           MatOp op_b, MatF *C);

/* For tests: the first by the @set-th set of instructions, the best first;
 * FALSE when this processor supports no more. */
gboolean ordered_multiply_with (int set, float alpha, const MatF *A,
                                MatOp op_a, const MatF *B, MatOp op_b,
                                MatF *C);
