/* texture.c - search and votes, from coarse to fine */
#include "imaging/inpaint/texture.h"

#include "base/error.h"
#include "imaging/inpaint/texturesearch.h"

#include <math.h>

#define MOST_LEVELS 16

/* The coarsest level has holes no deeper than this: there, most patches see
 * what is known. */
#define COARSEST_DEPTH 5

/* Whether the level has room for patches and something to copy. */
static gboolean
is_rich (const TextureLevel *level)
{
  gsize known = 0;

  if (level->width < 2 * TEXTURE_SIDE || level->height < 2 * TEXTURE_SIDE)
    return FALSE;
  for (gsize i = 0; i < (gsize) level->width * (gsize) level->height; i++)
    known += level->missing[i] == 0;
  return known >= TEXTURE_SIDE * TEXTURE_SIDE * 8;
}

/* Makes the levels; returns their number, 0 for lack of memory. */
static int
make_levels (TextureLevel *levels, const Region *region, const float *activity)
{
  float depth = region_depth (region);
  int count = 1;

  if (!texture_level_from_region (&levels[0], region, activity))
    return 0;
  for (; count < MOST_LEVELS && depth > COARSEST_DEPTH; depth /= 2, count++) {
    if (!texture_level_halve (&levels[count - 1], &levels[count]))
      return 0;
    if (!is_rich (&levels[count])) {
      texture_level_clear (&levels[count]);
      levels[count] = (TextureLevel){ 0 };
      break;
    }
  }
  return count;
}

/* Share of the work that is done before level @k of @count is begun: each has
 * a fourth of the pixels of the next. */
static double
share_before (int k, int count)
{
  return k == count - 1 ? 0 : pow (0.25, k + 1);
}

/* Fills levels @count - 1 down to @finest. */
static gboolean
fill_levels (TextureLevel *levels, int count, int finest, guint64 seed,
             const Progress *progress, GError **error)
{
  TextureSearch coarser = { 0 };
  gboolean ok = TRUE;

  for (int k = count - 1; ok && k >= finest; k--) {
    TextureSearch s = { .seed = seed, .turn = coarser.turn };
    ProgressPart share = { progress, share_before (k, count),
                           share_before (k - 1, count) };
    Progress part = progress_part (&share);

    ok = texture_search_init (&s, &levels[k]);
    if (!ok)
      tessera_fail (error, TESSERA_ERROR_MEMORY,
                    "not enough memory to fill a hole with texture");
    else if (s.source_count >= LEAST_SOURCES && s.target_count > 0) {
      if (coarser.level != NULL)
        texture_search_start_from (&s, &coarser);
      else
        texture_search_start_at_random (&s);
      ok = texture_search_run (&s, coarser.level == NULL, &part, error);
      texture_search_clear (&coarser);
      coarser = s;
    } else
      texture_search_clear (&s);
  }
  texture_search_clear (&coarser);
  return ok;
}

gboolean
region_copy_texture (Region *region, const TextureOptions *options,
                     const Progress *progress, GError **error)
{
  g_autofree float *activity =
    g_try_new (float, region_pixels (region) * ACTIVITY_CHANNELS);
  TextureLevel levels[MOST_LEVELS] = { 0 };
  int count, finest;
  gboolean ok;

  if (region->width < 2 * TEXTURE_SIDE || region->height < 2 * TEXTURE_SIDE)
    return TRUE;
  if (activity == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to fill a hole");
  if (!region_measure_activity (region, activity, NULL, error))
    return FALSE;
  count = make_levels (levels, region, activity);
  finest = CLAMP (options->finest, 0, MAX (0, count - 1));
  ok = count > 0
         ? fill_levels (levels, count, finest, options->seed, progress, error)
         : tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to fill a hole");
  if (ok)
    texture_level_mix_into (&levels[finest], finest, region, options->share);
  for (int k = 0; k < MOST_LEVELS; k++)
    texture_level_clear (&levels[k]);
  return ok;
}
