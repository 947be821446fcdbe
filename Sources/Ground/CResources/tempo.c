// Written by Scripts/write-resources.
#include "CResources.h"

// `#embed` is C23; clang supports it in every C version.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bar_weights_tsv[] = {
#embed "../../Sound/Tempo/Resources/bar-weights.tsv"
};
static const unsigned char beat_network_f16[] = {
#embed "../../Sound/Tempo/Resources/beat-network.f16"
};
static const unsigned char confidence_tsv[] = {
#embed "../../Sound/Tempo/Resources/confidence.tsv"
};
static const unsigned char grid_weights_tsv[] = {
#embed "../../Sound/Tempo/Resources/grid-weights.tsv"
};

cresources_file cresources_tempo_bar_weights(void) {
  return (cresources_file){"bar-weights.tsv", bar_weights_tsv, sizeof bar_weights_tsv};
}

cresources_file cresources_tempo_beat_network(void) {
  return (cresources_file){"beat-network.f16", beat_network_f16, sizeof beat_network_f16};
}

cresources_file cresources_tempo_confidence(void) {
  return (cresources_file){"confidence.tsv", confidence_tsv, sizeof confidence_tsv};
}

cresources_file cresources_tempo_grid_weights(void) {
  return (cresources_file){"grid-weights.tsv", grid_weights_tsv, sizeof grid_weights_tsv};
}
