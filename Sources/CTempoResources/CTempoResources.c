#include "CTempoResources.h"

/* Of C23, which clang has in every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char beat_network[] = {
#embed "../Tempo/Resources/beat-network.f16"
};
static const unsigned char grid_weights[] = {
#embed "../Tempo/Resources/grid-weights.tsv"
};
static const unsigned char bar_weights[] = {
#embed "../Tempo/Resources/bar-weights.tsv"
};
static const unsigned char confidence[] = {
#embed "../Tempo/Resources/confidence.tsv"
};

ctemporesources_file ctemporesources_beat_network(void) {
  return (ctemporesources_file){beat_network, sizeof beat_network};
}

ctemporesources_file ctemporesources_grid_weights(void) {
  return (ctemporesources_file){grid_weights, sizeof grid_weights};
}

ctemporesources_file ctemporesources_bar_weights(void) {
  return (ctemporesources_file){bar_weights, sizeof bar_weights};
}

ctemporesources_file ctemporesources_confidence(void) {
  return (ctemporesources_file){confidence, sizeof confidence};
}
