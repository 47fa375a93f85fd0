/* learner.h - dictionary learning: all algorithms behind one table
 *
 * Given samples, the columns y of an n x p matrix, find a dictionary A, n x k,
 * in which they are sparse: Y ~ A X.
 *
 *     learner = learner_new ("online", n, &options, &error);
 *     while (more samples are there && !learner_done (learner))
 *       learner_feed (learner, Y, ...);
 *     learner_finish (learner, ...);
 *     learner_dictionary (learner, &A);
 *
 * Learners that stream learn while they are fed and forget; the others keep
 * all samples and learn in learner_finish().  A new learner is one file and
 * one row of the table in learner.c.
 */
#pragma once

#include "base/matrix.h"
#include "base/progress.h"

typedef struct Learner Learner;
typedef struct LearnerClass LearnerClass;

typedef enum {
  INIT_DCT,      /* cosines; the caller gives them in LearnOptions.start */
  INIT_PCA,      /* principal directions of the first samples */
  INIT_DATA,     /* samples drawn at random */
  INIT_IDENTITY, /* of the whitened space, for learners that whiten */
  INIT_RANDOM,   /* random; orthonormal if k = n */
  INIT_GIVEN,    /* LearnOptions.start */
} InitKind;

/* The state of a learner. */
typedef struct {
  int iteration;    /* done so far */
  guint64 samples;  /* seen so far */
  double objective; /* what it minimises, per sample; its file has the
                        formula */
  double density;   /* share of non-zeros among the latest codes */
  double threshold; /* in use; 0 where there is none */
  double change;    /* |D_t - D_(t-1)|_2 of the latest step, a spectral norm;
                       INFINITY while the threshold still shrinks */
} LearnStatus;

/* Called after each iteration, on the thread that feeds.  It may look at the
 * dictionary with learner_dictionary(). */
typedef void (*LearnObserver) (const Learner *learner, gpointer user_data);

typedef struct {
  int atoms; /* k; 0 for n */
  InitKind init;
  const Mat *start;      /* n x k, for INIT_DCT and INIT_GIVEN; copied */
  double threshold;      /* codes below are zero; for learners that whiten in
                            standard deviations of the whitened data; 0 to aim
                            at a density */
  double density;        /* share of non-zeros to aim at */
  double shrink;         /* Algorithm 4: the threshold starts so large that no
                            code is left and shrinks by this factor per step; 0
                            to start with the final one */
  double shrink_from;    /* it starts at this share of the largest code; 0 for
                            just above it */
  int iterations;        /* steps to do; streaming: 0 for all that is fed */
  double tolerance;      /* stop when status.change falls below; 0 for never */
  int window;            /* online: samples kept, the paper's p2; minibatch:
                            samples per batch */
  int first_samples;     /* online: samples that make the first preconditioner,
                            the paper's p1; at least n are taken; 0 for as many
                            as the window has */
  int stride;            /* online: new samples per step; the paper has 1 */
  int atoms_per_sample;  /* ksvd, mod: non-zeros per sample */
  gboolean exact_update; /* ksvd: an SVD per atom instead of one power step */
  gboolean textbook; /* as published: ksvd, mod without what codingstage.c and
                        ksvd.c add to fit the samples better; online, minibatch
                        without rho, see polarstep.h */
  double rate;       /* gradient, task-driven: length of a step; 0 to choose */
  double hidden; /* task-driven: share of a sample that is to be predicted */
  int planes;    /* task-driven: parts of a sample, such as colours, in which
                    the same places are hidden */
  int predict_atoms;  /* task-driven: most non-zeros of a code; 0 for n / 10 */
  double noise_floor; /* whitening: standard deviation below which directions
                   are not raised to the level of the rest, see
                   preconditioner.h; INFINITY for no whitening */
  guint64 seed;
  LearnObserver observer; /* may be NULL */
  gpointer observer_data;
} LearnOptions;

#define LEARN_DEFAULTS                                                        \
  ((LearnOptions){ .init = INIT_DCT,                                          \
                   .density = 0.1,                                            \
                   .iterations = 100,                                         \
                   .window = 500,                                             \
                   .stride = 1,                                               \
                   .atoms_per_sample = 10,                                    \
                   .hidden = 0.5,                                             \
                   .planes = 1 })

/* One row of the table.  The functions get a Learner that is the first member
 * of a struct of @size bytes, zeroed but for what Learner holds. */
struct LearnerClass {
  const char *name;
  const char *summary;
  gsize size;
  gboolean complete; /* has exactly n atoms */
  gboolean streams;
  InitKind init; /* usual start, and number of iterations */
  int iterations;

  /* Streaming learners: adds the columns of @Y. */
  gboolean (*feed) (Learner *self, const Mat *Y, const Progress *progress,
                    GError **error);

  /* The others: start() once all samples are in self->Y, then step() once per
   * iteration.  Both set self->status. */
  gboolean (*start) (Learner *self, GError **error);
  gboolean (*step) (Learner *self, GError **error);

  /* Copies the current dictionary to @A, n x k. */
  void (*dictionary) (const Learner *self, Mat *A);
  void (*clear) (Learner *self);
};

/* What every learner has; only learners themselves look inside. */
struct Learner {
  const LearnerClass *class;
  LearnOptions options;
  int n, k;
  LearnStatus status;
  Mat start;        /* copy of options.start, or empty */
  Mat Y;            /* n x p samples, of learners that do not stream */
  guint64 capacity; /* columns that Y has memory for */
  gboolean started;
};

/* All learners and their names, in the same order, NULL at the end. */
extern const LearnerClass *const learner_classes[];
extern const char *const learner_names[];

/* The class of that name, or NULL. */
const LearnerClass *learner_find (const char *name);

/* A learner for samples of length @n, which the caller owns.
 * NULL with @error set: USAGE when the name is unknown or the options do not
 * fit, MEMORY. */
Learner *learner_new (const char *name, int n, const LearnOptions *options,
                      GError **error);
void learner_free (Learner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Learner, learner_free)

/* Hands over the columns of @Y, n x anything.  @progress may be NULL.
 * FALSE with @error set: CANCELLED, LIMIT for more samples than can be
 * counted, FAILED for numerics. */
gboolean learner_feed (Learner *self, const Mat *Y, const Progress *progress,
                       GError **error);

/* Samples that can be gone through again and again. */
typedef struct {
  /* Sets @Y to the next samples, none at the end of a round. */
  gboolean (*read) (gpointer data, Mat *Y, GError **error);
  /* Called after each round; FALSE with @error set ends all.  May be NULL. */
  gboolean (*check_round) (gpointer data, GError **error);
  /* Begins round number @round, from 1. */
  void (*begin) (gpointer data, int round);
  gboolean is_fixed; /* every round gives the same: a learner that has too few
                        after the first one never has enough */
  gpointer data;
} SampleStream;

/* Feeds round after round until the learner has enough; one round if it keeps
 * its samples.  FALSE with @error set as by learner_feed() and @samples. */
gboolean learner_feed_stream (Learner *self, const SampleStream *samples,
                              const Progress *progress, GError **error);

/* Whether more samples would change nothing. */
gboolean learner_done (const Learner *self);

/* Completes the work: the iterations of learners that do not stream.  FALSE
 * with @error set: INPUT for too few samples, CANCELLED, FAILED. */
gboolean learner_finish (Learner *self, const Progress *progress,
                         GError **error);

/* The current dictionary, n x k; columns may have any length.  It exists after
 * the first iteration, and once learner_finish() has returned TRUE. */
void learner_dictionary (const Learner *self, Mat *A);

const LearnStatus *learner_status (const Learner *self);

/* For learners: the start that the options ask for, n x k with columns of
 * length one, from the samples @Y.  INIT_IDENTITY gives the identity. */
gboolean learner_initial_dictionary (const Learner *self, const Mat *Y, Mat *D,
                                     GError **error);

/* For learners: share of the iterations that are done, or 0 when their number
 * is unknown. */
double learner_share (const Learner *self);

/* For learners: sets @error to "did not converge" and returns FALSE. */
gboolean learner_failed (GError **error);

/* For learners: calls the observer, and checks whether to continue. */
gboolean learner_report (Learner *self, const Progress *progress, double share,
                         GError **error);
