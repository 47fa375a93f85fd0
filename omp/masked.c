/* masked.c - pursuit with weights: the atoms as each signal sees them
 *
 *     d, y  here: only the samples of a signal that count, times sqrt (w_i),
 *           which makes lengths plain; after them the coordinates of the
 *           ridge, one for each atom that may be chosen
 *     r     y - D x, likewise
 *     v_s   the orthogonalised atoms
 *
 * One step, for every signal of a chunk that is not done:
 *   1. choose j that maximises c_j^2 / (|d_j|_w^2 + ridge_j), by which the
 *      objective falls if j alone is added;
 *   2. v_s = d_j - sum_i l_si v_i with l_si = v_i'd_j / |v_i|^2;
 *   3. z_s = c_j / |v_s|^2, since d_j'r = v_s'r, and r -= z_s v_s;
 *   4. c = D' W (y - D x): the rows of D at the samples that count, each times
 *      sqrt (w_i) r_i.
 *
 * Step 4 is nearly all of the arithmetic.  A product of full matrices would
 * spend half of it on zeros where half of the samples are hidden.  Instead the
 * sums are taken in tiles, a few rows of D that stay in the L1 cache while all
 * signals of the chunk add what they see of them.
 *
 * Rounding in step 2 leaves in v_s a trace of the older ones.  Where little of
 * d_j is new the trace is relatively large, and they are removed a second
 * time; twice is enough.
 *
 * See pursuitprivate.h for l, z and the ridge.
 */
#include "omp/pursuitprivate.h"

#include <math.h>
#include <string.h>

/* Signals per chunk.  Enough to make use of a tile, and few enough for their v
 * to stay in the L2 cache. */
#define CHUNK 32

/* Bytes of a tile. */
#define TILE_SIZE 32768

/* Orthogonalise again where less than this share of the atom is new. */
#define LITTLE_NEW 0.1f

/* The state of one signal. */
typedef struct {
  int col;       /* of Y */
  int count;     /* s */
  int known;     /* samples that count */
  int samples;   /* the same, padded: where the ridge coordinates start */
  int *place;    /* of each sample that counts: where it is in y */
  float *root;   /* sqrt (w_i) */
  float *factor; /* of its row in the sums that are being taken */
  int *tile;     /* of each tile: its first sample, and an end marker */
  double target; /* squared residual at which it is done */
  float least;   /* gains below this are rounding */
  float *scale;  /* 1 / (|d_j|_w^2 + ridge_j), 0 for barred atoms */
  float *r, *z;  /* z_s */
  float *length; /* |v_s|^2 */
  MatF v;        /* one column per atom */
  MatF L;        /* column s: l_s */
} Signal;

typedef struct {
  int tile_height, tile_width; /* atoms, samples */
  int tiles;                   /* side by side */
  Signal *signals;
  Signal **active; /* those that are not done */
  MatF c;          /* k x columns, of the active signals */
  MatF scale;      /* k x columns, of all signals, as is what follows */
  MatF v, L;       /* side by side */
  MatF r, z, length, root, factor;
  int *places, *tile;
  float *trace; /* what is removed the second time */
  double *x;
  double work; /* since it was last asked whether to go on */
} Workspace;

/* Strips of atoms that add_columns handles at once, cut into tiles. */
static void
tile_init (Workspace *w, const PursuitTask *task)
{
  int n = task->self->D.rows, ld = task->self->rows.ld;
  int strips =
    (ld + task->self->kernels->block - 1) / task->self->kernels->block;

  w->tile_height = kernel_padded ((ld + strips - 1) / strips);
  w->tile_width = TILE_SIZE / (w->tile_height * (int) sizeof (float));
  w->tiles = (n + w->tile_width - 1) / w->tile_width;
}

static void
workspace_free (gpointer workspace)
{
  Workspace *w = workspace;
  MatF *all[] = { &w->c, &w->scale,  &w->v,    &w->L,     &w->r,
                  &w->z, &w->length, &w->root, &w->factor };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    matf_clear (all[i]);
  g_free (w->signals);
  g_free (w->active);
  g_free (w->places);
  g_free (w->tile);
  g_free (w->trace);
  g_free (w->x);
  g_free (w);
}

/* The matrices of @w. */
static gboolean
allocate (Workspace *w, const PursuitTask *task, int cols, GError **error)
{
  int n = task->self->D.rows, k = task->self->D.cols;
  int s = task->options->max_atoms;
  int height = kernel_padded (n) + kernel_padded (s);

  return padded_try_new (&w->c, k, cols, error)
         && padded_try_new (&w->scale, k, cols, error)
         && matf_try_new (&w->v, height, cols * s, error)
         && matf_try_new (&w->L, s, cols * s, error)
         && matf_try_new (&w->r, height, cols, error)
         && matf_try_new (&w->z, s, cols, error)
         && matf_try_new (&w->length, s, cols, error)
         && padded_try_new (&w->root, n, cols, error)
         && padded_try_new (&w->factor, n, cols, error);
}

static gpointer
workspace_new (const PursuitTask *task, int cols, GError **error)
{
  int s = task->options->max_atoms;
  Workspace *w = g_new0 (Workspace, 1);

  if (!allocate (w, task, cols, error)) {
    workspace_free (w);
    return NULL;
  }
  tile_init (w, task);
  w->signals = g_new0 (Signal, cols);
  w->active = g_new (Signal *, cols);
  w->places = g_new (int, (gsize) cols *(gsize) w->root.ld);
  w->tile = g_new (int, (gsize) (w->tiles + 1) * (gsize) cols);
  w->trace = g_new (float, s);
  w->x = g_new (double, s);
  for (int p = 0; p < cols; p++)
    w->signals[p] =
      (Signal){ .place = w->places + (gsize) p * (gsize) w->root.ld,
                .tile = w->tile + p * (w->tiles + 1),
                .root = matf_at (&w->root, 0, p),
                .factor = matf_at (&w->factor, 0, p),
                .scale = matf_at (&w->scale, 0, p),
                .r = matf_at (&w->r, 0, p),
                .z = matf_at (&w->z, 0, p),
                .length = matf_at (&w->length, 0, p),
                .v = matf_columns (&w->v, p * s, s),
                .L = matf_columns (&w->L, p * s, s) };
  return w;
}

/* u'v over @length rows. */
static float
dot (const Kernels *kernels, float *u, const float *v, int length)
{
  MatF column = { u, length, 1, length };
  float sum;

  kernels->project (&column, v, &sum);
  return sum;
}

/* The samples of @from that count, times sqrt (w_i), and zeros that pad them;
 * four at a time, since counting would take as long as the rest. */
static void
pick (const Signal *signal, const float *from, float *to)
{
  const int *place = signal->place;
  const float *root = signal->root;

  for (int i = 0; i < signal->samples; i += 4) {
    to[i] = root[i] * from[place[i]];
    to[i + 1] = root[i + 1] * from[place[i + 1]];
    to[i + 2] = root[i + 2] * from[place[i + 2]];
    to[i + 3] = root[i + 3] * from[place[i + 3]];
  }
}

/* Whether the residual is small enough. */
static gboolean
is_explained (const PursuitTask *task, const Signal *signal)
{
  return signal->target > 0
         && dot (task->self->kernels, signal->r, signal->r, signal->samples)
              <= signal->target;
}

/* One tile of add_known(), the @number-th of a strip. */
static void
add_tile (const PursuitTask *task, const Workspace *w, const MatF *strip,
          int number, const MatF *out)
{
  for (int i = 0; i < out->cols; i++) {
    const Signal *signal = w->active[i];
    int from = signal->tile[number];

    task->self->kernels->add_columns (
      strip, signal->tile[number + 1] - from, signal->place + from,
      signal->factor + from, matf_at (out, 0, i));
  }
}

/* Column i of @out becomes the sum of the columns of @A that the i-th active
 * signal knows, each times its factor.  FALSE when the work was cancelled, as in
 * what follows. */
static gboolean
add_known (const PursuitTask *task, Workspace *w, const MatF *A,
           int active, const MatF *out)
{
  memset (out->data, 0, (gsize) out->ld * (gsize) active * sizeof (float));
  for (int row = 0; row < A->ld; row += w->tile_height) {
    int height = MIN (w->tile_height, A->ld - row);
    MatF strip = { A->data + row, height, A->cols, A->ld };
    MatF sums = { out->data + row, height, active, out->ld };

    if (!pursuit_goes_on (&w->work, (double) height * A->cols * active))
      return FALSE;
    for (int t = 0; t < w->tiles; t++)
      add_tile (task, w, &strip, t, &sums);
  }
  return TRUE;
}

/* ---- the start ---- */

/* Lists the samples that count. */
static void
look_at_weights (const PursuitTask *task, const Workspace *w, Signal *signal)
{
  const float *weight = matf_at (task->weights, 0, signal->col);
  double total = 0;
  int known = 0;

  for (int i = 0; i < task->Y->rows; i++) {
    if (i % w->tile_width == 0)
      signal->tile[i / w->tile_width] = known;
    /* Without a branch, which could not be predicted. */
    signal->place[known] = i;
    signal->factor[known] = weight[i];
    total += weight[i];
    known += weight[i] > 0;
  }
  for (int i = 0; i < known; i++)
    signal->root[i] = sqrtf (signal->factor[i]);
  for (int i = known; i < kernel_padded (known); i++) {
    signal->root[i] = 0;
    signal->place[i] = signal->place[0];
  }
  signal->tile[w->tiles] = known;
  signal->known = known;
  signal->samples = kernel_padded (known);
  signal->target = task->options->max_error * total;
}

static void
start_signal (const PursuitTask *task, const Workspace *w, Signal *signal,
              int col)
{
  int ridge = task->options->ridge != NULL ? task->options->max_atoms : 0;
  const float *y = matf_at (task->Y, 0, col);
  float energy;

  signal->col = col;
  signal->count = 0;
  look_at_weights (task, w, signal);
  signal->v.rows = signal->v.ld = signal->samples + kernel_padded (ridge);
  pick (signal, y, signal->r);
  memset (signal->r + signal->samples, 0,
          (gsize) (signal->v.rows - signal->samples) * sizeof (float));
  energy = dot (task->self->kernels, signal->r, signal->r, signal->samples);
  signal->least = (float) (LEAST_GAIN * energy);
}

/* 1 / (|d_j|_w^2 + ridge_j) for all signals. */
static gboolean
measure_atoms (const PursuitTask *task, Workspace *w, int cols)
{
  if (!add_known (task, w, &task->self->squares, cols, &w->scale))
    return FALSE;
  for (int p = 0; p < cols; p++)
    for (int j = 0; j < w->scale.rows; j++) {
      float *entry = matf_at (&w->scale, j, p);

      *entry = atom_scale (task->options, j, *entry);
    }
  return TRUE;
}

/* Prepares all signals; returns the number of those that are not done. */
static int
start_chunk (const PursuitTask *task, Workspace *w, int first, int cols)
{
  int active = 0;

  for (int p = 0; p < cols; p++) {
    w->active[p] = &w->signals[p];
    start_signal (task, w, &w->signals[p], first + p);
  }
  if (!measure_atoms (task, w, cols))
    return 0;
  for (int p = 0; p < cols; p++)
    if (!is_explained (task, &w->signals[p]))
      w->active[active++] = &w->signals[p];
  return active;
}

/* ---- a step ---- */

/* Writes d_j as the signal sees it to the place of its next v. */
static float *
see_atom (const PursuitTask *task, const Signal *signal, int atom)
{
  const float *d = matf_at (&task->self->D, 0, atom);
  const float *ridge = task->options->ridge;
  float *v = matf_at (&signal->v, 0, signal->count);

  pick (signal, d, v);
  if (ridge != NULL) {
    memset (v + signal->samples, 0,
            (gsize) (signal->v.rows - signal->samples) * sizeof (float));
    v[signal->samples + signal->count] = sqrtf (ridge[atom]);
  }
  return v;
}

/* Removes from @v its components along the older ones; @l receives these. */
static void
orthogonalise (const Kernels *kernels, const Signal *signal, float *v,
               float *l)
{
  MatF older = matf_columns (&signal->v, 0, signal->count);

  kernels->project (&older, v, l);
  for (int i = 0; i < signal->count; i++)
    l[i] /= signal->length[i];
  kernels->subtract (&older, l, v, v);
}

/* Steps 2 and 3.  FALSE when the atom depends on the others; it is then not
 * added. */
static gboolean
append_atom (const PursuitTask *task, Workspace *w, Signal *signal,
             const float *c, int atom)
{
  const Kernels *kernels = task->self->kernels;
  int s = signal->count, rows = signal->v.rows;
  float whole = 1 / signal->scale[atom]; /* |d_j|^2 */
  float *l = matf_at (&signal->L, 0, s);
  float *v = see_atom (task, signal, atom);
  MatF newest = matf_columns (&signal->v, s, 1);
  float length;

  orthogonalise (kernels, signal, v, l);
  length = dot (kernels, v, v, rows);
  if (length < LITTLE_NEW * whole) {
    orthogonalise (kernels, signal, v, w->trace);
    for (int i = 0; i < s; i++)
      l[i] += w->trace[i];
    length = dot (kernels, v, v, rows);
  }
  if (!(length > DEPENDENT * whole))
    return FALSE;
  signal->length[s] = length;
  signal->z[s] = c[atom] / length;
  kernels->subtract (&newest, &signal->z[s], signal->r, signal->r);
  signal->scale[atom] = 0; /* not to be chosen again */
  sparse_index (task->X, signal->col)[s] = atom;
  signal->count = s + 1;
  return TRUE;
}

/* Steps 1 to 3; FALSE when the signal is done. */
static gboolean
advance (const PursuitTask *task, Workspace *w, Signal *signal, const float *c)
{
  int atom =
    task->self->kernels->choose (w->c.ld, c, signal->scale, signal->least);

  return atom >= 0 && append_atom (task, w, signal, c, atom)
         && signal->count < task->options->max_atoms
         && !is_explained (task, signal);
}

/* Step 4. */
static gboolean
correlate (const PursuitTask *task, Workspace *w, int active)
{
  for (int i = 0; i < active; i++) {
    Signal *signal = w->active[i];

    for (int j = 0; j < signal->known; j++)
      signal->factor[j] = signal->root[j] * signal->r[j];
  }
  return add_known (task, w, &task->self->rows, active, &w->c);
}

static void
encode (const PursuitTask *task, gpointer workspace, int first, int cols)
{
  Workspace *w = workspace;
  int active = start_chunk (task, w, first, cols);

  while (active > 0) {
    int left = 0;

    if (!correlate (task, w, active))
      break;
    for (int i = 0; i < active; i++)
      if (advance (task, w, w->active[i], matf_at (&w->c, 0, i)))
        w->active[left++] = w->active[i];
    active = left;
  }
  for (int p = 0; p < cols; p++) {
    const Signal *signal = &w->signals[p];

    task->X->count[signal->col] = signal->count;
    write_codes (task, &signal->L, signal->z, w->x, signal->col);
  }
}

const PursuitMethod pursuit_masked_method = { .chunk = CHUNK,
                                              .workspace_new = workspace_new,
                                              .workspace_free = workspace_free,
                                              .encode = encode };
