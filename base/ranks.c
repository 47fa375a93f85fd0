/* ranks.c - shards, their owners, and sums along a fixed tree
 *
 * The leaves of the tree are the shards; node (i, w), with w a power of two
 * and i a multiple of it, is the sum over shards i .. i + w - 1 (as far as
 * they exist), computed as (i, w/2) + (i + w/2, w/2).
 *
 * A rank has a run of shards.  It sums up, in the order of the shards, and
 * merges two nodes as soon as both are complete; what is left are the largest
 * nodes inside of its run, at most two per level.  All ranks exchange these,
 * and each completes the tree.
 */
#include "base/ranks.h"

#include <string.h>

/* Samples per shard, at least, and the largest number of shards.  A shard
 * costs a vector of additions per sum, which must be little beside the work
 * on its samples. */
#define SHARD_SAMPLES 512
#define MOST_SHARDS 1024

/* Two nodes for each width below MOST_SHARDS are the most that a run needs. */
#define MOST_NODES 32

static const RanksLink *connection;
static int depth; /* of ranks_begin() */
static RanksTraffic traffic;

void
ranks_set_link (const RanksLink *link)
{
  connection = link;
}

gboolean
ranks_is_first (void)
{
  return connection == NULL || connection->self == 0;
}

void
ranks_begin (void)
{
  depth++;
}

void
ranks_end (void)
{
  depth--;
}

int
ranks_count (void)
{
  return connection != NULL && depth > 0 ? connection->count : 1;
}

int
ranks_self (void)
{
  return connection != NULL && depth > 0 ? connection->self : 0;
}

RankPart
ranks_part_of (int shards, int rank)
{
  gint64 count = ranks_count ();

  return (RankPart){ (int) (shards * (gint64) rank / count),
                     (int) (shards * (gint64) (rank + 1) / count) };
}

RankPart
ranks_part (int shards)
{
  return ranks_part_of (shards, ranks_self ());
}

int
ranks_owner (int shards, int shard)
{
  int rank = 0;

  while (shard >= ranks_part_of (shards, rank).end)
    rank++;
  return rank;
}

void
ranks_broadcast (gpointer data, gsize size, int from)
{
  if (ranks_count () == 1 || size == 0)
    return;
  connection->broadcast (data, size, from);
  traffic.messages++;
  traffic.bytes += size;
}

RanksTraffic
ranks_traffic (void)
{
  return traffic;
}

/* Without a link. */
static gint next_item; /* atomic */

void
ranks_start_items (void)
{
  g_atomic_int_set (&next_item, 0);
  if (connection != NULL)
    connection->start_items ();
}

guint
ranks_next_item (void)
{
  return connection != NULL ? connection->next_item ()
                            : (guint) g_atomic_int_add (&next_item, 1);
}

gboolean
ranks_agree (const char *text)
{
  g_autofree char *sum =
    g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  gsize size = strlen (sum);
  gboolean ok = TRUE;

  ranks_begin ();
  for (int rank = 0; rank < ranks_count (); rank++) {
    g_autofree char *other = g_strdup (sum);

    ranks_broadcast (other, size, rank);
    ok = ok && g_str_equal (other, sum);
  }
  ranks_end ();
  return ok;
}

/* ---- samples ---- */

int
ranks_shards (int samples)
{
  int shards = 1;

  while (shards < MOST_SHARDS && samples / (2 * shards) >= SHARD_SAMPLES)
    shards *= 2;
  return shards;
}

static RankPart
samples_of (int samples, int rank)
{
  int shards = ranks_shards (samples);
  RankPart part = ranks_part_of (shards, rank);

  return (RankPart){ ranks_first_sample (samples, shards, part.first),
                     ranks_first_sample (samples, shards, part.end) };
}

RankPart
ranks_samples (int samples)
{
  return samples_of (samples, ranks_self ());
}

int
ranks_owner_of_sample (int samples, int sample)
{
  int rank = 0;

  while (sample >= samples_of (samples, rank).end)
    rank++;
  return rank;
}

void
ranks_exchange_samples (gpointer data, gsize size, int samples)
{
  for (int rank = 0; rank < ranks_count (); rank++) {
    RankPart part = samples_of (samples, rank);

    ranks_broadcast ((char *) data + (gsize) part.first * size,
                     (gsize) (part.end - part.first) * size, rank);
  }
}

void
ranks_add_counts (int *counts, int length)
{
  g_autofree int *own = g_memdup2 (counts, (gsize) length * sizeof (int));
  g_autofree int *other = g_new (int, length);

  for (int rank = 0; rank < ranks_count (); rank++) {
    int *from = rank == ranks_self () ? own : other;

    ranks_broadcast (from, (gsize) length * sizeof (int), rank);
    for (int i = 0; i < length && from == other; i++)
      counts[i] += other[i];
  }
}

/* ---- sums over shards ---- */

typedef struct {
  int first, width; /* (i, w) */
} Node;

struct RankSum {
  RankSumKind kind;
  gsize length, size; /* of a vector: numbers, and bytes */
  int shards;
  int next;     /* shard that rank_sum_next() is for; -1 before a sum */
  Node *nodes;  /* a stack */
  char *values; /* of its nodes */
  int depth, room;
};

RankSum *
rank_sum_new (RankSumKind kind, gsize length, int shards)
{
  RankSum *self = g_new0 (RankSum, 1);

  self->kind = kind;
  self->length = length;
  self->size =
    length * (kind == RANK_SUM_FLOAT ? sizeof (float) : sizeof (double));
  self->shards = shards;
  self->next = -1;
  return self;
}

void
rank_sum_free (RankSum *self)
{
  if (self == NULL)
    return;
  g_free (self->nodes);
  g_free (self->values);
  g_free (self);
}

static gpointer
value_at (const RankSum *self, int i)
{
  return self->values + (gsize) i * self->size;
}

/* Puts a node of zeros on the stack. */
static gpointer
push (RankSum *self, Node node)
{
  if (self->depth == self->room) {
    self->room = 2 * self->room + 4;
    self->nodes = g_renew (Node, self->nodes, self->room);
    self->values = g_realloc_n (self->values, (gsize) self->room, self->size);
  }
  self->nodes[self->depth] = node;
  memset (value_at (self, self->depth), 0, self->size);
  return value_at (self, self->depth++);
}

static void
add (const RankSum *self, gpointer to, gconstpointer from)
{
  if (self->kind == RANK_SUM_FLOAT)
    for (gsize i = 0; i < self->length; i++)
      ((float *) to)[i] += ((const float *) from)[i];
  else
    for (gsize i = 0; i < self->length; i++)
      ((double *) to)[i] += ((const double *) from)[i];
}

/* A node whose right half would lie behind the last shard is its left half. */
static void
widen_last (RankSum *self)
{
  Node *node = &self->nodes[self->depth - 1];

  while (node->first % (2 * node->width) == 0
         && node->first + node->width >= self->shards
         && node->width < self->shards)
    node->width *= 2;
}

/* Merges the two nodes on top as long as they are the halves of one. */
static void
merge (RankSum *self)
{
  widen_last (self);
  while (self->depth >= 2) {
    Node *left = &self->nodes[self->depth - 2];
    const Node *right = left + 1;

    if (left->width != right->width || left->first % (2 * left->width) != 0
        || right->first != left->first + left->width)
      return;
    add (self, value_at (self, self->depth - 2),
         value_at (self, self->depth - 1));
    left->width *= 2;
    self->depth--;
    widen_last (self);
  }
}

gpointer
rank_sum_next (RankSum *self)
{
  if (self->next < 0) {
    self->next = ranks_part (self->shards).first;
    self->depth = 0;
  } else {
    merge (self);
  }
  return push (self, (Node){ self->next++, 1 });
}

/* The largest nodes inside of @part of @shards, from left to right: what the
 * rank that has it is left with.  Returns their number. */
static int
largest_nodes (int shards, RankPart part, Node nodes[MOST_NODES])
{
  int count = 0;

  for (int i = part.first; i < part.end; i += nodes[count++].width) {
    int width = 1;

    while (width < shards && i % (2 * width) == 0
           && MIN (i + 2 * width, shards) <= part.end)
      width *= 2;
    nodes[count] = (Node){ i, width };
  }
  return count;
}

/* Makes a new stack from the nodes of all ranks, in their order. */
static void
exchange (RankSum *self)
{
  g_autofree char *own = g_steal_pointer (&self->values);
  g_autofree char *other = NULL;

  self->depth = self->room = 0;
  for (int rank = 0; rank < ranks_count (); rank++) {
    Node nodes[MOST_NODES];
    int count = largest_nodes (self->shards,
                               ranks_part_of (self->shards, rank), nodes);
    char *values = own;

    if (rank != ranks_self ())
      values = other = g_realloc_n (other, (gsize) count + 1, self->size);
    ranks_broadcast (values, (gsize) count * self->size, rank);
    for (int i = 0; i < count; i++) {
      memcpy (push (self, nodes[i]), values + (gsize) i * self->size,
              self->size);
      merge (self);
    }
  }
}

gpointer
rank_sum_finish (RankSum *self)
{
  if (self->depth > 0 && self->next >= 0)
    merge (self);
  else
    self->depth = 0;
  if (ranks_count () > 1)
    exchange (self);
  self->next = -1;
  return value_at (self, 0);
}
