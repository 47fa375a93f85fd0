/* preconditioner.h - whitening that is kept up to date
 *
 *     Z = sum y y'  over all c samples so far,      P Z P' = c I
 *
 * P makes the second moment of the samples the identity.  It is kept as its
 * inverse: U = P^-1 is upper triangular with positive diagonal and
 *
 *     U U' = Z / c.
 *
 * The factor is unique, so P is the P of the paper's Algorithms 3 and 5
 * (P = L' with L L' = c Z^-1, L lower).  They downdate L when a sample comes,
 * which loses digits: Z of photographs has a condition number near 1e7.
 * Adding y y' to Z is a plain update of U, which loses none; whitening is a
 * triangular solve; and a learned dictionary A = P^-1 D = U D needs no
 * inverse.
 *
 * With a floor s > 0, Z + c s^2 I stands for Z in all of this: directions
 * fainter than s are not raised to the level of the others.  An infinite one
 * leaves samples as they are: P = I.
 */
#pragma once

#include "base/matrix.h"

typedef struct Preconditioner Preconditioner;

/* Made from the columns of @Y, n x c, with floor @s >= 0.  Where they do not
 * span all directions (c < n, or constant patches) a small multiple of the
 * identity is added to Z, which later samples outweigh.  The caller owns it.
 * NULL if @Y is zero or has an entry that is not finite. */
Preconditioner *preconditioner_new (const Mat *Y, double s);
void preconditioner_free (Preconditioner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Preconditioner, preconditioner_free)

/* Adds one more sample.  3 n^2 operations; with a floor 4 n^2 on average, and
 * the floor is even only after every n samples.  If @W is given, samples that
 * are whitened with P before are whitened with P after, in float, at 5 n
 * operations each and n^2 for all: rounding errors add up, slowly. */
void preconditioner_add (Preconditioner *self, const double *y, MatF *W);

/* Length of a sample, n. */
int preconditioner_length (const Preconditioner *self);

/* W = P W and W = P^-1 W, in place, for n x m matrices. */
void preconditioner_whiten (const Preconditioner *self, Mat *W);
void preconditioner_unwhiten (const Preconditioner *self, Mat *W);

/* W = P Y, by all threads. */
void preconditioner_whiten_samples (const Preconditioner *self, const MatF *Y,
                                    MatF *W);
