/* restart.c - the program restarts itself
 *
 * A variable NAME that we set goes with another one, TESSERA_KEPT_NAME, which
 * holds the user's value of NAME, or nothing if there was none.  It says both
 * that there was a start before this one and what to put back.
 */
#include "app/system/restart.h"

#include "app/system/memory.h"
#include "base/parallel.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* What OpenBLAS calls the kernels it takes when it knows no better. */
#define LAST_RESORT "Prescott"

#define KERNELS "OPENBLAS_CORETYPE"
#define THREADS "OPENBLAS_NUM_THREADS"
#define KEPT "TESSERA_KEPT_"

/* The longest value of ours, or of the user's, that is put back. */
#define MAX_VALUE 64

/* The value of variable @name in @environment, NULL if it is not there. */
MEMORY_NO_SANITIZER static const char *
find (char **environment, const char *name)
{
  size_t length = strlen (name);

  for (; *environment != NULL; environment++)
    if (strncmp (*environment, name, length) == 0
        && (*environment)[length] == '=')
      return *environment + length + 1;
  return NULL;
}

/* Writes "NAME=VALUE" to @to, which has room for it. */
MEMORY_NO_SANITIZER static void
format (char *to, const char *name, const char *value)
{
  to = stpcpy (to, name);
  to = stpcpy (to, "=");
  stpcpy (to, value);
}

/* Starts the program with @name set to @value in a copy of @environment.
 * Returns if that fails.  Before the libraries have set themselves up there is
 * no malloc(), and setenv() does not last. */
MEMORY_NO_SANITIZER static void
restart_with (char **argv, char **environment, const char *name,
              const char *value)
{
  char self[PATH_MAX];
  char set[sizeof THREADS + MAX_VALUE];
  char kept[sizeof KEPT THREADS + MAX_VALUE];
  char kept_name[sizeof KEPT THREADS] = KEPT;
  const char *old = find (environment, name);
  ssize_t length = readlink ("/proc/self/exe", self, sizeof self - 1);
  int count = 0, used = 0;

  if (length < 0 || (old != NULL && strlen (old) >= MAX_VALUE))
    return;
  self[length] = '\0';
  strcat (kept_name, name);
  format (set, name, value);
  format (kept, kept_name, old != NULL ? old : "");
  while (environment[count] != NULL)
    count++;

  char **changed = __builtin_alloca ((size_t) (count + 3) * sizeof *changed);

  for (int i = 0; i < count; i++)
    if (find ((char *[]){ environment[i], NULL }, name) == NULL)
      changed[used++] = environment[i];
  changed[used++] = set;
  changed[used++] = kept;
  changed[used] = NULL;
  execve (self, argv, changed);
}

/* ---- before main(): threads ----
 *
 * With no room for their buffers OpenBLAS hangs or kills the program before
 * main() can do anything.  The one place early enough is .preinit_array, which
 * runs before the libraries set themselves up. */

MEMORY_NO_SANITIZER static void
turn_off_blas_threads (int argc, char **argv, char **environment)
{
  (void) argc;
  if (memory_is_limited () && find (environment, KEPT THREADS) == NULL)
    restart_with (argv, environment, THREADS, "1");
}

#define PREINIT __attribute__ ((section (".preinit_array"), used))

typedef void (*PreinitFunc) (int, char **, char **);

PREINIT static const PreinitFunc before_main = turn_off_blas_threads;

/* ---- in main(): kernels ---- */

/* The best kernels that this CPU can run, or NULL. */
static const char *
best_kernels (void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return "Haswell";
#endif
  return NULL;
}

static void
choose_kernels (char **argv)
{
  if (find (environ, KERNELS) == NULL && best_kernels () != NULL
      && strcmp (parallel_blas_kernels (), LAST_RESORT) == 0)
    restart_with (argv, environ, KERNELS, best_kernels ());
  /* It failed: continue with the slow kernels. */
}

/* Puts the user's value of @name back if a start before this one changed
 * it. */
static void
put_back (const char *name, const char *kept_name)
{
  const char *kept = g_getenv (kept_name);

  if (kept == NULL)
    return;
  if (*kept != '\0')
    g_setenv (name, kept, TRUE);
  else
    g_unsetenv (name);
  g_unsetenv (kept_name);
}

void
restart_if_needed (char **argv)
{
  choose_kernels (argv);
  put_back (KERNELS, KEPT KERNELS);
  put_back (THREADS, KEPT THREADS);
}
