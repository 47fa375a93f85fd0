/* threadshare.h - threads for several pictures at a time
 *
 * Small pictures are worked on side by side, with few threads each: that has
 * no cost in waiting for one another.  A large one gets all threads, and the
 * others wait: so only one of them needs the memory of its work at a time.
 */
#pragma once

#include "base/parallel.h"

typedef struct ThreadShare ThreadShare;

/* For @jobs pictures at a time on @threads threads.  The caller owns it. */
ThreadShare *thread_share_new (int jobs, int threads);
void thread_share_free (ThreadShare *share);

/* What one picture has of it.  Starts as all zeros. */
typedef struct {
  ThreadShare *share;
  int threads; /* 0 for none */
  ThreadPool *own;
  ParallelScope scope;
} ThreadClaim;

/* Waits for threads for a picture of @pixels pixels.  Until the release, loops
 * of the calling thread run on them.  @share may be NULL: all is as before. */
void thread_share_claim (ThreadShare *share, gsize pixels, ThreadClaim *claim);

/* Does nothing if nothing is claimed. */
void thread_claim_release (ThreadClaim *claim);
