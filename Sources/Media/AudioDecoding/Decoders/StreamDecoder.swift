internal import Analysis

/// One way to decode a stream, used by `AudioSource`.
protocol StreamDecoder: AnyObject {
  var format: AudioFormat { get }
  var encoding: SampleEncoding { get }
  /// Number of frames by which an intact stream may fall short of `format.claimedFrameCount`.
  var claimTolerance: Int64 { get }
  /// The fault found so far, or `nil`; final after `read` has returned 0. A stream that is merely shorter than claimed
  /// has no fault.
  var fault: DecodeError? { get }
  /// Number of frames that may have been lost because of `fault`.
  var faultyFrameCount: Int64 { get }
  var remarks: [Problem] { get }
  /// Number of bytes of encoded audio so far; `nil` if the decoder does not report it.
  var encodedByteCount: Int64? { get }

  /// Writes up to `AudioBlock.capacity` frames, channel `c` from `samples + c * AudioBlock.capacity` on. Samples may
  /// have any value, including NaN.
  ///
  /// - Returns: Number of frames; 0 at the end.
  func read(into samples: UnsafeMutablePointer<Float>) -> Int

  /// Stops reading early: `fault` then covers what was read.
  func stop()
}
