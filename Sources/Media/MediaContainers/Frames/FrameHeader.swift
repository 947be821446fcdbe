/// The header of a frame in a stream that is nothing but frames: it states where the frame ends.
protocol FrameHeader {
  /// Bytes that `init(_:)` looks at.
  static var size: Int { get }
  /// Whether a header may begin with these two bytes.
  static func isSync(_ word: UInt16) -> Bool

  /// `nil` for what no encoder writes.
  ///
  /// - Parameter bytes: The start of the frame; fewer than `size` where the stream ends.
  init?(_ bytes: ArraySlice<UInt8>)
  /// Bytes of the frame, header included.
  var length: Int { get }
  /// Whether a later frame of the same stream may begin with these two bytes.
  func isContinued(by word: UInt16) -> Bool
  /// Whether some of these in a row are no accident.
  var isTelling: Bool { get }
  /// Whether this may be a later frame of the same stream: what never changes within a stream is the same.
  func continues(_ other: Self) -> Bool
}

extension FrameHeader {
  var isTelling: Bool { true }
  func isContinued(by word: UInt16) -> Bool { Self.isSync(word) }
}
