/* parallelgemm.h - large products, shared by threads
 *
 * The columns of the result are cut into blocks that do not depend on the
 * number of threads, so the result does not either.
 */
#pragma once

#include "base/matrix.h"

/* C = alpha op(A) op(B) + beta C, as mat_multiply(). */
void parallel_gemm (double alpha, const Mat *A, MatOp op_a, const Mat *B,
                    MatOp op_b, double beta, Mat *C);
