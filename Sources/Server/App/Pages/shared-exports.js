
// The app's modules import what stands above, which the report has as plain scripts.
export {
  barDoubt, camelot, certainty, clock, drag, element, find, folded, grouped, oneDecimal, percent, plural, prepare, print, shape,
  shortened, signed, span, themeColors, withOwnTempo
};
