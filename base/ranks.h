/* ranks.h - one program in several processes
 *
 * All ranks run the same program on the same input and keep the same state.
 * What takes long is cut into shards, whose number depends on the work and
 * never on the ranks; each rank does a run of them and passes on what the
 * others need.  Sums over shards are taken along a fixed binary tree.  So the
 * bytes are the same for any number of ranks, as they are for threads.
 *
 * These functions are for the thread that runs the program, and all ranks must
 * call them in the same order.  They share work only between ranks_begin() and
 * ranks_end(); outside, and where nothing connects ranks, there is just one.
 */
#pragma once

#include <glib.h>

/* What connects the ranks. */
typedef struct {
  int self, count; /* 0 <= self < count */

  /* All ranks get the @size bytes at @data of rank @from. */
  void (*broadcast) (gpointer data, gsize size, int from);

  /* Starts a counter that all ranks share, at 0, and waits until all have
   * come here; and takes the next number of it, from any thread. */
  void (*start_items) (void);
  guint (*next_item) (void);
} RanksLink;

/* Sets the link, which must live as long as the program; NULL for none. */
void ranks_set_link (const RanksLink *link);

/* Whether this is the rank that writes and talks to the user. */
gboolean ranks_is_first (void);

/* Between these the loops of the learners are shared out. */
void ranks_begin (void);
void ranks_end (void);

/* For work that is handed out item by item to whoever is free, outside of
 * ranks_begin() and ranks_end().  All ranks start; the number of the next item
 * is then counted over all of them, from 0 on.  Any thread may take one. */
void ranks_start_items (void);
guint ranks_next_item (void);

/* Whether all ranks have the same @text; waits for all of them. */
gboolean ranks_agree (const char *text);

/* The number of ranks that share the work, and the own number among them: 1
 * and 0 outside of ranks_begin() and ranks_end(). */
int ranks_count (void);
int ranks_self (void);

/* Shards first .. end - 1. */
typedef struct {
  int first, end;
} RankPart;

/* The part of @shards that @rank does, and that this rank does. */
RankPart ranks_part_of (int shards, int rank);
RankPart ranks_part (int shards);

/* The rank that does shard @shard of @shards. */
int ranks_owner (int shards, int shard);

/* All ranks get the @size bytes at @data of rank @from. */
void ranks_broadcast (gpointer data, gsize size, int from);

/* The broadcasts so far, and their bytes. */
typedef struct {
  guint64 messages, bytes;
} RanksTraffic;

RanksTraffic ranks_traffic (void);

/* ---- samples ----
 *
 * Shard s of p samples has the samples from p s / shards on. */

/* A power of two, from 1 up to 1024 for many samples. */
int ranks_shards (int samples);

static inline int
ranks_first_sample (int samples, int shards, int shard)
{
  return (int) ((gint64) samples * shard / shards);
}

/* The samples of this rank. */
RankPart ranks_samples (int samples);

/* The rank that has sample @sample of @samples. */
int ranks_owner_of_sample (int samples, int sample);

/* Each rank has set its own samples of @data, @size bytes each; afterwards all
 * have all. */
void ranks_exchange_samples (gpointer data, gsize size, int samples);

/* @counts becomes the sum of the ranks' counts. */
void ranks_add_counts (int *counts, int length);

/* ---- sums over shards ---- */

/* A sum of vectors, one per shard.  Takes memory for the logarithm of the
 * number of shards. */
typedef struct RankSum RankSum;

typedef enum { RANK_SUM_FLOAT, RANK_SUM_DOUBLE } RankSumKind;

RankSum *rank_sum_new (RankSumKind kind, gsize length, int shards);
void rank_sum_free (RankSum *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RankSum, rank_sum_free)

/* Zeros to which the values of the next shard of this rank are to be added;
 * the first call is for the first shard of ranks_part(). */
gpointer rank_sum_next (RankSum *self);

/* The sum over the shards of all ranks, which lives until the next call of
 * rank_sum_next(); that begins a new sum. */
gpointer rank_sum_finish (RankSum *self);
