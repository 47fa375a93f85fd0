#include "imaging/cosines.h"

#include <math.h>

struct Cosines {
  MatF axis;    /* side x side, a cosine a column */
  MatF colours; /* channels x channels */
};

static MatF
cosine_basis (int n)
{
  MatF basis = matf_new (n, n);

  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      *matf_at (&basis, i, k) = (float) (sqrt ((k == 0 ? 1. : 2.) / n)
                                         * cos (G_PI * (i + 0.5) * k / n));
  return basis;
}

Cosines *
cosines_new (int side, int channels)
{
  Cosines *self = g_new (Cosines, 1);

  *self = (Cosines){ cosine_basis (side), cosine_basis (channels) };
  return self;
}

void
cosines_free (Cosines *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->axis);
  matf_clear (&self->colours);
  g_free (self);
}

static MatF
view (float *data, int rows, int cols)
{
  return (MatF){ .data = data, .rows = rows, .cols = cols, .ld = rows };
}

/* Transforms the first axis of @from and makes it the last one of @to. */
static void
first_to_last (const MatF *basis, float *from, float *to, int numbers)
{
  int n = basis->rows;
  MatF in = view (from, n, numbers / n);
  MatF out = view (to, numbers / n, n);

  matf_multiply (1, &in, TRANSPOSED, basis, PLAIN, 0, &out);
}

static void
last_to_first (const MatF *basis, float *from, float *to, int numbers)
{
  int n = basis->rows;
  MatF in = view (from, numbers / n, n);
  MatF out = view (to, n, numbers / n);

  matf_multiply (1, basis, PLAIN, &in, TRANSPOSED, 0, &out);
}

static int
all_numbers (const Cosines *self, int count)
{
  return self->axis.rows * self->axis.rows * self->colours.rows * count;
}

void
cosines_forward (const Cosines *self, float *y, float *x, int count)
{
  int numbers = all_numbers (self, count);

  first_to_last (&self->axis, y, x, numbers);
  first_to_last (&self->axis, x, y, numbers);
  first_to_last (&self->colours, y, x, numbers);
}

void
cosines_backward (const Cosines *self, float *x, float *y, int count)
{
  int numbers = all_numbers (self, count);

  last_to_first (&self->colours, x, y, numbers);
  last_to_first (&self->axis, y, x, numbers);
  last_to_first (&self->axis, x, y, numbers);
}
