/* interrupt.h - Ctrl-C and other signals that stop the program
 *
 * The first SIGINT, SIGTERM or SIGHUP asks the work to stop.  If the program
 * is still running after a second, for example because it is blocked in a
 * read, or if a second signal comes, it ends at once.  Either way it says so,
 * leaves no unfinished file behind and exits with 130.  Work that saves what
 * it has done so far may ask for more than that second; the second signal
 * still ends it.
 */
#pragma once

#include <gio/gio.h>

/* Call it once, at the start. */
void interrupt_init (void);

/* Is cancelled by the first signal. */
GCancellable *interrupt_cancellable (void);

/* For work that has something to save when it is stopped: the first signal
 * then gives it all the time it needs. */
void interrupt_be_patient (void);

/* From here on only saving remains: interrupt_cancellable() returns a new one,
 * which no signal cancels. */
void interrupt_begin_saving (void);
