#include "dictlearn/blurfill.h"

#include <math.h>

static const struct {
  double sigma;
  float trust; /* weight of the blur before */
} blurs[] = { { 6, 1e-4f }, { 2, 2e-2f }, { 1, 5e-2f } };

/* Sums along lines, weighted by a Gaussian; @step from one sample of a line to
 * the next, @apart from one line to the next. */
static void
blur_lines (const float *from, float *to, int length, int lines, int step,
            int apart, double sigma)
{
  int radius = (int) (2 * sigma);
  float weights[16];
  float total = 0;

  for (int i = -radius; i <= radius; i++)
    total += expf ((float) (-i * i / (2 * sigma * sigma)));
  for (int i = 0; i <= radius; i++)
    weights[i] = expf ((float) (-i * i / (2 * sigma * sigma))) / total;
  for (int line = 0; line < lines; line++)
    for (int x = 0; x < length; x++) {
      float sum = 0;

      for (int i = MAX (-radius, -x); i <= MIN (radius, length - 1 - x); i++)
        sum += weights[ABS (i)] * from[line * apart + (x + i) * step];
      to[line * apart + x * step] = sum;
    }
}

static void
blur (float *plane, float *room, const BlurFill *l, double sigma)
{
  blur_lines (plane, room, l->width, l->height, 1, l->width, sigma);
  blur_lines (room, plane, l->height, l->width, l->width, 1, sigma);
}

static float
known_mean (const float *y, const float *known, int count)
{
  double sum = 0, weight = 0;

  for (int i = 0; i < count; i++) {
    sum += known[i] * y[i];
    weight += known[i];
  }
  return (float) (weight > 0 ? sum / weight : 0.5);
}

void
blur_fill (const BlurFill *self, const float *y, const float *known, float *to)
{
  int count = self->width * self->height;
  float *sum = self->room, *weight = sum + count, *room = weight + count;
  float mean = known_mean (y, known, count);

  for (int i = 0; i < count; i++)
    to[i] = mean;
  for (gsize b = 0; b < G_N_ELEMENTS (blurs) && blurs[b].sigma >= self->finest;
       b++) {
    for (int i = 0; i < count; i++) {
      sum[i] = known[i] > 0 ? known[i] * y[i] : 0;
      weight[i] = known[i];
    }
    blur (sum, room, self, blurs[b].sigma);
    blur (weight, room, self, blurs[b].sigma);
    for (int i = 0; i < count; i++)
      to[i] = (sum[i] + blurs[b].trust * to[i])
              / (weight[i] + blurs[b].trust);
  }
}
