/* model.h - a convolutional dictionary and the numbers that go with it
 *
 * A picture is coded at several sizes, the smallest first; each size has a
 * coder of its own.  Atoms of side x side x channels samples are placed at
 * every stride-th pixel, and a fixed number of rounds of shrinkage finds the
 * codes Z:
 *
 *     Z_0 = 0
 *     E_k = M (y - g - D_k Z_k-1)                    what is not explained yet
 *     Z_k = shrink (Z_k-1 + gain_k C_k' E_k, t_k)    k = 1 .. rounds
 *     picture = g + W Z_rounds
 *
 * where y is the damaged picture, M what is known of each sample, 0 .. 1, and
 * g, the ground, is the picture as the next smaller size restored it.  C_k,
 * D_k and W hold one atom per column; C_k' E takes the product with every
 * patch, and D_k Z adds up the atoms at their positions.
 *
 * A position p in whose patch the share m_p of the samples is missing and the
 * noise has the standard deviation s_p has, for atom j and round k,
 *
 *     gain = a_kj + b_kj m_p
 *     t    = exp (u_kj) + s_p exp (v_kj) + m_p exp (w_kj)
 *
 * so that one dictionary serves all shares of missing samples and all levels
 * of noise, which may vary over the picture.
 *
 * This is ISTA, unrolled and learned: Gregor and LeCun, "Learning fast
 * approximations of sparse coding", 2010; Simon and Elad, "Rethinking the CSC
 * model for natural images", 2019.
 */
#pragma once

#include "base/matrix.h"

#define CONV_MOST_LEVELS 4
#define CONV_MOST_ROUNDS 32
#define CONV_MOST_SIDE 16
#define CONV_MOST_ATOMS 1024
#define CONV_MOST_GROUND 6

/* The largest numbers of a model: of atoms and gains, and of u, v and w below,
 * whose exponentials are finite in float.  What was learned stays below 10. */
#define CONV_MOST_NUMBER 1e4f
#define CONV_MOST_LOGARITHM 80.f

typedef struct {
  int side;     /* of an atom, in pixels */
  int stride;   /* from one atom to the next, 1 .. side */
  int channels; /* 1 or 3 */
  int atoms;
  int rounds; /* of shrinkage */
  int sets;   /* of C and D; round k uses number k * sets / rounds */
  int levels; /* sizes; each has half the side of the one before */
  int ground; /* the finest blur of the first ground, as the standard deviation
                 in pixels of the smallest size; 0: as fine as there is */
} ConvShape;

/* Numbers of an atom in a round, in this order: a, b, u, v, w above. */
enum {
  KNOB_GAIN,
  KNOB_GAIN_MISSING,
  KNOB_THRESHOLD,
  KNOB_THRESHOLD_NOISE,
  KNOB_THRESHOLD_MISSING,
  KNOB_COUNT
};

typedef struct {
  ConvShape shape;

  /* All levels, the full size first; each is C of all sets, D of all sets, W,
   * and the knobs of round after round, each of these for all atoms. */
  float *numbers;

  /* Where it comes from; NULL or 0 where that is not known. */
  char *options;
  guint64 seed;
  guint64 samples; /* pixels seen while learning */
} ConvModel;

/* The part of the numbers, or of a gradient, that belongs to one level. */
typedef struct {
  float *C, *D, *W, *knobs;
} ConvLevel;

/* A model whose numbers are all zero, for a file to be read.  The caller owns
 * it.  This and the next two: NULL with @error set, MEMORY. */
ConvModel *conv_model_empty (const ConvShape *shape, GError **error);

/* A model of cosines, with thresholds that fall from round to round.  The
 * caller owns it. */
ConvModel *conv_model_new (const ConvShape *shape, GError **error);

/* The same model with @sets sets of C and D, 1 .. rounds.  With more than it
 * had it computes the same, and learning can make the sets differ.  The caller
 * owns it. */
ConvModel *conv_model_with_sets (const ConvModel *model, int sets,
                                 GError **error);

/* @model may be NULL. */
void conv_model_free (ConvModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ConvModel, conv_model_free)

/* Whether all numbers are within the bounds above.  Those of a file are; those
 * of learning that diverged are not. */
gboolean conv_model_is_bounded (const ConvModel *model);

/* Samples of an atom. */
static inline int
conv_atom_length (const ConvShape *shape)
{
  return shape->side * shape->side * shape->channels;
}

static inline int
conv_set (const ConvShape *shape, int round)
{
  return round * shape->sets / shape->rounds;
}

/* The number of parameters of a level, of those that are atoms, and of all
 * levels. */
gsize conv_level_atoms (const ConvShape *shape);
gsize conv_level_length (const ConvShape *shape);
gsize conv_length (const ConvShape *shape);

/* Level @level of @numbers, which has conv_length() of them. */
ConvLevel conv_level (const ConvShape *shape, float *numbers, int level);

/* A view of set @set of @atoms, one of C, D and W. */
MatF conv_atoms (const ConvShape *shape, float *atoms, int set);

/* Knob @which of round @round: one number for each atom. */
static inline float *
conv_knob (const ConvShape *shape, float *knobs, int round, int which)
{
  return knobs + (gsize) (round * KNOB_COUNT + which) * (gsize) shape->atoms;
}
