/* Products with one order of summation. */
#include "base/multiplyadd.h"
#include "base/orderedgemm.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define assert_same_floats(a, b, count)                                       \
  g_assert_cmpint (memcmp ((a), (b), (gsize) (count) * sizeof (float)), ==, 0)

typedef struct {
  int rows, cols, inner;
} Shape;

/* Around the sizes of tiles and panels, and those of patches. */
static const Shape shapes[] = {
  { 1, 1, 1 },     { 7, 5, 3 },     { 8, 6, 64 },     { 9, 7, 255 },
  { 16, 12, 256 }, { 17, 13, 257 }, { 31, 1, 600 },   { 33, 130, 64 },
  { 64, 3, 64 },   { 75, 75, 100 }, { 192, 37, 192 }, { 8, 100, 8 },
  { 12, 77, 12 },  { 3, 64, 64 },   { 15, 40, 300 },  { 6, 9, 256 },
  { 1, 50, 7 },    { 48, 29, 300 }, { 24, 25, 257 },  { 12, 26, 9 },
  { 4, 40, 30 }
};

static MatF
random_operand (int rows, int cols, MatOp op, guint64 seed)
{
  return op == PLAIN ? random_matf (rows, cols, seed)
                     : random_matf (cols, rows, seed);
}

static float
entry (const MatF *A, MatOp op, int i, int j)
{
  return op == PLAIN ? *matf_at (A, i, j) : *matf_at (A, j, i);
}

/* c_ij as orderedgemm.h defines it; volatile, so that nothing is fused but
 * what is meant to be. */
static float
defined_entry (gboolean fused, float alpha, const MatF *A, MatOp op_a,
               const MatF *B, MatOp op_b, int i, int j)
{
  int inner = op_a == PLAIN ? A->cols : A->rows;
  volatile float sum = 0, product;

  for (int k = 0; k < inner; k++) {
    float a = entry (A, op_a, i, k), b = entry (B, op_b, k, j);

    product = a * b;
    sum = fused ? fmaf (a, b, sum) : sum + product;
  }
  return alpha * sum;
}

static void
check_shape (const Shape *s, MatOp op_a, MatOp op_b, int set)
{
  g_auto (MatF) A = random_operand (s->rows, s->inner, op_a, 1);
  g_auto (MatF) B = random_operand (s->inner, s->cols, op_b, 2);
  g_auto (MatF) C = random_matf (s->rows, s->cols, 3);
  gboolean fused = cpu_set_fuses (cpu_set (set));

  if (!ordered_multiply_with (set, 0.3f, &A, op_a, &B, op_b, &C))
    return;
  for (int j = 0; j < s->cols; j++)
    for (int i = 0; i < s->rows; i++) {
      float expected = defined_entry (fused, 0.3f, &A, op_a, &B, op_b, i, j);

      assert_same_floats (matf_at (&C, i, j), &expected, 1);
    }
}

/* Every bit is as the definition says, with every set of instructions. */
static void
test_definition (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (int op_a = PLAIN; op_a <= TRANSPOSED; op_a++)
      for (int op_b = PLAIN; op_b <= TRANSPOSED; op_b++)
        for (int set = 0; set < 3; set++)
          check_shape (&shapes[s], (MatOp) op_a, (MatOp) op_b, set);
}

/* Columns are the same wherever they are and whatever is beside them.
 */
static void
test_any_cut (void)
{
  g_auto (MatF) A = random_matf (64, 192, 1);
  g_auto (MatF) B = random_matf (64, 100, 2);
  g_auto (MatF) whole = matf_new (192, 100);
  g_auto (MatF) part = matf_new (192, 100);

  ordered_multiply (1, &A, TRANSPOSED, &B, PLAIN, &whole);
  for (int first = 0; first < 100; first += 9)
    for (int count = 1; first + count <= 100; count += 13) {
      MatF some = matf_columns (&B, first, count);
      MatF out = matf_columns (&part, 0, count);

      ordered_multiply (1, &A, TRANSPOSED, &some, PLAIN, &out);
      assert_same_floats (out.data, matf_at (&whole, 0, first), 192 * count);
    }
}

/* A product that is cut along its inner dimension is the whole, also where the
 * columns of a factor overlap. */
static void
test_going_on (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++) {
    const Shape *s = &shapes[i];
    g_auto (MatF) A = random_matf (s->rows, 3 * s->inner, 1);
    g_auto (MatF) room = random_matf (3 * s->inner + s->cols, 1, 2);
    g_auto (MatF) whole = matf_new (s->rows, s->cols);
    g_auto (MatF) sums = matf_new (s->rows, s->cols);
    MatF B = { room.data, 3 * s->inner, s->cols, 1 };

    ordered_multiply (1, &A, PLAIN, &B, PLAIN, &whole);
    for (int k = 0; k < 3; k++) {
      MatF left = { A.data + (gsize) (k * s->inner * A.ld), s->rows, s->inner,
                    A.ld };
      MatF right = { room.data + k * s->inner, s->inner, s->cols, 1 };

      if (k == 0)
        ordered_multiply (1, &left, PLAIN, &right, PLAIN, &sums);
      else
        ordered_multiply_add (&left, PLAIN, &right, PLAIN, &sums);
    }
    assert_same_floats (sums.data, whole.data, s->rows * s->cols);
  }
}

/* What lies between the columns of a view is not touched, and without
 * anything to sum up all is zero. */
static void
test_views (void)
{
  g_auto (MatF) A = random_matf (20, 30, 1);
  g_auto (MatF) B = random_matf (30, 10, 2);
  g_auto (MatF) room = random_matf (40, 10, 3);
  g_auto (MatF) before = random_matf (40, 10, 3);
  MatF C = { matf_at (&room, 3, 0), 20, 10, 40 };
  MatF no_columns = { A.data, 20, 0, 20 }, no_rows = { B.data, 0, 10, 1 };

  ordered_multiply (1, &A, PLAIN, &B, PLAIN, &C);
  for (int j = 0; j < 10; j++) {
    assert_same_floats (matf_at (&room, 0, j), matf_at (&before, 0, j), 3);
    assert_same_floats (matf_at (&room, 23, j), matf_at (&before, 23, j), 17);
  }
  ordered_multiply (1, &no_columns, PLAIN, &no_rows, PLAIN, &C);
  for (int j = 0; j < 10; j++)
    for (int i = 0; i < 20; i++)
      g_assert_cmpfloat (*matf_at (&C, i, j), ==, 0);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/orderedgemm/definition", test_definition);
  g_test_add_func ("/orderedgemm/any-cut", test_any_cut);
  g_test_add_func ("/orderedgemm/going-on", test_going_on);
  g_test_add_func ("/orderedgemm/views", test_views);
  return g_test_run ();
}
