/// Adds up vectors of eight values, starting at `first`, while at least eight remain before `end`. Returns the eight
/// sums and the index after the last value used.
@inline(__always)
public func sumsOfEight(_ values: Span<Float>, from first: Int, to end: Int) -> (sums: SIMD8<Float>, next: Int) {
  precondition(first >= 0 && end <= values.count)
  return values.withUnsafeBytes { bytes in
    var sums = SIMD8<Float>.zero
    var index = first
    while index + 8 <= end {
      sums += unsafe bytes.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self)
      index += 8
    }
    return (sums, index)
  }
}

/// Returns the largest value, or 0 if none is positive. NaN counts as 0.
public func largest(of values: Span<Float>) -> Float {
  var maximum = SIMD8<Float>.zero
  let whole = values.count / 8 * 8
  values.withUnsafeBytes { bytes in
    for index in stride(from: 0, to: whole, by: 8) {
      let eight = unsafe bytes.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self)
      maximum.replace(with: eight, where: eight .> maximum)
    }
  }
  var found = maximum.max()
  for index in whole..<values.count where values[index] > found { found = values[index] }
  return found
}

/// Quickly checks whether all samples are between -2 and 2, as in nearly all audio. Returns `false` if any sample is
/// outside this range or NaN.
public func areBelowTwo(_ samples: Span<Float>) -> Bool {
  // From 2 on, and in infinity and NaN, the highest bit of the exponent is set.
  var bits = SIMD16<UInt32>(repeating: 0)
  let whole = samples.count / 16 * 16
  samples.withUnsafeBytes { bytes in
    guard let start = bytes.baseAddress else { return }
    for index in stride(from: 0, to: whole, by: 16) {
      bits |= unsafe start.loadUnaligned(fromByteOffset: 4 * index, as: SIMD16<UInt32>.self)
    }
  }
  var found: UInt32 = 0
  for lane in 0..<16 { found |= bits[lane] }
  for index in whole..<samples.count { found |= samples[index].bitPattern }
  return found & 0x4000_0000 == 0
}

/// Returns the natural logarithms of positive, normal numbers, with an error below 2e-5.
///
/// The exponent is read from the bits. The logarithm of the mantissa, scaled to between √½ and √2, is computed with the
/// series of artanh: ln m = 2·(z + z³/3 + z⁵/5 + z⁷/7), z = (m − 1) / (m + 1).
@inlinable @inline(__always)
public func naturalLog(_ x: SIMD8<Float>) -> SIMD8<Float> {
  let bits = unsafeBitCast(x, to: SIMD8<Int32>.self)
  // The bits of √½: subtracting them makes the exponent field count from √½.
  let shifted = bits &- 0x3f35_04f3
  let exponent = shifted &>> 23
  let mantissa = unsafeBitCast(bits &- (exponent &<< 23), to: SIMD8<Float>.self)
  let z = (mantissa - 1) / (mantissa + 1)
  let square = z * z
  let tail = square * (1 / 3 as Float) + square * square * (1 / 5 as Float)
  let series = 2 * z * (1 + tail + square * square * square * (1 / 7 as Float))
  return SIMD8<Float>(exponent) * (0.693_147_18 as Float) + series
}
