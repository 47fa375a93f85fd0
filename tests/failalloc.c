/* failalloc.c - lets one allocation of a program fail
 *
 *     LD_PRELOAD=failalloc.so FAIL_AT=k program ...
 *
 * From main() on, allocations are counted, and the k-th returns NULL; none
 * does for FAIL_AT=0.  FAIL_PLACES names a file that gets a line for each: a
 * number that is the same for two allocations if the same functions called
 * each other on the way to them.  With FAIL_ABOVE=b only allocations of more
 * than b bytes are counted, and the one that fails is traced to stderr.
 *
 * Memory that OpenBLAS asks the kernel for is not touched, for it would try
 * again for ever; nor do all later allocations fail too, for GLib, which needs
 * memory to say that there is none, would call itself until its stack is full.
 *
 * Built by tests/check_oom.sh.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *old, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

static int counting; /* main() has begun */
static long counted; /* atomic */
static long fail_at;
static size_t fail_above;
static FILE *places;             /* or NULL */
static char buffer[1 << 16];     /* of that file */
static __thread int is_counting; /* what counting itself allocates is free */

#define DEPTH 40

/* The return addresses of all functions below this one, as one number. */
static uint64_t
find_place (void)
{
  void *frames[DEPTH];
  uint64_t place = 0;
  int depth = backtrace (frames, DEPTH);

  for (int i = 0; i < depth; i++)
    place = place * 0x9e3779b97f4a7c15u + (uintptr_t) frames[i];
  return place;
}

static void
note_place (void)
{
  if (places == NULL)
    return;
  is_counting = 1;
  fprintf (places, "%llx\n", (unsigned long long) find_place ());
  is_counting = 0;
}

/* Says who asked, in numbers for addr2line. */
static void
trace (void)
{
  void *frames[DEPTH];

  is_counting = 1;
  backtrace_symbols_fd (frames, backtrace (frames, DEPTH), 2);
  is_counting = 0;
}

static int
fails (size_t size)
{
  long number;

  if (!counting || is_counting || size <= fail_above)
    return 0;
  note_place ();
  number = __atomic_add_fetch (&counted, 1, __ATOMIC_SEQ_CST);
  if (number != fail_at)
    return 0;
  if (fail_above > 0)
    trace ();
  errno = ENOMEM;
  return 1;
}

void *
malloc (size_t size)
{
  return fails (size) ? NULL : __libc_malloc (size);
}

void *
calloc (size_t count, size_t size)
{
  return fails (count * size) ? NULL : __libc_calloc (count, size);
}

void *
realloc (void *old, size_t size)
{
  return fails (size) ? NULL : __libc_realloc (old, size);
}

void *
memalign (size_t alignment, size_t size)
{
  return fails (size) ? NULL : __libc_memalign (alignment, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return fails (size) ? NULL : __libc_memalign (alignment, size);
}

int
posix_memalign (void **place, size_t alignment, size_t size)
{
  void *block = fails (size) ? NULL : __libc_memalign (alignment, size);

  if (block == NULL)
    return ENOMEM;
  *place = block;
  return 0;
}

/* ---- when it begins and ends ---- */

static void
stop_counting (void)
{
  counting = 0;
  if (places != NULL)
    fclose (places);
}

typedef int (*MainFunc) (int, char **, char **);

static MainFunc real_main;

static int
counting_main (int argc, char **argv, char **envp)
{
  const char *at = getenv ("FAIL_AT");
  const char *above = getenv ("FAIL_ABOVE");
  const char *path = getenv ("FAIL_PLACES");

  fail_at = at != NULL ? atol (at) : 0;
  fail_above = above != NULL ? strtoul (above, NULL, 10) : 0;
  places = path != NULL ? fopen (path, "w") : NULL;
  if (places != NULL)
    setvbuf (places, buffer, _IOFBF, sizeof buffer);
  find_place (); /* which loads a library the first time */
  atexit (stop_counting);
  counting = 1;
  return real_main (argc, argv, envp);
}

typedef int (*StartFunc) (MainFunc, int, char **, void (*) (void),
                          void (*) (void), void (*) (void), void *);

int __libc_start_main (MainFunc function, int argc, char **argv,
                       void (*init) (void), void (*fini) (void),
                       void (*loader) (void), void *stack);

int
__libc_start_main (MainFunc function, int argc, char **argv,
                   void (*init) (void), void (*fini) (void),
                   void (*loader) (void), void *stack)
{
  StartFunc start = (StartFunc) dlsym (RTLD_NEXT, "__libc_start_main");

  real_main = function;
  return start (counting_main, argc, argv, init, fini, loader, stack);
}
