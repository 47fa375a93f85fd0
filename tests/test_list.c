#include "tests/support.h"

#include "base/list.h"

static gint
by_tens (gconstpointer a, gconstpointer b)
{
  return *(const int *) a / 10 - *(const int *) b / 10;
}

static void
test_order (void)
{
  g_test_summary ("Sorting keeps the order of equal values");

  for (int count = 0; count < 200; count += 1 + count / 9) {
    g_autoptr (List) list = list_new (sizeof (int), NULL);

    for (int i = 0; i < count; i++) {
      int value = 10 * g_test_rand_int_range (0, 9) + i % 10;

      g_assert_true (list_append (list, &value, 1));
    }
    g_assert_cmpuint (list->len, ==, (guint) count);
    g_autofree int *expected =
      g_memdup2 (list->data, list->len * sizeof (int));
    g_assert_true (list_sort (list, by_tens));
    /* By insertion, which is stable. */
    for (int i = 1; i < count; i++)
      for (int j = i; j > 0 && expected[j - 1] / 10 > expected[j] / 10; j--) {
        int value = expected[j];

        expected[j] = expected[j - 1];
        expected[j - 1] = value;
      }
    for (int i = 0; i < count; i++)
      g_assert_cmpint (list_at (list, int, (guint) i), ==, expected[i]);
    g_assert_true (list_append (list, &count, 1));
    g_assert_cmpint (list_at (list, int, (guint) count), ==, count);
  }
}

static int cleared;

static void
count_cleared (gpointer value)
{
  g_assert_nonnull (value);
  cleared++;
}

static void
test_clear (void)
{
  List *from = list_new (sizeof (double), count_cleared);
  List *to = list_new (sizeof (double), count_cleared);
  double value = 7;

  g_test_summary ("A value that is removed is cleared once, one that is moved "
                  "by its new list");
  for (int i = 0; i < 40; i++)
    g_assert_true (list_append (from, &value, 1));
  list_cut (from, 30);
  g_assert_cmpint (cleared, ==, 10);
  list_move (to, from);
  list_free (from);
  g_assert_cmpint (cleared, ==, 10);
  g_assert_cmpuint (to->len, ==, 30);
  list_free (to);
  g_assert_cmpint (cleared, ==, 40);
}

static void
test_short (void)
{
  g_autoptr (List) list = list_new (G_MAXSIZE / 8, NULL);
  g_autoptr (List) other = list_new (sizeof (int), NULL);
  g_autoptr (GError) error = NULL;
  int value = 3;

  g_test_summary ("Without memory a list keeps what it has, and says so");
  g_assert_false (list_append (list, NULL, 1));
  g_assert_cmpuint (list->len, ==, 0);
  g_assert_false (list_check (list, "this", &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY);
  g_assert_cmpstr (error->message, ==, "not enough memory for this");
  g_assert_true (list_append (other, &value, 1));
  g_assert_false (list_append (other, NULL, G_MAXUINT));
  g_assert_cmpuint (other->len, ==, 1);
  g_assert_cmpint (list_at (other, int, 0), ==, value);
  g_assert_false (list_check (other, "this", NULL));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/list/order", test_order);
  g_test_add_func ("/list/clear", test_clear);
  g_test_add_func ("/list/short", test_short);
  return g_test_run ();
}
