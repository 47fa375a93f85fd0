/* sort.h - numbers in ascending order */
#pragma once

#include <glib.h>

void sort_doubles (double *values, gsize count);
void sort_floats (float *values, gsize count);
