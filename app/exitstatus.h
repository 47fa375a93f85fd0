/* exitstatus.h - the exit status of the program for each kind of error */
#pragma once

#include "base/error.h"

/* Promised to scripts; see the manual. */
static inline int
exit_status (TesseraError code)
{
  switch (code) {
  case TESSERA_ERROR_FAILED:
    return 1;
  case TESSERA_ERROR_USAGE:
    return 2;
  case TESSERA_ERROR_INPUT:
    return 3;
  case TESSERA_ERROR_LIMIT:
  case TESSERA_ERROR_MEMORY:
    return 4;
  case TESSERA_ERROR_CANCELLED:
    return 130; /* as of a program that SIGINT ended */
  }
  return 1;
}
