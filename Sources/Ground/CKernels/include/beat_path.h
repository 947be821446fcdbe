// The most expensive step of the dynamic program over beats and periods.
#ifndef NOCTURNE_BEAT_PATH_H
#define NOCTURNE_BEAT_PATH_H

#include <stddef.h>
#include <stdint.h>

enum { CBEATPATH_LANES = 8, CBEATPATH_REACH = 4, CBEATPATH_PERIODS = 256 };

/// For each period, finds the best score of any period minus the cost of changing from that period, and which period
/// that was.
///
/// A change costs the sum of the steps in between or, for the `CBEATPATH_REACH` neighbors on either side, the entry in
/// `costs` if that is less.
///
/// - `count`: number of periods, at most `CBEATPATH_PERIODS`.
/// - `padded`: `count` rounded up to a multiple of `CBEATPATH_LANES`.
/// - `scores`: one per period, with `CBEATPATH_REACH` more readable values before them and after the padding.
/// - `steps`: for each period, the cost of the step from the previous one.
/// - `costs`: for each neighbor, lowest first, a row of `padded` costs, one per period.
/// - `changed`, `origins`: `padded` elements each; those after `count` are meaningless.
void cbeatpath_change(
    const float *scores, ptrdiff_t count, ptrdiff_t padded, const float *steps, const float *costs, float *changed,
    int32_t *origins);

#endif
