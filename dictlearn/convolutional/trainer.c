#include "dictlearn/convolutional/trainer.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "dictlearn/convolutional/pyramid.h"

#include <math.h>
#include <string.h>

/* Sums of the gradient; each has its share of the examples of a step. */
#define SHARDS 4

/* Adam's. */
#define FIRST_DECAY 0.9
#define SECOND_DECAY 0.995
#define LEAST_DEVIATION 1e-7

/* Knobs are learned faster than atoms, by this factor. */
#define KNOB_RATE 15

/* The rate rises in the first steps, stays, and falls over the last part. */
#define WARM_UP 50
#define FALL 0.7

/* A gradient longer than this many times its running mean is shortened. */
#define MOST_NORM 1.5
#define NORM_DECAY 0.98
#define ERROR_DECAY 0.98

typedef struct {
  Pyramid *pyramid;
  float *gradient;
  float *planes; /* all of those of the example */
  Example example;
  float *change;
  double loss;
} Shard;

struct ConvTrainer {
  ConvModel *model;
  ConvTrainerOptions options;
  ConvTrainerState state;
  ConvTrainerStatus status;
  Shard shards[SHARDS];
};

static gboolean
shard_init (Shard *shard, const ConvShape *shape, int crop, GError **error)
{
  gsize pixels = (gsize) crop * (gsize) crop;
  gsize samples = pixels * (gsize) shape->channels;

  shard->pyramid = pyramid_new (shape, crop, crop, TRUE, error);
  if (shard->pyramid != NULL)
    shard->gradient =
      tessera_try_new (float, conv_length (shape), "the gradient", error);
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

ConvTrainer *
conv_trainer_new (ConvModel *model, const ConvTrainerOptions *options,
                  GError **error)
{
  g_autoptr (ConvTrainer) self = g_new0 (ConvTrainer, 1);
  gsize length = conv_length (&model->shape);

  self->model = model;
  self->options = *options;
  self->state.first =
    tessera_try_new0 (float, length, "the means of Adam", error);
  if (self->state.first != NULL)
    self->state.second =
      tessera_try_new0 (float, length, "the means of Adam", error);
  if (self->state.second == NULL)
    return NULL;
  for (int i = 0; i < SHARDS; i++)
    if (!shard_init (&self->shards[i], &model->shape, options->crop, error))
      return NULL;
  return g_steal_pointer (&self);
}

void
conv_trainer_free (ConvTrainer *self)
{
  if (self == NULL)
    return;
  for (int i = 0; i < SHARDS; i++) {
    pyramid_free (self->shards[i].pyramid);
    g_free (self->shards[i].gradient);
    g_free (self->shards[i].planes);
  }
  g_free (self->state.first);
  g_free (self->state.second);
  g_free (self);
}

const ConvTrainerStatus *
conv_trainer_status (const ConvTrainer *self)
{
  return &self->status;
}

const ConvTrainerState *
conv_trainer_state (const ConvTrainer *self)
{
  return &self->state;
}

void
conv_trainer_resume (ConvTrainer *self, const ConvTrainerState *state)
{
  gsize size = conv_length (&self->model->shape) * sizeof (float);

  memcpy (self->state.first, state->first, size);
  memcpy (self->state.second, state->second, size);
  self->state.error = state->error;
  self->state.norm = state->norm;
  self->state.step = state->step;
  self->status = (ConvTrainerStatus){ state->step, state->error };
}

/* ---- the gradient ---- */

double
example_loss (const Example *example, const float *out, int count,
              float *change)
{
  double sum = 0, weights = 0, scale;

  for (int i = 0; i < count; i++) {
    double e = out[i] - example->clean[i];

    sum += example->weight[i] * e * e;
    weights += example->weight[i];
  }
  weights = MAX (weights, 1);
  scale = 2 / weights / (sum / weights + example->floor);
  for (int i = 0; i < count; i++)
    change[i] =
      (float) (scale * example->weight[i] * (out[i] - example->clean[i]));
  return log (sum / weights + example->floor);
}

/* Shard @i sums over every SHARDS-th example of the step. */
static void
run_shard (int chunk, int worker, gpointer data)
{
  ConvTrainer *self = data;
  int i = ranks_part (SHARDS).first + chunk;
  Shard *shard = &self->shards[i];
  const ConvShape *shape = &self->model->shape;
  int count = self->options.crop * self->options.crop * shape->channels;
  guint64 first = (guint64) self->state.step * (guint64) self->options.batch;

  (void) worker;
  shard->loss = 0;
  memset (shard->gradient, 0, conv_length (shape) * sizeof (float));
  for (int b = i; b < self->options.batch; b += SHARDS) {
    Damaged damaged = { shard->example.y, shard->example.known,
                        shard->example.noise };
    const float *out;

    self->options.draw (first + (guint64) b, &shard->example,
                        self->options.data);
    out = pyramid_forward (shard->pyramid, self->model->numbers, &damaged, NULL,
                           NULL);
    shard->loss += example_loss (&shard->example, out, count, shard->change);
    pyramid_backward (shard->pyramid, self->model->numbers, shard->change,
                      shard->gradient);
  }
}

/* All ranks get the sums of all shards. */
static void
exchange_shards (ConvTrainer *self)
{
  gsize size = conv_length (&self->model->shape) * sizeof (float);

  for (int i = 0; i < SHARDS; i++) {
    ranks_broadcast (self->shards[i].gradient, size, ranks_owner (SHARDS, i));
    ranks_broadcast (&self->shards[i].loss, sizeof (double),
                     ranks_owner (SHARDS, i));
  }
}

/* Sums up in the first shard; returns the length of the gradient. */
static double
sum_shards (ConvTrainer *self, double *loss)
{
  gsize length = conv_length (&self->model->shape);
  float *sum = self->shards[0].gradient;
  double squares = 0;

  *loss = self->shards[0].loss;
  for (int i = 1; i < SHARDS; i++) {
    for (gsize j = 0; j < length; j++)
      sum[j] += self->shards[i].gradient[j];
    *loss += self->shards[i].loss;
  }
  *loss /= self->options.batch;
  for (gsize j = 0; j < length; j++) {
    sum[j] /= (float) self->options.batch;
    squares += (double) sum[j] * sum[j];
  }
  return sqrt (squares);
}

/* ---- a step ---- */

static double
rate_now (const ConvTrainer *self)
{
  double t = self->state.step, all = MAX (1, self->options.steps);
  double rise = MIN (1, (t + 1) / WARM_UP);
  double fall = CLAMP ((1 - t / all) / FALL, 0.01, 1);

  return self->options.rate * rise * fall;
}

static double
running_mean (double mean, double value, double decay, int step)
{
  return step == 0 ? value : decay * mean + (1 - decay) * value;
}

/* The factor by which the gradient is shortened. */
static double
shorten (ConvTrainer *self, double norm)
{
  ConvTrainerState *state = &self->state;
  double most = state->step == 0 ? norm : MOST_NORM * state->norm;
  double kept = MIN (norm, most);

  state->norm = running_mean (state->norm, kept, NORM_DECAY, state->step);
  return norm > 0 ? kept / norm : 0;
}

static void
adam (ConvTrainer *self, double scale)
{
  const ConvShape *shape = &self->model->shape;
  ConvTrainerState *state = &self->state;
  gsize level = conv_level_length (shape), atoms = conv_level_atoms (shape);
  int t = state->step + 1;
  float first = (float) (1 / (1 - pow (FIRST_DECAY, t)));
  float second = (float) (1 / (1 - pow (SECOND_DECAY, t)));
  float rate = (float) rate_now (self);

  for (gsize j = 0; j < conv_length (shape); j++) {
    float g = (float) scale * self->shards[0].gradient[j];
    float own = j % level < atoms ? rate : KNOB_RATE * rate;

    state->first[j] =
      (float) FIRST_DECAY * state->first[j] + (float) (1 - FIRST_DECAY) * g;
    state->second[j] = (float) SECOND_DECAY * state->second[j]
                       + (float) (1 - SECOND_DECAY) * g * g;
    self->model->numbers[j] -=
      own * first * state->first[j]
      / (sqrtf (second * state->second[j]) + (float) LEAST_DEVIATION);
  }
}

gboolean
conv_trainer_step (ConvTrainer *self, const Progress *progress, GError **error)
{
  ConvTrainerState *state = &self->state;
  double loss, norm;
  RankPart part = ranks_part (SHARDS);

  /* Ranks stop together, between steps. */
  if (ranks_count () > 1 && !progress_step (progress, 0, error))
    return FALSE;
  if (!parallel_for (part.end - part.first, run_shard, self,
                     ranks_count () > 1 ? NULL : progress, error))
    return FALSE;
  exchange_shards (self);
  norm = sum_shards (self, &loss);
  adam (self, shorten (self, norm));
  state->error = running_mean (state->error, loss, ERROR_DECAY, state->step);
  state->step++;
  self->model->samples += (guint64) self->options.batch
                          * (guint64) self->options.crop
                          * (guint64) self->options.crop;
  self->status = (ConvTrainerStatus){ state->step, state->error };
  return TRUE;
}
