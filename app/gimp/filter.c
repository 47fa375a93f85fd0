#include "app/gimp/filter.h"

/* Of the work, finding what is missing. */
#define FIND_SHARE 0.2

/* A part of the progress of a job. */
typedef struct {
  const Job *job;
  double from, to;
} Share;

static gboolean
report_share (double done, void *data)
{
  const Share *share = data;

  return share->job->progress (share->from + (share->to - share->from) * done,
                               share->job->progress_data);
}

gboolean
filter_restore (const Filter *filter, const Job *job, TesseraImage *image,
                TesseraRestoreReport *report, GError **error)
{
  Share finding = { job, 0, FIND_SHARE }, filling = { job, FIND_SHARE, 1 };
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .progress = report_share,
                                    .progress_data = &filling,
                                    .area = job->area };
  Job search = *job;
  TesseraMask *missing;
  gboolean ok;

  search.progress = report_share;
  search.progress_data = &finding;
  missing = filter->missing (&search, image, error);
  if (missing == NULL)
    return FALSE;
  filter->choose (job->values, &options);
  ok = tessera_restore (job->context, image, missing, &options, report, error);
  tessera_mask_free (missing);
  return ok;
}
