/* Words and numbers */

const grouped = new Intl.NumberFormat('en-US');
const plural = (count, word) => `${grouped.format(count)} ${word}${count === 1 ? '' : 's'}`;
const oneDecimal = number => number.toFixed(1);
/** A true minus sign, as in "−14.2". */
const signed = text => String(text).replace('-', '−');
const percent = share => `${Math.round(share * 100)}%`;
const known = number => number === number;
const shortened = (text, length) => text.length > length ? `${text.slice(0, length)}…` : text;
const firstUpper = text => text.charAt(0).toUpperCase() + text.slice(1);

/** "3:07" or "1:02:03". */
function clock(seconds) {
  if (!known(seconds)) return '–';
  const whole = Math.round(seconds), hours = Math.floor(whole / 3600), minutes = Math.floor(whole % 3600 / 60);
  const two = number => String(number).padStart(2, '0');
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** "6 h 30 min"; long times have no seconds. */
function span(seconds) {
  const minutes = Math.round(seconds / 60), hours = Math.floor(minutes / 60);
  if (hours >= 100) return `${grouped.format(Math.round(minutes / 60))} h`;
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min` : 'under 1 min';
}

function size(kilobytes) {
  if (kilobytes >= 1e6) return `${oneDecimal(kilobytes / 1e6)} GB`;
  return kilobytes >= 1000 ? `${oneDecimal(kilobytes / 1000)} MB` : `${kilobytes} kB`;
}

const day = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });
const dayAndMonth = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const date = days => day.format(days * 864e5);

/** A share in words: "one in three", or "41%". */
function fraction(share) {
  const words = [[.1, 'one in ten'], [.2, 'one in five'], [.25, 'one in four'], [1 / 3, 'one in three'], [.5, 'half'],
    [2 / 3, 'two in three'], [.75, 'three in four'], [.9, 'nine in ten']];
  const word = words.find(([value]) => Math.abs(share - value) < .015);
  return word ? word[1] : share < .005 ? 'fewer than 1%' : share > .995 ? 'more than 99%' : percent(share);
}
/** "one in three tracks is", "half of the tracks are". */
function fractionOf(share, noun) {
  if (share === 1) return `all ${noun}s are`;
  const words = fraction(share);
  if (words.startsWith('one in')) return `${words} ${noun}s is`;
  return words.includes(' in ') ? `${words} ${noun}s are` : `${words} of the ${noun}s are`;
}

// By the signature with the fewest accidentals, as the program spells keys.
const MINOR = 'G♯ E♭ B♭ F C G D A E B F♯ C♯'.split(' '), MAJOR = 'B F♯ D♭ A♭ E♭ B♭ F C G D A E'.split(' ');
const camelot = key => `${(key >> 1) + 1}${key & 1 ? 'B' : 'A'}`;
const keyName = key => key & 1 ? `${MAJOR[key >> 1]} major` : `${MINOR[key >> 1]} minor`;
const keyOf = text => {
  const parts = /^(1[0-2]|[1-9])([AB])$/i.exec(text);
  return parts ? (parts[1] - 1) * 2 + (parts[2].toUpperCase() === 'B' ? 1 : 0) : null;
};
/** Why no bars are drawn: the meter may be known where the first beat of the bars is not. */
const barDoubt = meter => meter ? `Beats in ${meter}; where bars start is unsure, so not drawn`
  : 'Beats; bar starts are unsure, so not drawn';

/** Candidates [tempo, share] of the tempo that counts. The one that is the same pulse, by the 4% that confidence is about,
 *  has its number, and the first place if there is none: then another part of the track has given it. */
function withOwnTempo(candidates, bpm) {
  const own = candidates.findIndex(([tempo]) => Math.abs(tempo / bpm - 1) < .04);
  if (own < 0) return [[bpm, null], ...candidates];
  return candidates.map(([tempo, share], index) => [index === own ? bpm : tempo, share]);
}

const certainty = confidence =>
  confidence >= .9 ? 'Very likely right' : confidence >= .75 ? 'Probably right' : confidence >= .5 ? 'Worth a listen'
    : 'A guess';

/** Text as search compares it: without accents and upper case. */
function folded(text) {
  // Most names are plain ASCII, where normalizing would only cost time.
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase();
}
