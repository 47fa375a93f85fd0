#include "base/product.h"

#include "base/parallel.h"

/* Blocks of columns: enough for the threads of a large machine. */
#define BLOCKS 16

typedef struct {
  double alpha, beta;
  const Mat *A, *B;
  MatOp op_a, op_b;
  Mat *C;
} Product;

static void
multiply_block (int block, int worker, gpointer data)
{
  const Product *p = data;
  int first = (int) ((gint64) p->C->cols * block / BLOCKS);
  int count = (int) ((gint64) p->C->cols * (block + 1) / BLOCKS) - first;
  Mat C = mat_columns (p->C, first, count);
  Mat B = p->op_b == PLAIN
            ? mat_columns (p->B, first, count)
            : (Mat){ mat_at (p->B, first, 0), count, p->B->cols, p->B->ld };

  (void) worker;
  if (count > 0)
    mat_multiply (p->alpha, p->A, p->op_a, &B, p->op_b, p->beta, &C);
}

void
product_multiply (double alpha, const Mat *A, MatOp op_a, const Mat *B,
                  MatOp op_b, double beta, Mat *C)
{
  Product product = { alpha, beta, A, B, op_a, op_b, C };

  parallel_for (BLOCKS, multiply_block, &product, NULL, NULL);
}
