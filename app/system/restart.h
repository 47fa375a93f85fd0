/* restart.h - restarts the program with the environment that OpenBLAS needs
 *
 * OpenBLAS decides two things when it is loaded, before main(), and listens to
 * the environment only:
 *   kernels   by the model of the CPU; for a model younger than itself it
 *             takes the slowest, a fifth of the speed;
 *   threads   one per core, though we never use them; where the address space
 *             is limited and has no room for their buffers, it hangs.
 * This is the one place that starts the program again.  What it adds to the
 * environment is for that start alone: no program that we start later sees it.
 */
#pragma once

/* To be called first thing in main(), with its @argv.
 *
 * Starts the program again if OpenBLAS has taken the slowest kernels on a CPU
 * with AVX2 or AVX-512, and OPENBLAS_CORETYPE is not set.  In the program that
 * runs on, the environment is as the user made it. */
void restart_if_needed (char **argv);
