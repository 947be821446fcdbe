#include "CKeyResources.h"

/* Of C23, which clang has in every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char key_network[] = {
#embed "../Key/Resources/key-network.f16"
};

ckeyresources_file ckeyresources_key_network(void) {
  return (ckeyresources_file){key_network, sizeof key_network};
}
