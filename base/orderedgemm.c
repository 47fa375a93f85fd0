/* orderedgemm.c - register tiles, compiled for several sets of instructions
 *
 * A tile is TILE_ROWS x TILE_COLS entries of C, all of whose sums are in
 * registers.  A panel of rows of op(A) is packed so that the rows of a tile
 * lie side by side; numbers of op(B) are read one by one where they are.
 * Where C has fewer rows than a tile, as when many short vectors are
 * multiplied by one small matrix, C' = op(B)' op(A)' is computed instead, tile
 * by tile.  Lanes of a vector are different entries, and no sum is split, so
 * that the shape of tiles and vectors does not show in the result.
 *
 * orderedgemm.inc has the loops, which cpusets.inc compiles for each set.
 * base/multiplyadd.h has SET_multiply_add.
 */
#include "base/orderedgemm.h"

#include "base/multiplyadd.h"

#include <string.h>

/* Vectors of a tile's column, and columns: with the two vectors of op(A), one
 * number of op(B) and one product they take up the 16 registers of SSE. */
#define TILE_VECTORS 2
#define TILE_COLS 6

/* Columns of a tile of one vector, where a C has no more rows left. */
#define NARROW_COLS 12

/* The width of tiles where TILE_COLS would leave a remainder and this does
 * not. */
#define OTHER_COLS 4

/* Length of a panel, chosen so that a whole one fits into the L1 cache. */
#define INNER 256

/* With fewer rows than this, the transposed product is computed. */
#define FEW_ROWS 16

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

/* Entry (i, j) of op(X) is data[i down + j across]. */
typedef struct {
  const float *data;
  gsize down, across;
} View;

static View
view (const MatF *X, MatOp op)
{
  gsize ld = (gsize) X->ld;

  return op == PLAIN ? (View){ X->data, 1, ld } : (View){ X->data, ld, 1 };
}

static View
transposed (View X)
{
  return (View){ X.data, X.across, X.down };
}

static inline View
view_at (View X, int i, int j)
{
  X.data += (gsize) i * X.down + (gsize) j * X.across;
  return X;
}

/* Part of a product: C = factor (C or zero + A B). */
typedef struct {
  View A, B;
  float *c;
  gsize ld;
  int rows, cols, inner;
  gboolean flipped; /* c points to C' */
  gboolean resume;  /* C holds the sums so far */
  float factor;
} Part;

/* Exchanges the factors: C' = B' A'. */
static void
flip (Part *part)
{
  View A = part->A;
  int rows = part->rows;

  part->A = transposed (part->B);
  part->B = transposed (A);
  part->rows = part->cols;
  part->cols = rows;
  part->flipped = TRUE;
}

/* Columns of a tile. */
static int
tile_cols (const Part *part)
{
  return part->cols % TILE_COLS != 0 && part->cols % OTHER_COLS == 0
           ? OTHER_COLS
           : TILE_COLS;
}

/* Copies the transpose of @rows x @cols numbers, in columns of distance
 * @from_ld. */
static inline void
copy_transposed (const float *from, gsize from_ld, int rows, int cols,
                 float *to, gsize to_ld)
{
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      to[(gsize) i * to_ld + (gsize) j] =
        from[(gsize) j * from_ld + (gsize) i];
}

#if defined(__x86_64__)
/* The same for 4 x 4 numbers. */
static inline void
copy_transposed_4x4 (const float *from, gsize from_ld, float *to, gsize to_ld)
{
  __m128 a = _mm_loadu_ps (from), b = _mm_loadu_ps (from + from_ld);
  __m128 c = _mm_loadu_ps (from + 2 * from_ld);
  __m128 d = _mm_loadu_ps (from + 3 * from_ld);

  _MM_TRANSPOSE4_PS (a, b, c, d);
  _mm_storeu_ps (to, a);
  _mm_storeu_ps (to + to_ld, b);
  _mm_storeu_ps (to + 2 * to_ld, c);
  _mm_storeu_ps (to + 3 * to_ld, d);
}
#else
static inline void
copy_transposed_4x4 (const float *from, gsize from_ld, float *to, gsize to_ld)
{
  copy_transposed (from, from_ld, 4, 4, to, to_ld);
}
#endif

/* The same for any size, in blocks of 4 x 4 where possible. */
static inline void
transpose (const float *from, gsize from_ld, int rows, int cols, float *to,
           gsize to_ld)
{
  int i, j;

  for (j = 0; j + 4 <= cols; j += 4) {
    const float *columns = from + (gsize) j * from_ld;

    for (i = 0; i + 4 <= rows; i += 4)
      copy_transposed_4x4 (columns + i, from_ld, to + (gsize) i * to_ld + j,
                           to_ld);
    copy_transposed (columns + i, from_ld, rows - i, 4,
                     to + (gsize) i * to_ld + j, to_ld);
  }
  copy_transposed (from + (gsize) j * from_ld, from_ld, rows, cols - j, to + j,
                   to_ld);
}

#define LOOPS "base/orderedgemm.inc"
#include "base/cpusets.inc"

static void (*const multiply_part[CPU_SETS]) (const Part *part) =
  CPU_FUNCTIONS (multiply);

static gboolean
multiply (int number, float alpha, const MatF *A, MatOp op_a, const MatF *B,
          MatOp op_b, gboolean resume, MatF *C)
{
  int inner = op_a == PLAIN ? A->cols : A->rows;
  int set = cpu_set (number);

  g_return_val_if_fail ((op_a == PLAIN ? A->rows : A->cols) == C->rows, FALSE);
  g_return_val_if_fail ((op_b == PLAIN ? B->rows : B->cols) == inner, FALSE);
  g_return_val_if_fail ((op_b == PLAIN ? B->cols : B->rows) == C->cols, FALSE);

  if (set == CPU_NO_SET)
    return FALSE;
  for (int k = 0; k < MAX (1, inner); k += INNER) {
    Part part = { .A = view_at (view (A, op_a), 0, k),
                  .B = view_at (view (B, op_b), k, 0),
                  .c = C->data,
                  .ld = (gsize) C->ld,
                  .rows = C->rows,
                  .cols = C->cols,
                  .inner = MIN (INNER, inner - k),
                  .resume = resume || k > 0,
                  .factor = k + INNER < inner ? 1 : alpha };

    if (part.rows < FEW_ROWS && part.rows < part.cols && inner <= INNER
        && !resume)
      flip (&part);
    multiply_part[set](&part);
  }
  return TRUE;
}

gboolean
ordered_multiply_with (int number, float alpha, const MatF *A, MatOp op_a,
                       const MatF *B, MatOp op_b, MatF *C)
{
  return multiply (number, alpha, A, op_a, B, op_b, FALSE, C);
}

void
ordered_multiply (float alpha, const MatF *A, MatOp op_a, const MatF *B,
                  MatOp op_b, MatF *C)
{
  multiply (0, alpha, A, op_a, B, op_b, FALSE, C);
}

void
ordered_multiply_add (const MatF *A, MatOp op_a, const MatF *B, MatOp op_b,
                      MatF *C)
{
  multiply (0, 1, A, op_a, B, op_b, TRUE, C);
}
