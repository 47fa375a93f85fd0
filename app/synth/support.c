/* support.c - how the warm start finds the support of the codes
 *
 * Algorithm 4 for an orthonormal dictionary.  At the start the threshold is so
 * large that all codes are zero; as it shrinks, more and more of the true
 * non-zeros are found, until all are.
 *
 *     D(t), z(t)   dictionary and threshold after step t
 *     X(t)         HT_z(t) (D(t)' Y), brought into the order and the signs of
 *                  the true codes X* that fit the dictionary in the end
 */
#include "app/synth/synth.h"

#include "dictlearn/thresholding.h"

#include <math.h>

static const char *const columns[] = { "n",         "samples",   "trial",
                                       "iteration", "threshold", "code_error",
                                       "missed",    "extra",     NULL };

static const char *const summary_columns[] = { "trial",    "iterations",
                                               "nonzeros", "code_error",
                                               "missed",   "extra",
                                               "error",    NULL };

/* A step as it was. */
typedef struct {
  Mat D;
  double threshold;
} Step;

/* The codes of a step against the true ones. */
typedef struct {
  double error; /* |X - X*|_F / |X*|_F */
  int missed;   /* non-zero in X* only */
  int extra;    /* non-zero in X only */
} Codes;

typedef struct {
  SyntheticData *synthetic;
  Mat Y, X;
  GArray *steps; /* Step */
  GArray *codes; /* Codes, of each step */
  double error;  /* |D - D*|_F in the end */
} Trial;

static void
clear_step (gpointer step)
{
  mat_clear (&((Step *) step)->D);
}

static void
trial_clear (gpointer data)
{
  Trial *trial = data;

  synthetic_free (trial->synthetic);
  mat_clear (&trial->Y);
  mat_clear (&trial->X);
  g_clear_pointer (&trial->steps, g_array_unref);
  g_clear_pointer (&trial->codes, g_array_unref);
}

static gboolean
trial_init (Trial *trial, const SynthOptions *options, int number,
            GError **error)
{
  SyntheticOptions synthetic = SYNTHETIC_DEFAULTS;
  int samples = g_array_index (options->samples, int, 0);

  synthetic.n = g_array_index (options->sizes, int, 0);
  synthetic.seed = synth_trial_seed (options->seed, number);
  *trial = (Trial){ .synthetic = synth_make_data (&synthetic, error) };
  if (trial->synthetic == NULL)
    return FALSE;
  trial->Y = mat_new (synthetic.n, samples);
  trial->X = mat_new (synthetic.n, samples);
  synth_samples (trial->synthetic, &trial->Y, &trial->X);
  trial->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (trial->steps, clear_step);
  trial->codes = g_array_new (FALSE, FALSE, sizeof (Codes));
  return TRUE;
}

/* ---- one trial ---- */

static void
remember_step (const Learner *learner, gpointer user_data)
{
  Trial *trial = user_data;
  int n = trial->Y.rows;
  Step step = { mat_new (n, n), learner_status (learner)->threshold };

  learner_dictionary (learner, &step.D);
  g_array_append_val (trial->steps, step);
}

static Codes
compare_codes (const Trial *trial, const Step *step, const int *atom,
               const double *sign)
{
  const Mat *truth = &trial->X;
  g_auto (Mat) X = mat_new (truth->rows, truth->cols);
  Codes codes = { 0 };
  double square = 0;

  mat_multiply (1, &step->D, TRANSPOSED, &trial->Y, PLAIN, 0, &X);
  threshold_apply (&X, step->threshold, &X);
  for (int j = 0; j < X.cols; j++)
    for (int i = 0; i < X.rows; i++) {
      double x = sign[i] * *mat_at (&X, atom[i], j);
      double true_x = *mat_at (truth, i, j);

      square += (x - true_x) * (x - true_x);
      codes.missed += x == 0 && true_x != 0;
      codes.extra += x != 0 && true_x == 0;
    }
  codes.error = sqrt (square / mat_dot (truth, truth));
  return codes;
}

static void
compare_all (Trial *trial, const Mat *final)
{
  int n = trial->Y.rows;
  g_autofree int *atom = g_new (int, n);
  g_autofree double *sign = g_new (double, n);

  recovery_match (final, &trial->synthetic->A, atom, sign);
  for (guint i = 0; i < trial->steps->len; i++) {
    Codes codes = compare_codes (trial, &g_array_index (trial->steps, Step, i),
                                 atom, sign);

    g_array_append_val (trial->codes, codes);
  }
  trial->error = recovery_measure (final, &trial->synthetic->A).distance;
}

static gboolean
run_trial (Trial *trial, int iterations, const Progress *progress,
           GError **error)
{
  LearnOptions learn = synth_learn_options (&trial->synthetic->options);
  g_auto (SynthLearned) learned = { 0 };

  learn.iterations = iterations;
  learn.observer = remember_step;
  learn.observer_data = trial;
  if (!synth_learn ("orthogonal", &learn, &trial->Y, &learned, progress,
                    error))
    return FALSE;
  compare_all (trial, &learned.A);
  return TRUE;
}

static gboolean
run_all (const SynthOptions *options, GArray *trials, const Progress *progress,
         GError **error)
{
  for (int number = 0; number < options->trials; number++) {
    ProgressPart part = { progress, (double) number / options->trials,
                          (number + 1.) / options->trials };
    Progress partial = progress_part (&part);
    Trial *trial;

    g_array_set_size (trials, (guint) number + 1);
    trial = &g_array_index (trials, Trial, number);
    if (!trial_init (trial, options, number, error)
        || !run_trial (trial, options->iterations, &partial, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- the report ---- */

static Table *
tabulate (const GArray *trials)
{
  Table *table = table_new (columns);

  for (guint number = 0; number < trials->len; number++) {
    const Trial *trial = &g_array_index (trials, Trial, number);
    double unit = synthetic_deviation (&trial->synthetic->options);

    for (guint i = 0; i < trial->codes->len; i++) {
      const Codes *codes = &g_array_index (trial->codes, Codes, i);

      table_add_count (table, trial->Y.rows);
      table_add_count (table, trial->Y.cols);
      table_add_count (table, number);
      table_add_count (table, i + 1);
      table_add_number (
        table, unit * g_array_index (trial->steps, Step, i).threshold);
      table_add_number (table, codes->error);
      table_add_count (table, codes->missed);
      table_add_count (table, codes->extra);
    }
  }
  return table;
}

static Table *
summarise (const GArray *trials)
{
  Table *summary = table_new (summary_columns);

  for (guint number = 0; number < trials->len; number++) {
    const Trial *trial = &g_array_index (trials, Trial, number);
    const Codes *last =
      &g_array_index (trial->codes, Codes, trial->codes->len - 1);
    int nonzeros = 0;

    for (int i = 0; i < trial->X.rows * trial->X.cols; i++)
      nonzeros += trial->X.data[i] != 0;
    table_add_count (summary, number);
    table_add_count (summary, trial->codes->len);
    table_add_count (summary, nonzeros);
    table_add_number (summary, last->error);
    table_add_count (summary, last->missed);
    table_add_count (summary, last->extra);
    table_add_number (summary, trial->error);
  }
  return summary;
}

static char *
note_on (const GArray *trials)
{
  const Mat *Y = &g_array_index (trials, Trial, 0).Y;

  return synth_note ((int) trials->len, "n = %d, p = %d", Y->rows, Y->cols);
}

static void
add_plots (const GArray *trials, SynthReport *report)
{
  const PlotOptions error_options = { "Error of the codes in the warm start",
                                      "iteration", "error |X - X*| / |X*|",
                                      AXIS_LINEAR, AXIS_LOG };
  const PlotOptions count_options = { "Support of the codes in the warm start",
                                      "iteration", "entries", AXIS_LINEAR,
                                      AXIS_LINEAR };
  guint steps = g_array_index (trials, Trial, 0).codes->len;
  Plot *errors = plot_new (&error_options);
  Plot *missed = plot_new (&count_options);

  plot_take_note (errors, note_on (trials));
  plot_take_note (missed, note_on (trials));
  synth_report_add_plot (report, "support-error", errors);
  synth_report_add_plot (report, "support", missed);
  plot_add_line (errors, "orthogonal");
  plot_add_line (missed, "not found yet");
  for (guint i = 0; i < steps; i++) {
    Spread error = SPREAD_EMPTY, count = SPREAD_EMPTY;

    for (guint number = 0; number < trials->len; number++) {
      const Codes *codes =
        &g_array_index (g_array_index (trials, Trial, number).codes, Codes, i);

      spread_add (&error, codes->error);
      spread_add (&count, codes->missed);
    }
    plot_add_point (errors, i + 1, &error);
    plot_add_point (missed, i + 1, &count);
  }
}

gboolean
synth_support (const SynthOptions *options, SynthReport *report,
               const Progress *progress, GError **error)
{
  g_autoptr (GArray) trials = g_array_new (FALSE, TRUE, sizeof (Trial));

  g_array_set_clear_func (trials, trial_clear);
  if (!run_all (options, trials, progress, error))
    return FALSE;
  synth_report_add_table (report, "support", tabulate (trials));
  synth_report_set_summary (report, summarise (trials));
  add_plots (trials, report);
  return TRUE;
}
