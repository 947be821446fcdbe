/// The raw header of a DSF file (Sony, DSF file format specification 1.01).
package struct DSFHeader {
  /// Size of the whole file in bytes.
  package var fileSize: UInt64
  /// Offset of an ID3v2 tag from the start of the file; 0 if there is none.
  package var tagOffset: UInt64
  /// One-bit samples per second and channel.
  package var sampleRate: UInt32
  /// Number of samples per channel.
  package var sampleCount: UInt64
  /// Size of the audio chunk in bytes, including its header.
  package var dataSize: UInt64

  /// Position of the field `tagOffset`, counted from the start of the header.
  package static let tagOffsetPosition = 20
  /// Position of the audio chunk, counted from the start of the header.
  static let dataChunkPosition = 80

  /// Missing bytes count as 0.
  package init(in source: ByteSource, at start: Int) throws(FileReadError) {
    let header = try source.bytes(at: start, count: 92)
    fileSize = header.littleEndian(UInt64.self, at: 12) ?? 0
    tagOffset = header.littleEndian(UInt64.self, at: Self.tagOffsetPosition) ?? 0
    sampleRate = header.littleEndian(UInt32.self, at: 56) ?? 0
    sampleCount = header.littleEndian(UInt64.self, at: 64) ?? 0
    dataSize = header.littleEndian(UInt64.self, at: 84) ?? 0
  }
}
