/* random.h - random numbers keyed by seed, stream and index
 *
 * A number is a function of its key, not of the numbers drawn before it: order
 * and threads do not matter, and number one million costs as much as number
 * one.  The function is Philox 4x32-10 of Salmon, Moraes, Dror and Shaw
 * ("Parallel random numbers: as easy as 1, 2, 3", 2011).
 *
 * A stream separates uses of the same seed; give each use a constant of its
 * own.
 */
#pragma once

#include <glib.h>

/* One block of Philox 4x32-10: @counter and @key to four words of output. */
void philox_block (const guint32 counter[4], const guint32 key[2],
                   guint32 out[4]);

/* 64 random bits. */
guint64 random_bits (guint64 seed, guint64 stream, guint64 index);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_uniform (guint64 seed, guint64 stream, guint64 index);

/* Uniform among 0 .. @n - 1, where 1 <= n < 2^53. */
guint64 random_below (guint64 seed, guint64 stream, guint64 index, guint64 n);

/* Standard normal. */
double random_normal (guint64 seed, guint64 stream, guint64 index);

/* Puts the numbers 0 .. @n - 1 into @order, shuffled. */
void random_permutation (guint64 seed, guint64 stream, gsize n, gsize *order);
