#include "CLikenessResources.h"

/* Of C23, which clang has in every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char projection[] = {
#embed "../Likeness/Resources/projection.f16"
};

clikenessresources_file clikenessresources_projection(void) {
  return (clikenessresources_file){projection, sizeof projection};
}
