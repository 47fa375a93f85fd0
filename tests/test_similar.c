/* test_similar.c - the nearest patches are those that a plain search finds */
#include "base/random.h"
#include "imaging/similar.h"
#include "tests/support.h"

#include <math.h>

enum { WIDTH = 37, HEIGHT = 29, RADIUS = 6, ROOM = 13 * 16 };

/* Random pixels of @levels values, so that distances are often equal. */
static GreyRows
random_rows (int levels, guint64 seed)
{
  GreyRows grey;

  g_assert_true (grey_rows_init (&grey, WIDTH, HEIGHT, HEIGHT, NULL));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      *grey_rows_at (&grey, x, y) = (float) random_below (
        seed, 1, (guint64) (y * WIDTH + x), (guint64) levels);
  return grey;
}

static double
plain_distance (const GreyRows *grey, int x, int y, const Candidate *other,
                int patch)
{
  double sum = 0;

  for (int row = 0; row < patch; row++)
    for (int col = 0; col < patch; col++)
      sum += pow (*grey_rows_at (grey, x + col, y + row)
                    - *grey_rows_at (grey, other->x + col, other->y + row),
                  2);
  return sum;
}

static void
test_list (void)
{
  const int patches[] = { 1, 4, 5, 8, 13 };
  Candidate list[(2 * RADIUS + 1) * (2 * RADIUS + 1)];

  g_test_summary ("Every patch within the radius is listed, row after row");
  for (gsize i = 0; i < G_N_ELEMENTS (patches); i++) {
    int patch = patches[i];
    GreyRows grey = random_rows (200, i);

    for (int y = 0; y <= HEIGHT - patch; y += 3)
      for (int x = 0; x <= WIDTH - patch; x += 4) {
        int count = similar_list (&grey, x, y, patch, RADIUS, list), k = 0;

        for (int row = MAX (0, y - RADIUS);
             row <= MIN (y + RADIUS, HEIGHT - patch); row++)
          for (int col = MAX (0, x - RADIUS);
               col <= MIN (x + RADIUS, WIDTH - patch); col++, k++) {
            g_assert_cmpint (list[k].x, ==, col);
            g_assert_cmpint (list[k].y, ==, row);
            g_assert_cmpfloat (
              list[k].distance, ==,
              (float) plain_distance (&grey, x, y, &list[k], patch));
          }
        g_assert_cmpint (count, ==, k);
      }
    grey_rows_clear (&grey);
  }
}

static void
test_unknown (void)
{
  GreyRows grey = random_rows (200, 7);
  Candidate list[(2 * RADIUS + 1) * (2 * RADIUS + 1)];
  int all = similar_list (&grey, 10, 10, 4, RADIUS, list), count;

  g_test_summary ("No patch that holds a pixel of unknown value is like one");
  *grey_rows_at (&grey, 5, 12) = NAN; /* in 2 x 4 of them */
  count = similar_list (&grey, 10, 10, 4, RADIUS, list);
  g_assert_cmpint (count, ==, all - 2 * 4);
  for (int k = 0; k < count; k++)
    g_assert_false (list[k].x <= 5 && list[k].x > 1 && list[k].y <= 12
                    && list[k].y > 8);
  *grey_rows_at (&grey, 11, 11) = NAN;
  g_assert_cmpint (similar_list (&grey, 10, 10, 4, RADIUS, list), ==, 0);
  grey_rows_clear (&grey);
}

static gboolean
in_order (const Candidate *a, const Candidate *b)
{
  if (a->distance < b->distance || a->distance > b->distance)
    return a->distance < b->distance;
  return a->y < b->y || (a->y == b->y && a->x < b->x);
}

static void
test_selection (void)
{
  Candidate list[(2 * RADIUS + 1) * (2 * RADIUS + 1)];
  GreyRows grey = random_rows (3, 9);
  int count = similar_list (&grey, 15, 12, 2, RADIUS, list);

  g_test_summary ("The selected ones come before all others, ties as well");
  for (int most = 1; most <= count + 1; most += 7) {
    int selected = similar_select (list, count, most);

    g_assert_cmpint (selected, ==, MIN (count, most));
    similar_sort (list, selected);
    for (int k = 1; k < count; k++)
      g_assert_true (in_order (&list[MIN (k, selected) - 1], &list[k]));
  }
  grey_rows_clear (&grey);
}

/* The nearest @most patches, in the order of the list. */
static void
check_nearest (const GreyRows *grey, int x, int y, int patch, int most)
{
  Candidate list[(2 * RADIUS + 1) * (2 * RADIUS + 1)];
  Candidate nearest[(2 * RADIUS + 1) * (2 * RADIUS + 1)];
  float distances[ROOM];
  int all = similar_list (grey, x, y, patch, RADIUS, list);
  int count = similar_nearest (grey, x, y, patch, RADIUS, most, distances,
                               nearest);

  g_assert_cmpint (similar_room (RADIUS), ==, ROOM);
  g_assert_cmpint (count, ==, similar_select (list, all, most));
  for (int k = 1; k < count; k++)
    g_assert_true (
      nearest[k - 1].y < nearest[k].y
      || (nearest[k - 1].y == nearest[k].y && nearest[k - 1].x < nearest[k].x));
  similar_sort (list, count);
  similar_sort (nearest, count);
  for (int k = 0; k < count; k++) {
    g_assert_cmpint (nearest[k].x, ==, list[k].x);
    g_assert_cmpint (nearest[k].y, ==, list[k].y);
    g_assert_cmpfloat (nearest[k].distance, ==, list[k].distance);
  }
}

static void
test_nearest (void)
{
  const int patches[] = { 1, 5, 6, 16 }, levels[] = { 1, 3, 200 };

  g_test_summary ("The nearest are those that listing and selecting finds");
  for (int i = 0; i < 12; i++) {
    GreyRows grey = random_rows (levels[i / 4], (guint64) i);
    int patch = patches[i % 4];

    *grey_rows_at (&grey, 20, 20) = NAN;
    for (int y = 0; y <= HEIGHT - patch; y += 3)
      for (int x = 0; x <= WIDTH - patch; x += 5)
        for (int most = 1; most <= 170; most = 3 * most + 1)
          check_nearest (&grey, x, y, patch, most);
    grey_rows_clear (&grey);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/similar/list", test_list);
  g_test_add_func ("/similar/unknown", test_unknown);
  g_test_add_func ("/similar/selection", test_selection);
  g_test_add_func ("/similar/nearest", test_nearest);
  return g_test_run ();
}
