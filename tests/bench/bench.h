/* bench.h - what benchmarks share */
#pragma once

#include <glib.h>

/* To be called first in main(). */
void bench_start (char **argv);

/* Seconds since some moment. */
double bench_now (void);

/* Seconds of all cores that this process has used. */
double bench_core_seconds (void);

/* Speed of products of n x n floats with the threads in use, in GFLOP/s: what
 * the machine gives at this moment, the yardstick for everything else. */
double bench_sgemm (int n);
