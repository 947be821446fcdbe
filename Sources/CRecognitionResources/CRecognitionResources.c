#include "CRecognitionResources.h"

/* Of C23, which clang has in every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char landmark_network[] = {
#embed "../Recognition/Resources/landmark-network.f16"
};
static const unsigned char confidence[] = {
#embed "../Recognition/Resources/confidence.tsv"
};
static const unsigned char rarity[] = {
#embed "../Recognition/Resources/rarity.tsv"
};

crecognitionresources_file crecognitionresources_landmark_network(void) {
  return (crecognitionresources_file){landmark_network, sizeof landmark_network};
}

crecognitionresources_file crecognitionresources_confidence(void) {
  return (crecognitionresources_file){confidence, sizeof confidence};
}

crecognitionresources_file crecognitionresources_rarity(void) {
  return (crecognitionresources_file){rarity, sizeof rarity};
}
