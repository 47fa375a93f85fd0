/* gram.c - pursuit without weights, all in terms of D'D
 *
 *     a    D'y, one product for the whole chunk; length k
 *     c    D'r, products of the atoms with the residual; initially a
 *     p_s  D'v_s, those with the s-th orthogonalised atom
 *
 * One step:
 *   1. choose j that maximises c_j^2 / (1 + ridge_j), by which the objective
 *      falls if j alone is added;
 *   2. p_s = G_j - sum_i l_si p_i, with G_j a column of D'D, where
 *      l_si = p_i[j] / |v_i|^2 is known already;
 *   3. |v_s|^2 = p_s[j] + ridge_j and z_s = c_j / |v_s|^2;
 *   4. c -= z_s p_s.
 * Two passes over vectors of length k that stay in the L1 cache, and no
 * triangular solve.  This is Gaussian elimination in D'D with the pivots that
 * the signal chooses: the p_s are rows of its factor.
 *
 *     |y - D x|^2 = |y|^2 - sum_s z_s^2 |v_s|^2 - sum_j ridge_j x_j^2.
 *
 * See pursuitprivate.h for v, l, z and the ridge.
 * R. Rubinstein, M. Zibulevsky, M. Elad: Efficient implementation of the K-SVD
 * algorithm using batch orthogonal matching pursuit, 2008, solves for x in
 * each step instead.
 */
#include "base/orderedgemm.h"
#include "omp/pursuitprivate.h"

#include <string.h>

/* Signals per chunk.  Enough for their product to run at full speed, and few
 * enough for it to fit into the L2 cache beside D'D. */
#define CHUNK 128

/* Multiplications of a product after which it is asked whether to go on: some
 * milliseconds too, as products of matrices are faster. */
#define WORK_PER_PRODUCT 1e8

typedef struct {
  MatF a;        /* k x columns */
  MatF scale;    /* 1 / (1 + ridge_j); the second column is a copy for one
                    signal, 0 for atoms that it has chosen */
  MatF p;        /* k x max_atoms */
  MatF L;        /* column s: l_s */
  float *z;      /* likewise one entry per atom */
  float *length; /* |v_s|^2 */
  double *x;
  double work; /* since it was last asked whether to go on */
} Workspace;

static void
workspace_free (gpointer workspace)
{
  Workspace *w = workspace;

  matf_clear (&w->a);
  matf_clear (&w->scale);
  matf_clear (&w->p);
  matf_clear (&w->L);
  g_free (w->z);
  g_free (w->length);
  g_free (w->x);
  g_free (w);
}

static gpointer
workspace_new (const PursuitTask *task, int cols, GError **error)
{
  const MatF *gram = &task->self->gram;
  int k = gram->rows, s = task->options->max_atoms;
  Workspace *w = g_new0 (Workspace, 1);

  if (!padded_try_new (&w->a, k, cols, error)
      || !padded_try_new (&w->scale, k, 2, error)
      || !padded_try_new (&w->p, k, s, error)
      || !padded_try_new (&w->L, s, s, error)) {
    workspace_free (w);
    return NULL;
  }
  w->p.rows = w->p.ld;
  w->z = g_new (float, s);
  w->length = g_new (float, s);
  w->x = g_new (double, s);
  for (int j = 0; j < k; j++)
    *matf_at (&w->scale, j, 0) =
      atom_scale (task->options, j, *matf_at (gram, j, j));
  return w;
}

static double
signal_energy (const float *y, int n)
{
  double parts[4] = { 0 };
  int i = 0;

  for (; i + 4 <= n; i += 4)
    for (int j = 0; j < 4; j++)
      parts[j] += (double) y[i + j] * y[i + j];
  for (; i < n; i++)
    parts[0] += (double) y[i] * y[i];
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

/* Steps 2 to 4 with @atom as the @s-th.  FALSE when it depends on the others;
 * it is then not added. */
static gboolean
append_atom (const PursuitTask *task, Workspace *w, float *c, int s, int atom)
{
  const Kernels *kernels = task->self->kernels;
  const float *column = matf_at (&task->self->gram, 0, atom);
  const float *ridge = task->options->ridge;
  float own_ridge = ridge != NULL ? ridge[atom] : 0;
  MatF before = matf_columns (&w->p, 0, s);
  MatF newest = matf_columns (&w->p, s, 1);
  float *l = matf_at (&w->L, 0, s);

  for (int i = 0; i < s; i++)
    l[i] = *matf_at (&w->p, atom, i) / w->length[i];
  kernels->subtract (&before, l, column, newest.data);
  w->length[s] = newest.data[atom] + own_ridge;
  if (!(w->length[s] > DEPENDENT * (column[atom] + own_ridge)))
    return FALSE;
  w->z[s] = c[atom] / w->length[s];
  kernels->subtract (&newest, &w->z[s], c, c);
  return TRUE;
}

/* Sum of ridge_j x_j^2, for the first @count atoms. */
static double
penalty (const PursuitTask *task, Workspace *w, const int *chosen, int count)
{
  const float *ridge = task->options->ridge;
  double sum = 0;

  if (ridge == NULL)
    return 0;
  solve_codes (&w->L, count, w->z, w->x);
  for (int s = 0; s < count; s++)
    sum += ridge[chosen[s]] * w->x[s] * w->x[s];
  return sum;
}

/* Codes one signal into column @col of X; @c is D'y and is overwritten.  FALSE
 * when the work was cancelled, as in what follows. */
static gboolean
encode_column (const PursuitTask *task, Workspace *w, int col, float *c)
{
  const PursuitOptions *options = task->options;
  double energy = signal_energy (matf_at (task->Y, 0, col), task->Y->rows);
  double target = options->max_error * task->Y->rows;
  double left = energy; /* without the part that z explains */
  float *scale = matf_at (&w->scale, 0, 1);
  int *chosen = sparse_index (task->X, col);
  int s = 0;

  memcpy (scale, w->scale.data, (gsize) w->scale.ld * sizeof (float));
  while (s < options->max_atoms) {
    int atom;

    if (!pursuit_goes_on (&w->work, (double) (s + 2) * w->scale.ld))
      return FALSE;
    if (target > 0 && left - penalty (task, w, chosen, s) <= target)
      break;
    atom = task->self->kernels->choose (w->scale.ld, c, scale,
                                        (float) (LEAST_GAIN * energy));
    if (atom < 0 || !append_atom (task, w, c, s, atom))
      break;
    left -= (double) w->z[s] * w->z[s] * w->length[s];
    scale[atom] = 0; /* not to be chosen again */
    chosen[s++] = atom;
  }
  task->X->count[col] = s;
  write_codes (task, &w->L, w->z, w->x, col);
  return TRUE;
}

/* A = D'Y, a few columns at a time. */
static gboolean
correlate (const PursuitTask *task, Workspace *w, const MatF *Y, const MatF *A)
{
  const MatF *rows = &task->self->rows;
  double work = (double) rows->rows * rows->cols;
  int step = (int) CLAMP (WORK_PER_PRODUCT / work, 1, Y->cols);

  for (int p = 0; p < Y->cols; p += step) {
    int count = MIN (step, Y->cols - p);
    MatF y = matf_columns (Y, p, count), a = matf_columns (A, p, count);

    if (!pursuit_goes_on (&w->work, work * count))
      return FALSE;
    ordered_multiply (1, rows, PLAIN, &y, PLAIN, &a);
  }
  return TRUE;
}

static void
encode (const PursuitTask *task, gpointer workspace, int first, int cols)
{
  Workspace *w = workspace;
  MatF Y = matf_columns (task->Y, first, cols);
  MatF a = matf_columns (&w->a, 0, cols);

  gboolean goes_on = correlate (task, w, &Y, &a);

  for (int p = 0; goes_on && p < cols; p++)
    goes_on = encode_column (task, w, first + p, matf_at (&a, 0, p));
}

const PursuitMethod pursuit_gram_method = { .chunk = CHUNK,
                                            .workspace_new = workspace_new,
                                            .workspace_free = workspace_free,
                                            .encode = encode };
