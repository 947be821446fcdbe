
// The app's modules import what stands above, which the report has as plain scripts.
export {
  barDoubt, bytesOf, camelot, canvasFont, certainty, clock, CLOSE_UP_FOOT, drag, drawBars, drawFaults, drawSeconds, element, find, folded, grouped, keyName,
  keyOf, lowerBound, oneDecimal, percent, plural, prepare, print, scaled, shape, shortened, signed, span, themeColors, withOwnTempo
};
