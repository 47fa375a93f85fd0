#include "imaging/inpaint/dct.h"

#include "base/cpudispatch.h"
#include "base/orderedgemm.h"
#include "dictlearn/initial.h"

struct Dct {
  int channels;
  MatF axis;           /* side x side, one cosine per column */
  float colours[3][3]; /* K, and its inverse */
  float back[3][3];
};

Dct *
dct_new (int side, int channels)
{
  Dct *self = g_new (Dct, 1);

  g_return_val_if_fail (channels == 1 || channels == 3, NULL);

  self->channels = channels;
  self->axis = matf_new (side, side);
  for (int k = 0; k < side; k++)
    for (int i = 0; i < side; i++)
      *matf_at (&self->axis, i, k) = (float) dct_entry (k, i, side);
  for (int m = 0; m < 3; m++)
    for (int c = 0; c < 3; c++)
      self->colours[c][m] = self->back[m][c] = (float) dct_entry (m, c, 3);
  return self;
}

void
dct_free (Dct *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->axis);
  g_free (self);
}

/* y <- K' y for the colours of every pixel. */
CPU_DISPATCH static void
mix_colours (const float K[3][3], float *y, int pixels, int count)
{
  for (int p = 0; p < count; p++, y += 3 * pixels) {
    float *green = y + pixels, *blue = green + pixels;

    for (int i = 0; i < pixels; i++) {
      float r = y[i], g = green[i], b = blue[i];

      y[i] = K[0][0] * r + K[1][0] * g + K[2][0] * b;
      green[i] = K[0][1] * r + K[1][1] * g + K[2][1] * b;
      blue[i] = K[0][2] * r + K[1][2] * g + K[2][2] * b;
    }
  }
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

  ordered_multiply (1, &in, TRANSPOSED, basis, PLAIN, &out);
}

static void
last_to_first (const MatF *basis, float *from, float *to, int numbers)
{
  int n = basis->rows;
  MatF in = view (from, numbers / n, n);
  MatF out = view (to, n, numbers / n);

  ordered_multiply (1, basis, PLAIN, &in, TRANSPOSED, &out);
}

void
dct_forward (const Dct *self, float *y, float *scratch, int count)
{
  int pixels = self->axis.rows * self->axis.rows;
  int numbers = pixels * self->channels * count;

  if (self->channels == 3)
    mix_colours (self->colours, y, pixels, count);
  first_to_last (&self->axis, y, scratch, numbers);
  first_to_last (&self->axis, scratch, y, numbers);
}

void
dct_backward (const Dct *self, float *y, float *scratch, int count)
{
  int pixels = self->axis.rows * self->axis.rows;
  int numbers = pixels * self->channels * count;

  last_to_first (&self->axis, y, scratch, numbers);
  last_to_first (&self->axis, scratch, y, numbers);
  if (self->channels == 3)
    mix_colours (self->back, y, pixels, count);
}
