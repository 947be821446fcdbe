internal import Analysis

/// One way to decode a stream, used by `AudioSource`.
protocol StreamDecoder: AnyObject {
  var format: AudioFormat { get }
  var encoding: SampleEncoding { get }
  /// How many frames a whole stream may fall short of `format.claimedFrameCount`.
  var claimTolerance: Int64 { get }
  /// The fault so far; final after `read` has returned 0. A stream that is merely shorter than claimed has no fault.
  var fault: DecodeError? { get }
  /// Frames that `fault` may have cost.
  var faultyFrameCount: Int64 { get }
  var remarks: [Problem] { get }
  /// Bytes of encoded audio so far; `nil` if the decoder does not say.
  var encodedByteCount: Int64? { get }

  /// Writes up to `AudioBlock.capacity` frames, channel `c` from `samples + c * AudioBlock.capacity` on; samples may be
  /// anything, NaN included. Returns the number of frames, 0 at the end.
  func read(into samples: UnsafeMutablePointer<Float>) -> Int

  /// Ends reading before the audio ends: `fault` is then that of what was read.
  func stop()
}
