// Written by Scripts/write-resources.
#include "CResources.h"

// `#embed` is C23; clang supports it in every C version.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char confidence_tsv[] = {
#embed "../../Recognition/Recognition/Resources/confidence.tsv"
};
static const unsigned char landmark_network_f16[] = {
#embed "../../Recognition/Recognition/Resources/landmark-network.f16"
};
static const unsigned char rarity_tsv[] = {
#embed "../../Recognition/Recognition/Resources/rarity.tsv"
};

cresources_file cresources_recognition_confidence(void) {
  return (cresources_file){"confidence.tsv", confidence_tsv, sizeof confidence_tsv};
}

cresources_file cresources_recognition_landmark_network(void) {
  return (cresources_file){"landmark-network.f16", landmark_network_f16, sizeof landmark_network_f16};
}

cresources_file cresources_recognition_rarity(void) {
  return (cresources_file){"rarity.tsv", rarity_tsv, sizeof rarity_tsv};
}
