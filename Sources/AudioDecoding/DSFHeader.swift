internal import Analysis

/// The header of a DSF file (Sony, DSF file format specification 1.01).
struct DSFHeader {
  /// Eight samples of one bit are decoded to one frame.
  var claimedFrameCount: Int64?
  /// The lengths cannot be meant.
  var isAbsurd: Bool
  let masks: [ByteMask]

  init(in file: InputFile, at start: Int64) throws(DecodeError) {
    let header = try file.bytes(at: start, count: 92)
    let fileSize = header.littleEndian(UInt64.self, at: 12) ?? 0
    let rate = header.littleEndian(UInt32.self, at: 56) ?? 0
    let samples = header.littleEndian(UInt64.self, at: 64) ?? 0
    let dataSize = header.littleEndian(UInt64.self, at: 84) ?? 0
    // Petabytes, and years.
    let isTooLong = samples / UInt64(max(rate, 1)) > UInt64(StreamLimits.seconds)
    isAbsurd = isTooLong || fileSize >> 50 != 0 || dataSize >> 50 != 0
    claimedFrameCount = isTooLong || samples == 0 ? nil : Int64(samples / 8)
    // The offset of an ID3v2 tag.
    masks = [ByteMask(at: start + 20, [UInt8](repeating: 0, count: 8))]
  }
}
