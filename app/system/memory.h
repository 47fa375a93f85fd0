/* memory.h - what happens when memory runs out
 *
 * Memory whose size comes from a file is asked for carefully, and a refusal is
 * an ordinary error.  Small pieces come from g_malloc(), which ends the
 * program when there are none: in our way, with one line and exit code 4.
 */
#pragma once

#include <glib.h>

/* For functions that run before a sanitizer is set up. */
#define MEMORY_NO_SANITIZER                                                   \
  __attribute__ ((no_sanitize ("address", "undefined")))

/* To be called once, at the start. */
void memory_init (void);

/* Bytes that this process could have at most: the memory of the machine, or of
 * the cgroup that it is in, as containers have one, if that is less.  @root is
 * "" for the real /proc and /sys. */
gsize memory_size (const char *root);

/* Whether there is a limit to the address space, as "ulimit -v" sets one. */
gboolean memory_is_limited (void);
