#include "base/parallelgemm.h"

#include "base/parallel.h"

/* Blocks of columns: enough for the threads of a large machine.  A product
 * with fewer operations than this is done before a thread has started. */
#define BLOCKS 16
#define SMALL 1e6

typedef struct {
  double alpha, beta;
  const Mat *A, *B;
  int blocks;
  MatOp op_a, op_b;
  Mat *C;
} Gemm;

static void
multiply_block (int block, int worker, gpointer data)
{
  const Gemm *p = data;
  int first = (int) ((gint64) p->C->cols * block / p->blocks);
  int count = (int) ((gint64) p->C->cols * (block + 1) / p->blocks) - first;
  Mat C = mat_columns (p->C, first, count);
  Mat B = p->op_b == PLAIN
            ? mat_columns (p->B, first, count)
            : (Mat){ mat_at (p->B, first, 0), count, p->B->cols, p->B->ld };

  (void) worker;
  if (count > 0)
    mat_multiply (p->alpha, p->A, p->op_a, &B, p->op_b, p->beta, &C);
}

void
parallel_gemm (double alpha, const Mat *A, MatOp op_a, const Mat *B,
               MatOp op_b, double beta, Mat *C)
{
  double operations = 2. * A->rows * A->cols * C->cols;
  Gemm product = { .alpha = alpha,
                   .beta = beta,
                   .A = A,
                   .B = B,
                   .op_a = op_a,
                   .op_b = op_b,
                   .C = C,
                   .blocks = operations < SMALL ? 1 : BLOCKS };

  parallel_for (product.blocks, multiply_block, &product, NULL, NULL);
}
