#include "CSpawn.h"

#include <stddef.h>

static int count;
static char **values;

/* glibc passes the arguments of main to constructors. */
__attribute__((constructor)) static void keep_arguments(int argument_count, char **arguments) {
  count = argument_count;
  values = arguments;
}

int cspawn_argument_count(void) { return count; }

const char *cspawn_argument(int position) { return position >= 0 && position < count ? values[position] : NULL; }
