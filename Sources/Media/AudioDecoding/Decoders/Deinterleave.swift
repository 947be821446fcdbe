/// Spreads interleaved samples over planes that are `stride` samples apart.
///
/// Uses pointers, because strided access through `Span` takes four times as long. No other function accesses samples
/// out of order.
func deinterleave(
  _ interleaved: UnsafePointer<Float>, channelCount: Int, frameCount: Int, into planes: UnsafeMutablePointer<Float>,
  stride: Int
) {
  switch channelCount {
  case 1:
    planes.update(from: interleaved, count: frameCount)
  case 2:
    let left = planes
    let right = planes + stride
    let whole = frameCount / 8 * 8
    var frame = 0
    while frame < whole {
      let pairs = UnsafeRawPointer(interleaved + 2 * frame).loadUnaligned(as: SIMD16<Float>.self)
      UnsafeMutableRawPointer(left + frame).storeBytes(of: pairs.evenHalf, as: SIMD8<Float>.self)
      UnsafeMutableRawPointer(right + frame).storeBytes(of: pairs.oddHalf, as: SIMD8<Float>.self)
      frame += 8
    }
    while frame < frameCount {
      left[frame] = interleaved[2 * frame]
      right[frame] = interleaved[2 * frame + 1]
      frame += 1
    }
  default:
    for channel in 0..<channelCount {
      let plane = planes + channel * stride
      var source = interleaved + channel
      for frame in 0..<frameCount {
        plane[frame] = source.pointee
        source += channelCount
      }
    }
  }
}
