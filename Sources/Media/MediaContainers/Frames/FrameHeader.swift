/// The header of a frame in a stream that consists only of frames. The end of a frame follows from its header.
protocol FrameHeader {
  /// Number of bytes examined by `init(_:)`.
  static var size: Int { get }
  /// `true` if a header may begin with these two bytes.
  static func isSync(_ word: UInt16) -> Bool

  /// `nil` for headers that no encoder writes.
  ///
  /// - Parameter bytes: Start of the frame; fewer than `size` bytes at the end of the stream.
  init?(_ bytes: ArraySlice<UInt8>)
  /// Size of the frame in bytes, including the header.
  var length: Int { get }
  /// `true` if a later frame of the same stream may begin with these two bytes.
  func isContinued(by word: UInt16) -> Bool
  /// `true` if a run of such headers cannot occur by chance.
  var isDistinctive: Bool { get }
  /// `true` if this may be a later frame of the stream that contains `other`: everything that is constant within a
  /// stream is equal.
  func continues(_ other: Self) -> Bool
}

extension FrameHeader {
  var isDistinctive: Bool { true }
  func isContinued(by word: UInt16) -> Bool { Self.isSync(word) }
}
