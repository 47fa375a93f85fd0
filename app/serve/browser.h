/* browser.h - opens the page in the user's browser
 *
 * All users of a machine see the words with which a program was started, and
 * the address of the page ends in a secret.  So the browser is given a file
 * that only its owner can read, and that leads to the address.
 */
#pragma once

#include "app/serve/workfolder.h"

/* Opens @address, which needs no escapes, where there is a screen.  Whether
 * that works is seen there: there is no error.  The file is removed with
 * @folder. */
void browser_open (WorkFolder *folder, const char *address);
