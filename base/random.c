#include "base/random.h"

#include <math.h>

/* Multipliers and Weyl constants of the paper's table 2. */
#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u
#define PHILOX_ROUNDS 10

void
philox_block (const guint32 counter[4], const guint32 key[2], guint32 out[4])
{
  guint32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  guint32 k0 = key[0], k1 = key[1];

  for (int round = 0; round < PHILOX_ROUNDS; round++) {
    guint64 p0 = (guint64) PHILOX_M0 * c0;
    guint64 p1 = (guint64) PHILOX_M1 * c2;

    c0 = (guint32) (p1 >> 32) ^ c1 ^ k0;
    c1 = (guint32) p1;
    c2 = (guint32) (p0 >> 32) ^ c3 ^ k1;
    c3 = (guint32) p0;
    k0 += PHILOX_W0;
    k1 += PHILOX_W1;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/* The two 64-bit halves of the block for one key. */
static void
draw (guint64 seed, guint64 stream, guint64 index, guint64 half[2])
{
  guint32 counter[4] = { (guint32) index, (guint32) (index >> 32),
                         (guint32) stream, (guint32) (stream >> 32) };
  guint32 key[2] = { (guint32) seed, (guint32) (seed >> 32) };
  guint32 out[4];

  philox_block (counter, key, out);
  half[0] = ((guint64) out[1] << 32) | out[0];
  half[1] = ((guint64) out[3] << 32) | out[2];
}

static double
to_unit (guint64 bits)
{
  return (double) (bits >> 11) * 0x1p-53;
}

guint64
random_bits (guint64 seed, guint64 stream, guint64 index)
{
  guint64 half[2];

  draw (seed, stream, index, half);
  return half[0];
}

double
random_uniform (guint64 seed, guint64 stream, guint64 index)
{
  return to_unit (random_bits (seed, stream, index));
}

guint64
random_below (guint64 seed, guint64 stream, guint64 index, guint64 n)
{
  /* The bias of this product is below n / 2^53, which is negligible. */
  return (guint64) (random_uniform (seed, stream, index) * (double) n);
}

double
random_normal (guint64 seed, guint64 stream, guint64 index)
{
  guint64 half[2];

  /* Box and Muller; 1 - u is never zero. */
  draw (seed, stream, index, half);
  return sqrt (-2 * log (1 - to_unit (half[0])))
         * cos (2 * G_PI * to_unit (half[1]));
}

void
random_permutation (guint64 seed, guint64 stream, gsize n, gsize *order)
{
  for (gsize i = 0; i < n; i++)
    order[i] = i;
  for (gsize i = n; i > 1; i--) {
    gsize j = random_below (seed, stream, i, i);
    gsize swap = order[i - 1];

    order[i - 1] = order[j];
    order[j] = swap;
  }
}
