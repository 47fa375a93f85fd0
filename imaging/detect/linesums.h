/* linesums.h - evidence for lines, and its sums along paths, a row at a time
 *
 * The inner loops of lines.h.  The evidence of a pixel whose top-hat is h where
 * u is usual,
 *     e = SCALE (h - USUAL_TIMES u - OFFSET) / (u + SOFTENER),
 * is rounded down and kept within LEAST_EVIDENCE .. MOST_EVIDENCE.  A byte
 * holds it less LEAST_EVIDENCE.
 */
#pragma once

#include <glib.h>

#define LEAST_EVIDENCE (-12)
#define MOST_EVIDENCE 16

#define LEAST_SUM 280 /* of the evidence of a line */
#define MOST_SUM 1000 /* that is counted: how long a gap may be */

/* Of @count pixels. */
void line_evidence (const guint8 *hats, const guint8 *usuals, gsize count,
                    guint8 *evidence);

/* The sums of one row from those of the row before, which is NULL at the
 * start:
 *     sums (x) = e (x) + max of before (x - 1 .. x + 1), in 0 .. MOST_SUM. */
void line_sums (const guint8 *evidence, const gint16 *before, gint16 *sums,
                int width);

/* Sets @ends to 1 where a line may end and to 0 elsewhere: pixels of evidence
 * with LEAST_SUM or more in @down, the sums from one side, where those from the
 * other side, @up, only begin. */
void line_ends (const guint8 *evidence, const gint16 *down, const gint16 *up,
                int width, guint8 *ends);
