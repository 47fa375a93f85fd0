#include "data/finders/boost.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 64        /* that the values of a feature are sorted into */
#define RATE 0.12      /* of what a tree could add, that is added */
#define RIDGE 20.      /* added to the curvature of a leaf */
#define SAMPLE 0.3     /* of the set, that a tree is learned from */
#define CUT_SAMPLES 20000 /* that the borders of the bins are taken from */

void
training_set_init (TrainingSet *set, int features)
{
  *set = (TrainingSet){ features, g_array_new (FALSE, FALSE, sizeof (float)),
                        g_array_new (FALSE, FALSE, sizeof (guint8)),
                        g_array_new (FALSE, FALSE, sizeof (float)) };
}

void
training_set_clear (TrainingSet *set)
{
  g_clear_pointer (&set->values, g_array_unref);
  g_clear_pointer (&set->labels, g_array_unref);
  g_clear_pointer (&set->weights, g_array_unref);
}

void
training_set_add (TrainingSet *set, const float *values, gboolean is_damage,
                  float weight)
{
  guint8 label = is_damage != FALSE;

  g_array_append_vals (set->values, values, (guint) set->features);
  g_array_append_val (set->labels, label);
  g_array_append_val (set->weights, weight);
}

/* ---- bins ---- */

/* The set as the numbers of bins, and how far learning is. */
typedef struct {
  const TrainingSet *set;
  gsize count;
  guint8 *bins;    /* @count for each feature */
  float *borders;  /* BINS - 1 for each feature, above which the next begins */
  float *logits;
  gsize drawn;   /* samples that a tree is learned from, */
  gsize *sample; /* their numbers, */
  float *gradients, *curvatures;
  guint8 *nodes; /* and the nodes that they are in */
} Boost;

static int
by_value (const void *a, const void *b)
{
  float p = *(const float *) a, q = *(const float *) b;

  return (p > q) - (p < q);
}

/* Sets the borders of feature @j to its quantiles. */
static void
find_borders (Boost *boost, int j)
{
  const TrainingSet *set = boost->set;
  g_autofree float *values = g_new (float, CUT_SAMPLES);

  for (gsize i = 0; i < CUT_SAMPLES; i++) {
    gsize k = i * boost->count / CUT_SAMPLES;

    values[i] =
      g_array_index (set->values, float, k *(gsize) set->features + (gsize) j);
  }
  qsort (values, CUT_SAMPLES, sizeof *values, by_value);
  for (int b = 0; b + 1 < BINS; b++)
    boost->borders[j * BINS + b] = values[(b + 1) * (CUT_SAMPLES / BINS)];
}

static void
sort_into_bins (Boost *boost, int j)
{
  const TrainingSet *set = boost->set;
  const float *borders = boost->borders + j * BINS;

  for (gsize i = 0; i < boost->count; i++) {
    float value =
      g_array_index (set->values, float, i *(gsize) set->features + (gsize) j);
    int low = 0, high = BINS - 1;

    while (low < high) {
      int middle = (low + high) / 2;

      if (value > borders[middle])
        low = middle + 1;
      else
        high = middle;
    }
    boost->bins[(gsize) j * boost->count + i] = (guint8) low;
  }
}

/* ---- one tree ---- */

typedef struct {
  double gradient, curvature;
} Slope;

static void
find_slopes (Boost *boost, guint64 seed, int tree)
{
  boost->drawn = 0;
  for (gsize i = 0; i < boost->count; i++) {
    double p = 1 / (1 + exp (-(double) boost->logits[i]));
    double weight = g_array_index (boost->set->weights, float, i);
    int label = g_array_index (boost->set->labels, guint8, i);
    gsize k = boost->drawn;

    if (random_uniform (seed, (guint64) tree, i) >= SAMPLE)
      continue;
    boost->sample[k] = i;
    boost->gradients[k] = (float) (weight * (label - p));
    boost->curvatures[k] = (float) (weight * p * (1 - p));
    boost->nodes[k] = 0;
    boost->drawn++;
  }
}

static double
worth (Slope slope)
{
  return slope.gradient * slope.gradient / (slope.curvature + RIDGE);
}

/* What the best question about feature @j is worth, at @nodes nodes. */
static double
best_question (const Boost *boost, int j, int nodes, int *best)
{
  const guint8 *bins = boost->bins + (gsize) j * boost->count;
  Slope at[JUDGE_LEAVES][BINS] = { 0 }, all[JUDGE_LEAVES] = { 0 };
  double value = -1, sums[BINS] = { 0 };

  for (gsize k = 0; k < boost->drawn; k++) {
    Slope *slope = &at[boost->nodes[k]][bins[boost->sample[k]]];

    slope->gradient += boost->gradients[k];
    slope->curvature += boost->curvatures[k];
  }
  for (int n = 0; n < nodes; n++) {
    Slope below = { 0 };

    for (int b = 0; b < BINS; b++) {
      all[n].gradient += at[n][b].gradient;
      all[n].curvature += at[n][b].curvature;
    }
    for (int b = 0; b + 1 < BINS; b++) {
      below.gradient += at[n][b].gradient;
      below.curvature += at[n][b].curvature;
      sums[b] += worth (below)
                 + worth ((Slope){ all[n].gradient - below.gradient,
                                   all[n].curvature - below.curvature });
    }
  }
  for (int b = 0; b + 1 < BINS; b++)
    if (sums[b] > value) {
      value = sums[b];
      *best = b;
    }
  return value;
}

/* Asks the best question of level @d, and moves the samples. */
static void
grow_level (Boost *boost, int d, JudgeTree *tree)
{
  double value = -1;
  int border = 0, feature = 0;

  for (int j = 0; j < boost->set->features; j++) {
    int b = 0;
    double here = best_question (boost, j, 1 << d, &b);

    if (here > value) {
      value = here;
      border = b;
      feature = j;
    }
  }
  tree->feature[d] = (guint8) feature;
  tree->threshold[d] = boost->borders[feature * BINS + border];
  for (gsize k = 0; k < boost->drawn; k++)
    if (boost->bins[(gsize) feature * boost->count + boost->sample[k]]
        > border)
      boost->nodes[k] |= (guint8) (1 << d);
}

/* Sets the leaves, and adds the tree to all logits. */
static void
set_leaves (Boost *boost, JudgeTree *tree)
{
  Slope leaves[JUDGE_LEAVES] = { 0 };
  const Judge judge = { .trees = 1, .tree = tree };
  int features = boost->set->features;

  for (gsize k = 0; k < boost->drawn; k++) {
    leaves[boost->nodes[k]].gradient += boost->gradients[k];
    leaves[boost->nodes[k]].curvature += boost->curvatures[k];
  }
  for (int l = 0; l < JUDGE_LEAVES; l++)
    tree->leaf[l] =
      (gint16) lround (RATE * JUDGE_UNIT * leaves[l].gradient
                       / (leaves[l].curvature + RIDGE));
  for (gsize i = 0; i < boost->count; i++)
    boost->logits[i] +=
      (float) judge_score (&judge, &g_array_index (boost->set->values, float,
                                                   i *(gsize) features))
      / JUDGE_UNIT;
}

void
boost_learn (const TrainingSet *set, int count, guint64 seed, JudgeTree *trees)
{
  gsize samples = set->labels->len, features = (gsize) set->features;
  g_autofree guint8 *bins = g_new (guint8, samples * features);
  g_autofree float *borders = g_new0 (float, features *BINS);
  g_autofree float *logits = g_new0 (float, samples);
  g_autofree gsize *sample = g_new (gsize, samples);
  g_autofree float *gradients = g_new (float, samples);
  g_autofree float *curvatures = g_new (float, samples);
  g_autofree guint8 *nodes = g_new (guint8, samples);
  Boost boost = { set, samples, bins, borders, logits, 0, sample, gradients,
                  curvatures, nodes };

  for (int j = 0; j < set->features; j++) {
    find_borders (&boost, j);
    sort_into_bins (&boost, j);
  }
  for (int t = 0; t < count; t++) {
    trees[t] = (JudgeTree){ 0 };
    find_slopes (&boost, seed, t);
    for (int d = 0; d < JUDGE_DEPTH; d++)
      grow_level (&boost, d, &trees[t]);
    set_leaves (&boost, &trees[t]);
  }
}

void
boost_write (const JudgeTree *trees, int count, FILE *file)
{
  for (int t = 0; t < count; t++) {
    fprintf (file, "{ {");
    for (int d = 0; d < JUDGE_DEPTH; d++)
      fprintf (file, "%s %d", d > 0 ? "," : "", trees[t].feature[d]);
    fprintf (file, " }, {");
    for (int d = 0; d < JUDGE_DEPTH; d++)
      fprintf (file, "%s %#.9gf", d > 0 ? "," : "",
               (double) trees[t].threshold[d]);
    fprintf (file, " }, {");
    for (int l = 0; l < JUDGE_LEAVES; l++)
      fprintf (file, "%s %d", l > 0 ? "," : "", trees[t].leaf[l]);
    fprintf (file, " } },\n");
  }
}
