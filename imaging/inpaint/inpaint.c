/* inpaint.c - from a picture with a mask to a picture without holes */
#include "imaging/inpaint/inpaint.h"

#include "dictlearn/builtin.h"
#include "imaging/convolutional/recode.h"
#include "imaging/inpaint/bounds.h"
#include "imaging/inpaint/fill.h"
#include "imaging/inpaint/gaussian.h"
#include "imaging/inpaint/ground.h"
#include "imaging/inpaint/region.h"
#include "imaging/inpaint/texture.h"
#include "imaging/inpaint/collaborative.h"

#include <string.h>

/* Variance of what rounding to 8 bits adds; to explain less is to explain
 * noise. */
#define ROUNDING_ERROR (1. / 255 / 255 / 12)

/* The paper codes separate patches with a tenth of 300 atoms. */
#define PAPER_ATOMS 30

/* Of a thick hole, patches fill this many pixels from its edge: so far, they
 * predict better than what is put inside, and close the seam to it. */
#define RIM 3.f

/* Measured on holes, ellipses and torn corners of 80 to 150 pixels in ten
 * landscapes: texture of all levels alone costs up to 1 dB of what its mean
 * with the ground reaches, and structure of a fourth of the size gains. */
static const TextureOptions textures[] = {
  [FILL_AUTO] = { .share = 0.8f },
  [FILL_SMOOTH] = { .share = 0.4f, .finest = 2 },
  [FILL_TEXTURE] = { .share = 1 },
};

/* Assumed share of the work of thick parts. */
#define THICK_SHARE 0.5

typedef struct {
  FillSettings fill;
  CollaborativeSettings rounds;

  /* The convolutional dictionary after them: orientations of the picture, 0
   * to leave it out, and the share of its result that is used. */
  int turns;
  MixShares shares;

  GaussianSettings models; /* at last */
} Effort;

/* For a dictionary that the user names. */
#define NAMED_ATOMS 20
#define RIDGE 0.02

const InpaintCoder inpaint_coder = { NAMED_ATOMS, ROUNDING_ERROR, RIDGE };
const InpaintCoder inpaint_paper_coder = { PAPER_ATOMS, 0, 0 };

#define FILL_AGAIN(distance, atoms, passes)                                   \
  {                                                                           \
    .step = distance, .max_atoms = atoms, .max_error = ROUNDING_ERROR,        \
    .ridge = RIDGE, .again = passes, .bounded = TRUE, .least_share = 0.3      \
  }
#define FILL(distance, atoms) FILL_AGAIN (distance, atoms, 0)

/* Rounds after a fill, tuned on training pictures of the landscape set. */
#define ROUNDS_NORMAL                                                         \
  {                                                                           \
    .rounds = 14, .coarse = 8, .first = 1.0, .last = 0.025,                   \
    .scales = { { 6, 3, 8 }, { 10, 4, 8 }, { 16, 6, 8 } }                     \
  }
/* Before the coder and models of similar patches, which see to what is fine. */
#define ROUNDS_BEFORE(count, small, middle, large)                            \
  {                                                                           \
    .rounds = count, .coarse = count, .first = 1.0, .last = 0.025,            \
    .scales = { { 6, small, 8 }, { 10, middle, 8 }, { 16, large, 8 } }        \
  }
#define ROUNDS_BEST                                                           \
  {                                                                           \
    .rounds = 28, .first = 0.9, .last = 0.02,                                 \
    .scales = { { 6, 2, 8 }, { 10, 3, 8 }, { 16, 5, 8 } }                     \
  }

/* Gaussian models of similar patches.  Of many draws, those that are less alike
 * get a smaller share. */
#define MODELS(count, distance, extra, draws, far)                            \
  {                                                                           \
    .passes = count, .side = 5, .step = distance, .coarser = extra,           \
    .similar = draws, .radius = far, .noise = 0.008,                          \
    .fall = (draws) > 64 ? 1.5 : 0                                            \
  }
#define MODELS_FAST MODELS (1, 2, 0, 48, 9)
#define MODELS_NORMAL MODELS (3, 2, 1, 64, 12)
#define MODELS_FINE MODELS (3, 1, 1, 96, 15)
#define MODELS_BEST MODELS (4, 1, 0, 160, 20)

/* The coder without rounds. */
#define CODER                                                                 \
  .fill = FILL (4, 12), .turns = 1, .shares = { .whole = 1, .partial = 1 }

/* Rounds that shrink groups of large patches see that a fence goes on behind a
 * scratch; the coder, the convolutional dictionary, knows better what is near.
 * Where the two differ much, the rounds have the larger share, and where more
 * than DENSE of the pixels nearby are missing, throughout, unless it is samples
 * that are lost one by one. */
#define DENSE 0.2
#define SQUARE 16
#define THIN_SHARES { .whole = 0.5f, .partial = 0.8f, .doubt = 30 / 255.f }
#define DENSE_SHARES { .whole = 0.2f, .partial = 0.6f, .doubt = 30 / 255.f }
static const Effort thin_efforts[] = {
  [QUALITY_FAST] = { .fill = FILL (5, 10),
                     .rounds = ROUNDS_BEFORE (6, 4, 5, 6),
                     .turns = 1,
                     .shares = THIN_SHARES,
                     .models = MODELS_FAST },
  [QUALITY_NORMAL] = { .fill = FILL (5, 10),
                       .rounds = ROUNDS_BEFORE (12, 4, 5, 6),
                       .turns = 1,
                       .shares = THIN_SHARES,
                       .models = MODELS_NORMAL },
  [QUALITY_BEST] = { .fill = FILL (2, 24),
                     .rounds = ROUNDS_BEST,
                     .turns = 8,
                     .shares = THIN_SHARES,
                     .models = MODELS_BEST },
};
static const Effort dense_efforts[] = {
  [QUALITY_FAST] = { CODER },
  [QUALITY_NORMAL] = { CODER, .models = MODELS_NORMAL },
  [QUALITY_BEST] = { .fill = FILL (2, 24),
                     .rounds = ROUNDS_BEST,
                     .turns = 8,
                     .shares = DENSE_SHARES,
                     .models = MODELS_BEST },
};

/* Up to MANY missing pixels, normal has no time to save. */
#define MANY 25000
static const Effort thin_effort_of_few = {
  .fill = FILL (5, 10),
  .rounds = ROUNDS_BEFORE (12, 4, 5, 6),
  .turns = 1,
  .shares = THIN_SHARES,
  .models = MODELS_FINE
};
static const Effort dense_effort_of_few = {
  .fill = FILL (3, 16),
  .rounds = ROUNDS_BEFORE (20, 3, 4, 6),
  .turns = 1,
  .shares = DENSE_SHARES,
  .models = MODELS_FINE
};

/* With cosines alone: a quick fill, then rounds. */
static const Effort cosine_efforts[] = {
  [QUALITY_FAST] = { .fill = FILL (4, 12),
                     .rounds = { .rounds = 8,
                                 .first = 0.6,
                                 .last = 0.03,
                                 .scales = { { 10, 3, 1 } } } },
  [QUALITY_NORMAL] = { .fill = FILL (3, 16), .rounds = ROUNDS_NORMAL },
  [QUALITY_BEST] = { .fill = FILL (2, 24), .rounds = ROUNDS_BEST },
};

/* For a dictionary that the user named: a thorough fill with it alone, so that
 * the result shows what it can do. */
static const FillSettings fills[] = {
  [QUALITY_FAST] = FILL (4, 12),
  [QUALITY_NORMAL] = FILL_AGAIN (2, NAMED_ATOMS, 2),
  [QUALITY_BEST] = FILL_AGAIN (1, 24, 2),
};

/* Orientations of the picture for a transform. */
static const int transform_turns[] = {
  [QUALITY_FAST] = 1, [QUALITY_NORMAL] = 1, [QUALITY_BEST] = 8
};

/* Share of the work that the fill is, before rounds; and the shares of all of
 * it that are left for the convolutional dictionary and for models. */
static const double fill_shares[] = {
  [QUALITY_FAST] = 0.4, [QUALITY_NORMAL] = 0.15, [QUALITY_BEST] = 0.05
};
#define CODER_SHARE 0.2
#define MODELS_SHARE 0.4

/* What is done. */
typedef struct {
  const Dictionary *dictionary; /* of the fill */
  Recoder coder;                /* after it, or NULL twice */
  FillSettings fill;
  int turns;
  MixShares shares;
  const CollaborativeSettings *rounds; /* NULL for none */
  const GaussianSettings *models;      /* NULL for none */
  double fill_share;
} Plan;

static gboolean
has_coder (const Plan *plan)
{
  return plan->coder.model != NULL || plan->coder.transform != NULL;
}

/* A transform is all there is, unless patches are to be separate. */
static void
plan_named (Plan *plan, const Dictionary *dictionary,
            const RestoreOptions *options)
{
  plan->dictionary = dictionary;
  plan->fill = fills[options->quality];
  plan->fill_share = 1;
  if (options->paper_protocol)
    return;
  plan->coder.transform = dictionary->transform;
  plan->turns = transform_turns[options->quality];
  plan->shares = (MixShares){ .whole = 1, .partial = 1 };
}

static void
plan_effort (Plan *plan, const Effort *effort, RestoreQuality quality)
{
  plan->fill = effort->fill;
  plan->rounds = effort->rounds.rounds > 0 ? &effort->rounds : NULL;
  plan->models = effort->models.passes > 0 ? &effort->models : NULL;
  plan->fill_share = fill_shares[quality];
  plan->turns = effort->turns;
  plan->shares = effort->shares;
}

/* What is missing. */
typedef struct {
  gsize pixels;
  gboolean are_dense;
} Holes;

/* How many pixels of the square at column @left and row @top are missing. */
static gsize
count_in_square (const Mask *missing, int left, int top)
{
  int right = MIN (left + SQUARE, missing->width);
  int bottom = MIN (top + SQUARE, missing->height);
  gsize count = 0;

  for (int y = top; y < bottom; y++) {
    const guint8 *row = missing->missing + (gsize) y * (gsize) missing->width;

    for (int x = left; x < right; x++)
      count += row[x] != 0;
  }
  return count;
}

static Holes
measure_holes (const Mask *missing)
{
  gsize squares = 0;
  Holes holes = { 0 };

  for (int y = 0; y < missing->height; y += SQUARE)
    for (int x = 0; x < missing->width; x += SQUARE) {
      gsize count = count_in_square (missing, x, y);

      holes.pixels += count;
      squares += count > 0;
    }
  holes.are_dense =
    (double) holes.pixels > DENSE * SQUARE * SQUARE * (double) squares;
  return holes;
}

static const Effort *
learned_effort (RestoreQuality quality, const Holes *holes)
{
  if (quality == QUALITY_NORMAL && holes->pixels <= MANY)
    return holes->are_dense ? &dense_effort_of_few : &thin_effort_of_few;
  return holes->are_dense ? &dense_efforts[quality] : &thin_efforts[quality];
}

/* @fill is a dictionary inside the program, @coder is convolutional, or NULL
 * for none. */
static Plan
make_plan (const RestoreOptions *options, const Dictionary *fill,
           const Dictionary *coder, const Holes *holes)
{
  Plan plan = { .dictionary = fill };

  if (coder == NULL && options->dictionary != NULL)
    plan_named (&plan, options->dictionary, options);
  else if (coder != NULL)
    plan_effort (&plan, learned_effort (options->quality, holes), options->quality);
  else
    plan_effort (&plan, &cosine_efforts[options->quality], options->quality);
  if (coder != NULL && plan.turns > 0)
    plan.coder.model = coder->convolutional;
  if (options->paper_protocol) {
    plan.fill = (FillSettings){ .step = plan.dictionary->patch,
                                .max_atoms = PAPER_ATOMS };
    plan.rounds = NULL;
    plan.models = NULL;
  }
  if (options->max_atoms > 0)
    plan.fill.max_atoms = options->max_atoms;
  plan.fill.max_atoms =
    MIN (plan.fill.max_atoms, plan.dictionary->atoms.cols);
  return plan;
}

/* ---- the convolutional dictionary, or a transform ---- */

/* The canvas while it is read and mixed. */
typedef struct {
  Canvas *canvas;
  MixShares shares;
} Mixing;

/* Grey is repeated for a dictionary of colours. */
static void
read_part (Box box, RecodePart *part, gpointer data)
{
  const Mixing *mixing = data;
  int channels = canvas_channels (mixing->canvas);
  Planes values = *part->values, known = *part->known;
  gsize size = planes_samples (&values) / (gsize) values.channels;

  canvas_read (mixing->canvas, box.left, box.top, &values, &known);
  for (int c = channels; c < values.channels; c++) {
    memcpy (values.data + (gsize) c * size, values.data,
            size * sizeof (float));
    memcpy (known.data + (gsize) c * size, known.data, size * sizeof (float));
  }
}

/* What was repeated is averaged. */
static void
mix_part (Box box, const Planes *restored, gpointer data)
{
  const Mixing *mixing = data;
  int channels = canvas_channels (mixing->canvas);
  int repeats = restored->channels / channels;
  gsize size = planes_samples (restored) / (gsize) repeats;

  for (gsize i = 0; repeats > 1 && i < size; i++) {
    float sum = 0;

    for (int c = 0; c < repeats; c++)
      sum += restored->data[(gsize) c * size + i];
    restored->data[i] = sum / (float) repeats;
  }
  canvas_mix (mixing->canvas, box.left, box.top, restored, mixing->shares);
}

/* Mixes the plan's share of the result of the coder into @canvas.  It sees nothing but what is known, so it does not matter what is
 * in the holes. */
static gboolean
recode (Canvas *canvas, const Plan *plan, const Image *image, gsize *patches,
        const Progress *progress, GError **error)
{
  RecodeSettings settings = { plan->coder, plan->turns, patches };
  Mixing mixing = { canvas, plan->shares };
  RecodePicture picture = {
    .width = image->width,
    .height = image->height,
    .channels =
      MAX (canvas_channels (canvas), recoder_channels (&plan->coder)),
    .read = read_part,
    .write = mix_part,
    .data = &mixing
  };

  return picture_recode (&picture, &settings, progress, error);
}

/* The first fill, by pursuit; it may be left out where the coder replaces all
 * of it. */
static gboolean
fill (Canvas *canvas, const Plan *plan, gsize *patches,
      const Progress *progress, GError **error)
{
  gsize filled = 0;

  if (has_coder (plan) && plan->shares.whole == 1
      && canvas_fill_rest (canvas))
    return TRUE;
  if (!canvas_fill (canvas, plan->dictionary, &plan->fill, &filled, progress,
                    error))
    return FALSE;
  *patches += filled;
  return TRUE;
}

/* ---- patches ---- */

/* Where the parts of the work end, as shares of all. */
typedef struct {
  double filled, improved, coded;
} Schedule;

static Schedule
schedule_of (const Plan *plan)
{
  double models = plan->models != NULL ? MODELS_SHARE : 0;
  double coder = has_coder (plan) ? CODER_SHARE : 0;
  double rest = 1 - models - coder;
  double filled = plan->rounds != NULL ? plan->fill_share * rest : rest;

  return (Schedule){ filled, rest, rest + coder };
}

/* Fills, and improves as far as the plan says. */
static gboolean
fill_and_improve (Canvas *canvas, const Plan *plan, const Image *image,
                  gsize *patches, const Progress *progress, GError **error)
{
  Schedule to = schedule_of (plan);
  ProgressPart filling = { progress, 0, to.filled };
  ProgressPart improving = { progress, to.filled, to.improved };
  ProgressPart coding = { progress, to.improved, to.coded };
  ProgressPart modelling = { progress, to.coded, 1 };
  Progress part = progress_part (&filling);
  gsize improved = 0, modelled = 0;

  if (!fill (canvas, plan, patches, &part, error))
    return FALSE;
  part = progress_part (&improving);
  if (plan->rounds != NULL
      && !canvas_improve (canvas, plan->rounds, &improved, &part, error))
    return FALSE;
  part = progress_part (&coding);
  if (has_coder (plan)
      && !recode (canvas, plan, image, patches, &part, error))
    return FALSE;
  part = progress_part (&modelling);
  if (plan->models != NULL
      && !canvas_model (canvas, plan->models, &modelled, &part, error))
    return FALSE;
  *patches += improved + modelled;
  return TRUE;
}

/* How far apart samples are that have to do with each other. */
static int
reach_of (const Plan *plan)
{
  int reach = plan->dictionary->patch;

  if (plan->rounds != NULL)
    reach = MAX (reach, collaborative_reach (plan->rounds));
  if (plan->models != NULL)
    reach = MAX (reach, gaussian_reach (plan->models));
  return reach;
}

/* Codes patches where @missing says, in all of its holes. */
static gboolean
inpaint_by_patches (Image *image, const Mask *missing, const Plan *plan,
                    gsize *patches, const Progress *progress, GError **error)
{
  g_autoptr (Canvas) canvas = canvas_new (
    image, missing,
    MAX (image_colours (image), plan->dictionary->channels), reach_of (plan),
    error);

  if (canvas == NULL
      || !fill_and_improve (canvas, plan, image, patches, progress, error))
    return FALSE;
  canvas_write_back (canvas, image);
  return TRUE;
}

/* ---- thick parts ---- */

/* Fills the thick part of a hole that was chosen, but for its rim, and takes
 * it out of @left. */
static gboolean
fill_part (Image *image, const Mask *missing, const Thickness *thickness,
           const RestoreOptions *options, Mask *left, const Progress *progress,
           GError **error)
{
  g_autoptr (Region) region = region_new (image, missing, thickness, error);
  TextureOptions texture = textures[options->fill];
  ProgressPart parts[] = { { progress, 0, 0.1 }, { progress, 0.1, 1 } };
  Progress laying = progress_part (&parts[0]);
  Progress copying = progress_part (&parts[1]);

  texture.seed = options->seed;
  if (region == NULL || !region_lay_ground (region, &laying, error)
      || !region_copy_texture (region, &texture, &copying, error))
    return FALSE;
  region_write_back (region, RIM, image, left);
  return TRUE;
}

/* Fills the thick parts of all holes, but for their rims, and takes them out
 * of @left. */
static gboolean
fill_thick_parts (Image *image, const Mask *missing, Thickness *thickness,
                  const RestoreOptions *options, Mask *left,
                  const Progress *progress, GError **error)
{
  double all = (double) thickness->waiting;
  ProgressPart share = { progress, 0, 0 };
  GError *failure = NULL;

  while (thickness_next (thickness, &failure)) {
    Progress part = progress_part (&share);

    share.to = 1 - (double) thickness->waiting / all;
    if (!fill_part (image, missing, thickness, options, left, &part, error))
      return FALSE;
    share.from = share.to;
  }
  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}

/* Works on a copy, so that @image is unchanged on failure. */
static gboolean
inpaint_thick (Image *image, const Mask *missing, Thickness *thickness,
               const Plan *plan, const RestoreOptions *options,
               gsize *patches, const Progress *progress, GError **error)
{
  g_autoptr (Image) copy = image_copy (image, error);
  g_autoptr (Mask) left =
    copy != NULL ? mask_new (image->width, image->height, error) : NULL;
  ProgressPart thick = { progress, 0, THICK_SHARE };
  ProgressPart thin = { progress, THICK_SHARE, 1 };
  Progress part = progress_part (&thick);

  if (left == NULL)
    return FALSE;
  mask_add (left, missing);
  if (!fill_thick_parts (copy, missing, thickness, options, left, &part,
                         error))
    return FALSE;
  part = progress_part (&thin);
  if (!inpaint_by_patches (copy, left, plan, patches, &part, error)
      || !image_bound_fill (copy, missing, thickness, error))
    return FALSE;
  image_swap (image, copy);
  return TRUE;
}

static gboolean
inpaint_with (Image *image, const Mask *missing, Thickness *thickness,
              const Plan *plan, const RestoreOptions *options, gsize *patches,
              const Progress *progress, GError **error)
{
  if (options->paper_protocol)
    return inpaint_by_patches (image, missing, plan, patches, progress,
                               error);
  if (thickness->waiting == 0)
    return inpaint_by_patches (image, missing, plan, patches, progress, error)
           && image_bound_fill (image, missing, NULL, error);
  return inpaint_thick (image, missing, thickness, plan, options, patches,
                        progress, error);
}

gboolean
image_inpaint (Image *image, const Mask *missing,
               const RestoreOptions *options, gsize *patches,
               char **dictionary, const Progress *progress, GError **error)
{
  const Dictionary *named = options->dictionary;
  gboolean learned = named == NULL && !options->cosines;
  gboolean coded = named != NULL && named->convolutional != NULL;
  gboolean engine = (learned || coded) && !options->paper_protocol;
  /* The learned atoms are coloured; a grey picture has grey cosines. */
  g_autoptr (Dictionary) fill = engine && image_colours (image) == 3
                                  ? dictionary_learned_and_cosines (error)
                                  : dictionary_cosines (image_colours (image),
                                                        error);
  g_autoptr (Dictionary) builtin =
    fill != NULL && engine && !coded ? dictionary_convolutional (error) : NULL;
  g_autoptr (Thickness) thickness = NULL;
  Holes holes;
  Plan plan;

  if (fill == NULL || (engine && !coded && builtin == NULL))
    return FALSE;
  thickness = thickness_new (image, missing, error);
  if (thickness == NULL)
    return FALSE;
  holes = measure_holes (missing);
  plan = make_plan (options, fill, coded && engine ? named : builtin, &holes);
  if (!inpaint_with (image, missing, thickness, &plan, options, patches,
                     progress, error))
    return FALSE;
  if (dictionary != NULL)
    *dictionary = dictionary_describe (
      named != NULL ? named : plan.coder.model != NULL ? builtin : plan.dictionary);
  return TRUE;
}
