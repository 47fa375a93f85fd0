/* test_distance.c - chamfer distances, by their definition */
#include "base/random.h"
#include "imaging/distance.h"

#define WIDTH 41
#define HEIGHT 23

/* Without obstacles a shortest path goes across corners as long as it can. */
static int
plain_distance (const guint8 *is_zero, int x, int y)
{
  int least = CHAMFER_FAR;

  for (int v = 0; v < HEIGHT; v++)
    for (int u = 0; u < WIDTH; u++)
      if (is_zero[v * WIDTH + u]) {
        int dx = ABS (u - x), dy = ABS (v - y);

        least = MIN (least, 3 * MAX (dx, dy) + MIN (dx, dy));
      }
  return least;
}

static void
test_distances (void)
{
  guint8 is_zero[WIDTH * HEIGHT];
  guint16 distance[WIDTH * HEIGHT];

  g_test_summary ("Every pixel gets the shortest way to a zero");
  for (guint64 seed = 0; seed < 8; seed++) {
    double share = seed == 0 ? 0 : 0.3 / (double) (seed * seed);

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
      is_zero[i] = random_uniform (seed, 0, (guint64) i) < share;
      distance[i] = is_zero[i] ? 0 : CHAMFER_FAR;
    }
    chamfer_distances (distance, WIDTH, HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++)
        g_assert_cmpint (distance[y * WIDTH + x], ==,
                         plain_distance (is_zero, x, y));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/distance/definition", test_distances);
  return g_test_run ();
}
