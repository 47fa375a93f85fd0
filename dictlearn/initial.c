#include "dictlearn/initial.h"

#include <math.h>
#include <stdlib.h>

double
dct_entry (int f, int i, int n)
{
  return sqrt ((f == 0 ? 1. : 2.) / n) * cos (G_PI * (i + 0.5) * f / n);
}

typedef struct {
  int across, down, colour;
} Frequency;

/* Low frequencies first.  Colours change slowly in photographs, so that a
 * colour difference counts as a high frequency. */
static int
by_frequency (const void *left, const void *right)
{
  const Frequency *a = left, *b = right;
  int total_a = a->across + a->down + 2 * a->colour;
  int total_b = b->across + b->down + 2 * b->colour;

  if (total_a != total_b)
    return total_a - total_b;
  if (a->colour != b->colour)
    return a->colour - b->colour;
  return a->down - b->down;
}

/* All entries of the n x n transform; frequency f is in row f. */
static double *
dct_table (int n)
{
  double *table = g_new (double, (gsize) n * (gsize) n);

  for (int f = 0; f < n; f++)
    for (int i = 0; i < n; i++)
      table[f * n + i] = dct_entry (f, i, n);
  return table;
}

/* The outer product of three one-dimensional cosines. */
static void
fill_cosine_atom (float *atom, const double *colour, int channels,
                  const double *down, const double *across, int patch)
{
  for (int c = 0; c < channels; c++)
    for (int y = 0; y < patch; y++)
      for (int x = 0; x < patch; x++)
        *atom++ = (float) (colour[c] * down[y] * across[x]);
}

Dictionary *
dictionary_dct (int patch, int channels, GError **error)
{
  int n = patch * patch * channels;
  Dictionary *dictionary = dictionary_new (patch, channels, n, error);
  g_autofree Frequency *frequencies = g_new (Frequency, n);
  g_autofree double *space = dct_table (patch);
  g_autofree double *colours = dct_table (channels);

  if (dictionary == NULL)
    return NULL;
  for (int j = 0; j < n; j++)
    frequencies[j] =
      (Frequency){ j % patch, j / patch % patch, j / patch / patch };
  qsort (frequencies, (gsize) n, sizeof (Frequency), by_frequency);
  for (int j = 0; j < n; j++) {
    const Frequency *f = &frequencies[j];

    fill_cosine_atom (matf_at (&dictionary->atoms, 0, j),
                      colours + f->colour * channels, channels,
                      space + f->down * patch, space + f->across * patch,
                      patch);
  }
  dictionary->algorithm = g_strdup ("dct");
  return dictionary;
}
