/* claims.h - what the paper says of its synthetic experiments, and what the
 * tables say
 *
 * Each claim of section 4.1 is judged by the tables of a folder that "synth
 * all" has filled, so that a page can be made anew from tables alone.
 */
#pragma once

#include <glib.h>

typedef enum {
  VERDICT_HOLDS,
  VERDICT_PARTLY, /* in some of the cases */
  VERDICT_FAILS,
  VERDICT_OPEN, /* the tables do not say */
} Verdict;

typedef struct {
  const char *experiment;
  const char *figures[3]; /* without .svg; NULL after the last */
  const char *text;       /* the claim, in our words */
  Verdict verdict;
  char *reason; /* the numbers behind the verdict */
} Claim;

/* All claims, judged by the tables in @folder: a GArray of Claim that the
 * caller owns. */
GArray *claims_judge (const char *folder);

const char *verdict_name (Verdict verdict);

/* The page with all figures and claims; @note says how the tables were
 * made. */
GBytes *claims_page (const GArray *claims, const char *note);
