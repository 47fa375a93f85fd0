/* suggest.c - the nearest word, by the number of slips between two words
 *
 * A slip is a letter too many, too few, wrong, or swapped with the next.  With
 * d[i][j] the slips between the first i letters of one word and the first j of
 * the other,
 *
 *     d[i][j] = min (d[i-1][j] + 1,  d[i][j-1] + 1,
 *                    d[i-1][j-1] + (a_i != b_j),
 *                    d[i-2][j-2] + 1  if the last two letters are swapped)
 */
#include "app/cli/suggest.h"

#include <string.h>

/* Longer words are not typing slips, and the table stays small. */
#define MAX_LETTERS 32

/* One slip per this many letters counts as near. */
#define LETTERS_A_SLIP 3

static int
slips_between (const char *a, const char *b)
{
  int m = (int) strlen (a), n = (int) strlen (b);
  int d[MAX_LETTERS + 1][MAX_LETTERS + 1];

  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = MIN (d[i - 1][j], d[i][j - 1]) + 1;
      d[i][j] = MIN (d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = MIN (d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

char *
suggest (const char *word, const char *const *known)
{
  const char *best = NULL;
  int fewest = G_MAXINT;

  for (; strlen (word) <= MAX_LETTERS && *known != NULL; known++) {
    int length = (int) strlen (*known);
    int slips = length <= MAX_LETTERS ? slips_between (word, *known) : length;

    if (slips < fewest && slips <= MAX (1, length / LETTERS_A_SLIP)) {
      fewest = slips;
      best = *known;
    }
  }
  return best != NULL ? g_strdup_printf ("did you mean '%s'?", best) : NULL;
}
