#include "imaging/inpaint/collaborative.h"

#include "base/error.h"
#include "base/parallel.h"
#include "imaging/inpaint/groupshrink.h"
#include "imaging/inpaint/patches.h"
#include "imaging/inpaint/patchsearch.h"

#include <math.h>
#include <string.h>

/* Patches that a thread codes at a time, and whose votes
 * wait to be counted. */
#define CHUNK 128
#define BATCH 2048
#define CHUNKS (BATCH / CHUNK)

/* Added to the known share of a patch to make its weight: a patch inside a
 * hole only confirms what was filled there before. */
#define LEAST_WEIGHT 0.01f

/* How far from a patch those like it are looked for. */
#define SEARCH_RADIUS 9

/* Groups are found in the first round, in the first that is not coarse, and
 * then again at regular intervals. */
#define LOOK_EVERY 6

/* A patch of a group: where it is, seen from the first one, and what share of
 * it is known. */
typedef struct {
  gint8 x, y;
  guint8 known; /* 0 .. ALL_KNOWN, or UNKNOWN_INSIDE */
} Member;

#define ALL_KNOWN 254
#define UNKNOWN_INSIDE 255 /* it holds a sample of which nothing is known */

/* One size of patches. */
typedef struct {
  CollaborativeScale scale;
  int numbers; /* samples of a patch */
  GroupShrink *shrink;
  Member *members;   /* of each group in turn */
  gsize room;        /* for this many of them */
  guint groups_done; /* in this round */
} Size;

/* Of one thread. */
typedef struct {
  float *patches, *codes; /* of SHRINK_PATCHES patches */
} Workspace;

typedef struct {
  const CollaborativeSettings *settings;
  Size sizes[MOST_SCALES];
  int size_count;
  Workspace *workspaces; /* one for each thread */
  Votes votes[CHUNKS];   /* of each chunk of a batch */
  PatchSearch search;
  int spread;       /* factor of the distance of patches in this round */
  gboolean looking; /* for similar patches, in this round */
  float threshold;
  gsize coded; /* patches, over all rounds */
} Collaborative;

/* A batch of patches, some of which belong together. */
typedef struct {
  Collaborative *state;
  const RowWindow *window;
  const Size *size;
  const Place *centres; /* the first patch of each group */
  Member *members;      /* all patches of each group */
  int groups;
} Batch;

/* ---- a chunk of patches ---- */

static guint8
known_share (const RowWindow *w, Place place, int side)
{
  int known = 0, unknown = 0;

  for (int c = 0; c < w->channels; c++)
    for (int row = 0; row < side; row++) {
      const float *trust =
        w->trust + row_window_offset (w, c, place.x, place.y + row);

      for (int x = 0; x < side; x++) {
        known += trust[x] == 1;
        unknown += trust[x] == 0;
      }
    }
  return (guint8) (unknown > 0
                     ? UNKNOWN_INSIDE
                     : ALL_KNOWN * known / (side * side * w->channels));
}

/* Looks for patches like the one at @centre. */
static void
find_group (const Batch *b, Place centre, Member *members)
{
  int together = b->size->scale.similar, side = b->size->scale.side;
  Place found[MOST_SIMILAR];

  patch_search_find (&b->state->search, centre, side, SEARCH_RADIUS, found,
                     together);
  for (int k = 0; k < together; k++)
    members[k] = (Member){ .x = (gint8) (found[k].x - centre.x),
                           .y = (gint8) (found[k].y - centre.y),
                           .known = known_share (b->window, found[k], side) };
}

/* A patch inside a hole contributes little, one that contains unfilled samples
 * nothing. */
static float
patch_weight (const Member *member)
{
  if (member->known == UNKNOWN_INSIDE)
    return 0;
  return (float) member->known / ALL_KNOWN + LEAST_WEIGHT;
}

/* SHRINK_PATCHES patches of a batch, or fewer at its end. */
typedef struct {
  Place places[SHRINK_PATCHES];
  float weights[SHRINK_PATCHES];
  int count;
} Patches;

/* Sets places and weights of the groups from @first on, as many as are shrunk
 * at a time and not behind @end. */
static void
place_groups (const Batch *b, int first, int end, Patches *patches)
{
  int together = b->size->scale.similar, p = 0;

  for (int g = first; g < end && p < SHRINK_PATCHES; g++) {
    Place centre = b->centres[g];
    Member *members = b->members + g * together;

    if (b->state->looking)
      find_group (b, centre, members);
    for (int k = 0; k < together; k++, p++) {
      patches->places[p] =
        (Place){ centre.x + members[k].x, centre.y + members[k].y };
      patches->weights[p] = patch_weight (&members[k]);
    }
  }
  patches->count = p;
}

/* Multiplies the weight of each patch by numbers / numbers kept by its
 * group. */
static void
weigh_groups (const Size *size, const int *kept, Patches *patches)
{
  int together = size->scale.similar;

  for (int first = 0; first < patches->count; first += together) {
    int sum = 0;

    for (int p = first; p < first + together; p++)
      sum += kept[p];
    for (int p = first; p < first + together; p++)
      patches->weights[p] *= (float) (size->numbers * together) / (float) sum;
  }
}

static void
code_patches (const Batch *b, const Workspace *w, Patches *patches,
              Votes *votes)
{
  const Size *size = b->size;
  int side = size->scale.side, kept[SHRINK_PATCHES];
  ShrinkOptions options = { size->scale.similar, b->state->threshold, 0 };

  for (int p = 0; p < patches->count; p++) {
    patch_copy (b->window, patches->places[p], side,
                w->patches + p * size->numbers);
    options.rows |= patch_wanted_rows (b->window, patches->places[p], side);
  }
  group_shrink (size->shrink, &options, w->patches, w->codes, kept);
  weigh_groups (size, kept, patches);
  for (int p = 0; p < patches->count; p++)
    if (patches->weights[p] > 0)
      votes_cast (votes, b->window, patches->places[p], side,
                  w->patches + p * size->numbers, patches->weights[p]);
}

static void
code_chunk (int chunk, int worker, gpointer data)
{
  const Batch *b = data;
  int together = b->size->scale.similar, most = CHUNK / together;
  int end = MIN ((chunk + 1) * most, b->groups);
  Votes *votes = &b->state->votes[chunk];
  Patches patches;

  votes_reset (votes);
  for (int g = chunk * most; g < end; g += SHRINK_PATCHES / together) {
    place_groups (b, g, end, &patches);
    code_patches (b, &b->state->workspaces[worker], &patches, votes);
  }
}

/* ---- batches and blocks ---- */

/* Allocates @count members, with some to spare: how many groups there are
 * depends on the holes. */
static gboolean
make_room (Size *size, gsize count, GError **error)
{
  gsize room = MAX (count, 2 * size->room);
  Member *larger;

  if (count <= size->room)
    return TRUE;
  larger = g_try_realloc_n (size->members, room, sizeof (Member));
  if (larger == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory for groups of similar patches");
  memset (larger + size->room, 0, (room - size->room) * sizeof (Member));
  size->members = larger;
  size->room = room;
  return TRUE;
}

static gboolean
code_batch (Collaborative *r, RowWindow *window, Size *size,
            const Place *centres, int groups, GError **error)
{
  int count = groups * size->scale.similar;
  int chunks = (count + CHUNK - 1) / CHUNK;
  gsize first = (gsize) size->groups_done * (gsize) size->scale.similar;
  Batch batch = { r, window, size, centres, NULL, groups };

  if (!make_room (size, first + (gsize) count, error))
    return FALSE;
  batch.members = size->members + first;
  parallel_for (chunks, code_chunk, &batch, NULL, NULL);
  votes_count (r->votes, chunks, window);
  r->coded += (gsize) count;
  size->groups_done += (guint) groups;
  return TRUE;
}

static gboolean
code_size (Collaborative *r, RowWindow *window, Size *size, int top,
           int bottom, const Progress *progress, GError **error)
{
  PlaceGrid grid = { size->scale.side, size->scale.step * r->spread };
  g_autoptr (List) places = patch_places (window, &grid, top, bottom, error);
  guint most = (guint) (BATCH / size->scale.similar);

  for (guint start = 0; places != NULL && start < places->len;
       start += most) {
    if (!progress_step (progress, (double) start / (double) places->len, error)
        || !code_batch (r, window, size, &list_at (places, Place, start),
                        (int) MIN (most, places->len - start), error))
      return FALSE;
  }
  return places != NULL;
}

static gboolean
code_block (RowWindow *window, int top, int bottom, const Progress *progress,
            gpointer data, GError **error)
{
  Collaborative *r = data;
  int reach = collaborative_reach (r->settings);

  if (r->search.grey.data == NULL && !patch_search_init (&r->search, window, error))
    return FALSE;
  r->search.window = window;
  if (r->looking)
    patch_search_update (&r->search, top - SEARCH_RADIUS, bottom + reach);
  for (int i = 0; i < r->size_count; i++) {
    ProgressPart share = { progress, (double) i / r->size_count,
                           (double) (i + 1) / r->size_count };
    Progress part = progress_part (&share);

    /* A picture smaller than the patch has none. */
    if (r->sizes[i].scale.side <= MIN (window->width, window->height)
        && !code_size (r, window, &r->sizes[i], top, bottom, &part, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- rounds ---- */

int
collaborative_reach (const CollaborativeSettings *settings)
{
  int reach = 0;

  for (const CollaborativeScale *scale = settings->scales; scale->side > 0;
       scale++)
    reach =
      MAX (reach, scale->side + (scale->similar > 1 ? SEARCH_RADIUS : 0));
  return reach;
}

static void
size_init (Size *size, const CollaborativeScale *scale, int channels)
{
  int numbers = scale->side * scale->side * channels;

  size->scale = *scale;
  size->numbers = numbers;
  size->shrink = group_shrink_new (scale->side, channels);
}

static void
size_clear (Size *size)
{
  group_shrink_free (size->shrink);
  g_free (size->members);
}

static void
collaborative_init (Collaborative *r, const CollaborativeSettings *settings,
                    int channels)
{
  gsize room = SHRINK_ROOM;

  r->settings = settings;
  for (; settings->scales[r->size_count].side > 0; r->size_count++) {
    Size *size = &r->sizes[r->size_count];

    size_init (size, &settings->scales[r->size_count], channels);
    room = MAX (room, (gsize) size->numbers * SHRINK_PATCHES + SHRINK_ROOM);
  }
  r->workspaces = g_new (Workspace, parallel_threads ());
  for (int i = 0; i < parallel_threads (); i++)
    r->workspaces[i] =
      (Workspace){ g_new0 (float, room), g_new0 (float, room) };
}

static void
collaborative_clear (Collaborative *r)
{
  for (int i = 0; i < r->size_count; i++)
    size_clear (&r->sizes[i]);
  for (int i = 0; i < parallel_threads (); i++) {
    g_free (r->workspaces[i].patches);
    g_free (r->workspaces[i].codes);
  }
  g_free (r->workspaces);
  for (int i = 0; i < CHUNKS; i++)
    votes_clear (&r->votes[i]);
  patch_search_clear (&r->search);
}

static gboolean
do_round (Collaborative *r, Canvas *canvas, int number,
          const Progress *progress, GError **error)
{
  const CollaborativeSettings *s = r->settings;
  double share = s->rounds > 1 ? (double) number / (s->rounds - 1) : 1;

  r->threshold = (float) (s->first * pow (s->last / s->first, share));
  r->spread = number < s->coarse ? 2 : 1;
  r->looking =
    number == 0
    || (number >= s->coarse && (number - s->coarse) % LOOK_EVERY == 0);
  for (int i = 0; i < r->size_count; i++)
    r->sizes[i].groups_done = 0;
  return canvas_pass (canvas, PASS_MISSING, code_block, r, progress, error);
}

/* What the first rounds cost; a coarse one has a fourth of the patches. */
static double
work_before (const CollaborativeSettings *settings, int state)
{
  return state - 0.75 * MIN (state, settings->coarse);
}

gboolean
canvas_improve (Canvas *canvas, const CollaborativeSettings *settings,
                gsize *patches, const Progress *progress, GError **error)
{
  Collaborative r = { 0 };
  double work = work_before (settings, settings->rounds);
  gboolean ok = TRUE;

  collaborative_init (&r, settings, canvas_channels (canvas));
  for (int i = 0; ok && i < settings->rounds; i++) {
    ProgressPart part = { progress, work_before (settings, i) / work,
                          work_before (settings, i + 1) / work };
    Progress round = progress_part (&part);

    ok = do_round (&r, canvas, i, &round, error);
  }
  *patches = r.coded;
  collaborative_clear (&r);
  return ok;
}
