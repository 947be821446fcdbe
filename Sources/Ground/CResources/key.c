// Written by Scripts/write-resources.
#include "CResources.h"

// `#embed` is C23; clang supports it in every C version.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char key_network_f16[] = {
#embed "../../Sound/BuiltInAnalyzers/Key/Resources/key-network.f16"
};

cresources_file cresources_key_key_network(void) {
  return (cresources_file){"key-network.f16", key_network_f16, sizeof key_network_f16};
}
