/* glibtsan.c - tells ThreadSanitizer what GLib's locks do
 *
 * GLib is not instrumented, and its GMutex and GCond are futexes, not those of
 * the C library: ThreadSanitizer sees neither, and takes all that they guard
 * for races.  These functions stand in front of GLib's, call them, and add
 * what they mean: unlocking publishes what was written before, locking
 * receives it.  The same holds for the count of references of a GBytes and for
 * what is done once.  Atomic numbers are instrumented in our own code.
 *
 * Linked into what "make check-tsan" builds, and into nothing else.
 */
#include <gio/gio.h>

#include <dlfcn.h>

void __tsan_acquire (void *address);
void __tsan_release (void *address);

/* GLib's own function of that name, looked up once. */
#define REAL(name)                                                            \
  static __typeof__ (&name) real;                                             \
  if (__atomic_load_n (&real, __ATOMIC_ACQUIRE) == NULL)                      \
  __atomic_store_n (&real, (__typeof__ (&name)) dlsym (RTLD_NEXT, #name),     \
                    __ATOMIC_RELEASE)

void
g_mutex_lock (GMutex *mutex)
{
  REAL (g_mutex_lock);
  real (mutex);
  __tsan_acquire (mutex);
}

gboolean
g_mutex_trylock (GMutex *mutex)
{
  REAL (g_mutex_trylock);
  gboolean locked = real (mutex);

  if (locked)
    __tsan_acquire (mutex);
  return locked;
}

void
g_mutex_unlock (GMutex *mutex)
{
  REAL (g_mutex_unlock);
  __tsan_release (mutex);
  real (mutex);
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait);
  __tsan_release (mutex);
  real (cond, mutex);
  __tsan_acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  REAL (g_cond_wait_until);
  __tsan_release (mutex);
  gboolean woken = real (cond, mutex, end_time);

  __tsan_acquire (mutex);
  return woken;
}

/* g_once_init_enter() is a macro that looks at the place first. */
#undef g_once_init_enter
#undef g_once_init_leave

gboolean
g_once_init_enter (volatile void *location)
{
  REAL (g_once_init_enter);
  gboolean first = real (location);

  if (!first)
    __tsan_acquire ((void *) location);
  return first;
}

void
g_once_init_leave (volatile void *location, gsize result)
{
  REAL (g_once_init_leave);
  __tsan_release ((void *) location);
  real (location, result);
}

GBytes *
g_bytes_ref (GBytes *bytes)
{
  REAL (g_bytes_ref);
  __tsan_release (bytes);
  return real (bytes);
}

void
g_bytes_unref (GBytes *bytes)
{
  REAL (g_bytes_unref);
  if (bytes == NULL)
    return;
  __tsan_release (bytes);
  __tsan_acquire (bytes);
  real (bytes);
}
