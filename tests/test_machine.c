/* test_machine.c - how much memory there is, by files made up */
#include "app/system/memory.h"
#include "tests/support.h"

#include <glib/gstdio.h>

/* Writes @text to the file @path below @root, folders and all. */
static void
put (const char *root, const char *path, const char *text)
{
  g_autofree char *file = g_build_filename (root, path, NULL);
  g_autofree char *folder = g_path_get_dirname (file);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
}

static void
remove_all (const char *root)
{
  const char *argv[] = { "rm", "-rf", root, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH,
                               NULL, NULL, NULL, NULL, NULL, NULL));
}

#define V2 "sys/fs/cgroup/"
#define V1 "sys/fs/cgroup/memory/"

static void
test_size (void)
{
  g_test_summary ("The memory of a container is less than the machine's");

  g_autofree char *root = g_dir_make_tmp ("tessera-test-XXXXXX", NULL);
  gsize all = memory_size (root); /* no cgroups at all */

  g_assert_cmpuint (all, >, 1 << 20);

  put (root, "proc/self/cgroup", "0::/a/b\n");
  g_assert_cmpuint (memory_size (root), ==, all);
  put (root, V2 "a/b/memory.max", "max\n");
  g_assert_cmpuint (memory_size (root), ==, all);
  put (root, V2 "a/b/memory.max", "5000000\n");
  g_assert_cmpuint (memory_size (root), ==, 5000000);
  put (root, V2 "a/memory.max", "4000000\n"); /* the one around it */
  g_assert_cmpuint (memory_size (root), ==, 4000000);
  put (root, V2 "memory.max", "3000000\n"); /* as seen in a container */
  g_assert_cmpuint (memory_size (root), ==, 3000000);

  put (root, "proc/self/cgroup", "12:cpu,cpuacct:/c\n4:memory:/m\n1:x:/a\n");
  g_assert_cmpuint (memory_size (root), ==, all);
  put (root, V1 "m/memory.limit_in_bytes", "9223372036854771712\n");
  g_assert_cmpuint (memory_size (root), ==, all);
  put (root, V1 "m/memory.limit_in_bytes", "2000000\n");
  g_assert_cmpuint (memory_size (root), ==, 2000000);

  put (root, "proc/self/cgroup", "nonsense\n:\n");
  g_assert_cmpuint (memory_size (root), ==, all);
  remove_all (root);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/machine/memory", test_size);
  return g_test_run ();
}
