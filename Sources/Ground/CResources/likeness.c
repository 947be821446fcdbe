// Written by Scripts/write-resources.
#include "CResources.h"

// `#embed` is C23; clang supports it in every C version.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char projection_f16[] = {
#embed "../../Sound/Likeness/Resources/projection.f16"
};

cresources_file cresources_likeness_projection(void) {
  return (cresources_file){"projection.f16", projection_f16, sizeof projection_f16};
}
