internal import Analysis

extension TagRegions {
  /// The tags at the start of a file.
  static func leading(in file: InputFile) throws(DecodeError) -> Leading {
    try leading(fileSize: file.size) { (offset, count) throws(DecodeError) in
      try file.bytes(at: offset, count: count).values
    }
  }

  /// The offset where the tags at the end of the file begin.
  ///
  /// - Parameter start: Where the audio begins.
  static func startOfTrailingTags(in file: InputFile, behind start: Int64) throws(DecodeError) -> Int64 {
    let regions = try trailing(behind: start, fileSize: file.size) { (offset, count) throws(DecodeError) in
      try file.bytes(at: offset, count: count).values
    }
    return regions.last?.bytes.lowerBound ?? file.size
  }
}
