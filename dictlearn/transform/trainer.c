#include "dictlearn/transform/trainer.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/polar.h"
#include "base/ranks.h"
#include "dictlearn/transform/rounds.h"

#include <math.h>
#include <string.h>

/* Sums of the gradient; each has its share of the examples of a step. */
#define SHARDS 4

/* Adam's. */
#define FIRST_DECAY 0.9
#define SECOND_DECAY 0.99
#define LEAST_DEVIATION 1e-7

/* The paces of a round are few, and learned more slowly than thresholds. */
#define PACE_RATE 0.3

/* Atoms are left alone for this share of the steps, since thresholds that do
 * not fit say little about them. */
#define ATOMS_FROM 0.4

/* The rate falls over this last part. */
#define FALL 0.5

/* An atom whose deviation in each colour is less than this is constant. */
#define CONSTANT 1e-4

/* Smaller singular values than this part of the largest do not occur: the
 * matrix is near an orthonormal one. */
#define POLAR_TOLERANCE 1e-6

#define ERROR_DECAY 0.95

typedef struct {
  Rounds *rounds;
  float *gradient;
  float *planes; /* all of those of the example */
  Example example;
  float *change;
  double loss;
} Shard;

struct TransformTrainer {
  TransformModel *model;
  TransformTrainerOptions options;
  TransformTrainerStatus status;
  float *first, *second; /* Adam's means */
  Mat momentum;          /* of the gradient over the atoms */
  gboolean *is_constant; /* of each atom */
  Shard shards[SHARDS];
};

/* ---- the parts of a gradient ---- */

static int
number_count (const TransformShape *shape)
{
  return transform_level_count (shape) + transform_pace_count (shape);
}

static gsize
gradient_length (const TransformShape *shape)
{
  gsize n = (gsize) transform_length (shape);

  return (gsize) number_count (shape) + n * n;
}

static MatF
atoms_of (const TransformShape *shape, float *gradient)
{
  int n = transform_length (shape);

  return (MatF){ gradient + number_count (shape), n, n, n };
}

static gboolean
rotates (const TransformTrainer *self)
{
  return self->options.rotation > 0
         && self->status.step >= ATOMS_FROM * self->options.steps;
}

/* ---- making one ---- */

static gboolean
shard_init (Shard *shard, const TransformShape *shape, int crop,
            GError **error)
{
  gsize pixels = (gsize) crop * (gsize) crop;
  gsize samples = pixels * (gsize) shape->channels;

  shard->rounds = rounds_new (shape, crop, crop, TRUE, error);
  if (shard->rounds != NULL)
    shard->gradient =
      tessera_try_new (float, gradient_length (shape), "the gradient", error);
  if (shard->gradient != NULL)
    shard->planes =
      tessera_try_new0 (float, 5 * samples + pixels, "examples", error);
  if (shard->planes == NULL)
    return FALSE;
  shard->example.clean = shard->planes;
  shard->example.y = shard->planes + samples;
  shard->example.known = shard->planes + 2 * samples;
  shard->example.weight = shard->planes + 3 * samples;
  shard->change = shard->planes + 4 * samples;
  shard->example.noise = shard->planes + 5 * samples;
  return TRUE;
}

/* Whether an atom has one value in each colour. */
static gboolean
is_constant (const float *atom, int pixels, int channels)
{
  for (int c = 0; c < channels; c++, atom += pixels)
    for (int i = 1; i < pixels; i++)
      if (fabsf (atom[i] - atom[0]) > CONSTANT)
        return FALSE;
  return TRUE;
}

TransformTrainer *
transform_trainer_new (TransformModel *model,
                       const TransformTrainerOptions *options, GError **error)
{
  g_autoptr (TransformTrainer) self = g_new0 (TransformTrainer, 1);
  const TransformShape *shape = &model->shape;
  int n = transform_length (shape), numbers = number_count (shape);

  self->model = model;
  self->options = *options;
  self->first = tessera_try_new0 (float, 2 * numbers, "the means of Adam",
                                  error);
  if (self->first == NULL || !mat_try_new (&self->momentum, n, n, error))
    return NULL;
  self->second = self->first + numbers;
  self->is_constant = g_new (gboolean, n);
  for (int j = 0; j < n; j++)
    self->is_constant[j] =
      is_constant (matf_at (&model->atoms, 0, j), shape->side * shape->side,
                   shape->channels);
  for (int i = 0; i < SHARDS; i++)
    if (!shard_init (&self->shards[i], shape, options->crop, error))
      return NULL;
  return g_steal_pointer (&self);
}

void
transform_trainer_free (TransformTrainer *self)
{
  if (self == NULL)
    return;
  for (int i = 0; i < SHARDS; i++) {
    rounds_free (self->shards[i].rounds);
    g_free (self->shards[i].gradient);
    g_free (self->shards[i].planes);
  }
  g_free (self->first);
  g_free (self->is_constant);
  mat_clear (&self->momentum);
  g_free (self);
}

const TransformTrainerStatus *
transform_trainer_status (const TransformTrainer *self)
{
  return &self->status;
}

/* ---- the gradient ---- */

/* Shard @i sums over every SHARDS-th example of the step. */
static void
run_shard (int chunk, int worker, gpointer data)
{
  TransformTrainer *self = data;
  int i = ranks_part (SHARDS).first + chunk;
  Shard *shard = &self->shards[i];
  const TransformShape *shape = &self->model->shape;
  int count = self->options.crop * self->options.crop * shape->channels;
  guint64 first =
    (guint64) self->status.step * (guint64) self->options.batch;
  TransformGradient gradient = { .levels = shard->gradient,
                                 .paces = shard->gradient
                                          + transform_level_count (shape) };

  (void) worker;
  if (rotates (self))
    gradient.atoms = atoms_of (shape, shard->gradient);
  shard->loss = 0;
  memset (shard->gradient, 0, gradient_length (shape) * sizeof (float));
  for (int b = i; b < self->options.batch; b += SHARDS) {
    Damaged damaged = { shard->example.y, shard->example.known,
                        shard->example.noise };
    const float *out;

    self->options.draw (first + (guint64) b, &shard->example,
                        self->options.data);
    out = rounds_forward (shard->rounds, self->model, &damaged, NULL, NULL);
    shard->loss += example_loss (&shard->example, out, count, shard->change);
    rounds_backward (shard->rounds, self->model, shard->change, &gradient);
  }
}

/* All ranks get the sums of all shards. */
static void
exchange_shards (TransformTrainer *self)
{
  gsize size = gradient_length (&self->model->shape) * sizeof (float);

  for (int i = 0; i < SHARDS; i++) {
    ranks_broadcast (self->shards[i].gradient, size, ranks_owner (SHARDS, i));
    ranks_broadcast (&self->shards[i].loss, sizeof (double),
                     ranks_owner (SHARDS, i));
  }
}

/* The mean over examples, in the first shard. */
static double
sum_shards (TransformTrainer *self)
{
  gsize length = gradient_length (&self->model->shape);
  float *sum = self->shards[0].gradient;
  double loss = self->shards[0].loss;

  for (int i = 1; i < SHARDS; i++) {
    for (gsize j = 0; j < length; j++)
      sum[j] += self->shards[i].gradient[j];
    loss += self->shards[i].loss;
  }
  for (gsize j = 0; j < length; j++)
    sum[j] /= (float) self->options.batch;
  return loss / self->options.batch;
}

/* ---- a step ---- */

/* The part of the rate that is left. */
static double
rate_left (const TransformTrainer *self)
{
  double done = (double) self->status.step / MAX (1, self->options.steps);

  return CLAMP ((1 - done) / FALL, 0.01, 1);
}

static void
adam (TransformTrainer *self)
{
  const TransformShape *shape = &self->model->shape;
  int numbers = number_count (shape), levels = transform_level_count (shape);
  const float *gradient = self->shards[0].gradient;
  float *x = self->model->levels; /* with the paces behind */
  int t = self->status.step + 1;
  double first = 1 / (1 - pow (FIRST_DECAY, t));
  double second = 1 / (1 - pow (SECOND_DECAY, t));
  double rate = self->options.rate * rate_left (self);

  for (int j = 0; j < numbers; j++) {
    double g = gradient[j];
    double m = FIRST_DECAY * self->first[j] + (1 - FIRST_DECAY) * g;
    double v = SECOND_DECAY * self->second[j] + (1 - SECOND_DECAY) * g * g;

    self->first[j] = (float) m;
    self->second[j] = (float) v;
    x[j] -= (float) ((j < levels ? rate : PACE_RATE * rate) * first * m
                     / (sqrt (second * v) + LEAST_DEVIATION));
  }
}

/* Takes the constant atoms out of the gradient. */
static void
spare_constants (const TransformTrainer *self, Mat *G)
{
  const MatF *D = &self->model->atoms;

  for (int k = 0; k < D->cols; k++) {
    const float *constant = matf_at (D, 0, k);

    if (!self->is_constant[k])
      continue;
    for (int j = 0; j < G->cols; j++) {
      double *g = mat_at (G, 0, j), along = 0;

      for (int i = 0; i < G->rows; i++)
        along += constant[i] * g[i];
      for (int i = 0; i < G->rows; i++)
        g[i] = j == k ? 0 : g[i] - along * constant[i];
    }
    memset (mat_at (G, 0, k), 0, (gsize) G->rows * sizeof (double));
  }
}

/* D = Polar (D - rate G). */
static gboolean
rotate (TransformTrainer *self, GError **error)
{
  const TransformShape *shape = &self->model->shape;
  MatF gradient = atoms_of (shape, self->shards[0].gradient);
  int n = gradient.rows;
  double length;
  g_auto (Mat) G = mat_new (n, n);
  g_auto (Mat) M = mat_new (n, n);

  mat_from_float (&gradient, &G);
  spare_constants (self, &G);
  for (int i = 0; i < n * n; i++)
    self->momentum.data[i] = FIRST_DECAY * self->momentum.data[i]
                             + (1 - FIRST_DECAY) * G.data[i];
  length = sqrt (mat_dot (&self->momentum, &self->momentum) / n);
  if (length == 0)
    return TRUE;
  mat_from_float (&self->model->atoms, &M);
  for (int i = 0; i < n * n; i++)
    M.data[i] -= self->options.rotation * rate_left (self)
                 * self->momentum.data[i] / length;
  if (!polar_svd (&M, NULL, POLAR_TOLERANCE, &G))
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "the polar factor of the atoms did not converge");
  mat_to_float (&G, &self->model->atoms);
  return TRUE;
}

gboolean
transform_trainer_step (TransformTrainer *self, const Progress *progress,
                        GError **error)
{
  TransformTrainerStatus *status = &self->status;
  RankPart part = ranks_part (SHARDS);
  double loss;

  /* Ranks stop together, between steps. */
  if (ranks_count () > 1 && !progress_step (progress, 0, error))
    return FALSE;
  if (!parallel_for (part.end - part.first, run_shard, self,
                     ranks_count () > 1 ? NULL : progress, error))
    return FALSE;
  exchange_shards (self);
  loss = sum_shards (self);
  adam (self);
  if (rotates (self) && !rotate (self, error))
    return FALSE;
  if (!transform_model_is_bounded (self->model))
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "learning diverged; use a smaller rate than %g",
                         self->options.rate);
  status->error = status->step == 0
                    ? loss
                    : ERROR_DECAY * status->error + (1 - ERROR_DECAY) * loss;
  status->step++;
  self->model->samples += (guint64) self->options.batch
                          * (guint64) self->options.crop
                          * (guint64) self->options.crop;
  return TRUE;
}
