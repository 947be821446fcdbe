/* Lists of numbers */

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Divided by the largest of them: from 0 to 1. */
function scaled(values) {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return Float32Array.from(values, value => value / (most || 1));
}

/** The largest from the index `from` to before `to`, and at least of the one at `from`. */
function largest(values, from, to) {
  let most = 0;
  const end = Math.max(Math.floor(from) + 1, Math.floor(to));
  for (let index = Math.floor(from); index < end; index++) most = Math.max(most, values[index] || 0);
  return most;
}

/** The index of the first of ascending numbers that is not below `value`. */
function lowerBound(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1;
      else high = middle;
  }
  return low;
}
