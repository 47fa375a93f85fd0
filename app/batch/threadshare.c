#include "app/batch/threadshare.h"

/* From here on the threads inside a picture keep one another busy. */
#define LARGE_PIXELS 1000000

struct ThreadShare {
  GMutex lock;
  GCond freed;
  int threads, free;
  int unit;        /* threads for a small picture */
  int large;       /* large pictures that wait */
  ThreadPool *all; /* used by one large picture at a time */
};

ThreadShare *
thread_share_new (int jobs, int threads)
{
  ThreadShare *share = g_new0 (ThreadShare, 1);

  g_mutex_init (&share->lock);
  g_cond_init (&share->freed);
  share->threads = share->free = threads;
  share->unit = MAX (1, threads / jobs);
  share->all = thread_pool_new (threads);
  return share;
}

void
thread_share_free (ThreadShare *share)
{
  if (share == NULL)
    return;
  thread_pool_free (share->all);
  g_mutex_clear (&share->lock);
  g_cond_clear (&share->freed);
  g_free (share);
}

/* Waits until @threads are free; a large picture goes first. */
static void
await (ThreadShare *share, int threads)
{
  gboolean is_large = threads == share->threads;

  g_mutex_lock (&share->lock);
  share->large += is_large;
  while (share->free < threads || (!is_large && share->large > 0))
    g_cond_wait (&share->freed, &share->lock);
  share->large -= is_large;
  share->free -= threads;
  g_mutex_unlock (&share->lock);
}

void
thread_share_claim (ThreadShare *share, gsize pixels, ThreadClaim *claim)
{
  if (share == NULL)
    return;
  claim->share = share;
  claim->threads = pixels >= LARGE_PIXELS ? share->threads : share->unit;
  await (share, claim->threads);
  if (claim->threads < share->threads && claim->threads > 1)
    claim->own = thread_pool_new (claim->threads);
  parallel_enter (&claim->scope, claim->threads == share->threads ? share->all
                                                                  : claim->own);
}

void
thread_claim_release (ThreadClaim *claim)
{
  ThreadShare *share = claim->share;

  if (claim->threads == 0)
    return;
  parallel_leave (&claim->scope);
  thread_pool_free (claim->own);
  g_mutex_lock (&share->lock);
  share->free += claim->threads;
  g_cond_broadcast (&share->freed);
  g_mutex_unlock (&share->lock);
  *claim = (ThreadClaim){ 0 };
}
