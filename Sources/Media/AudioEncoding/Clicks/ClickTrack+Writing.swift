extension ClickTrack {
  /// Writes the clicks, without other audio, to a mono file.
  ///
  /// - Parameters:
  ///   - frames: The range of frames to write.
  ///   - writer: A writer with the same sample rate. This method finishes it.
  ///   - progress: Called with the number of seconds written so far.
  ///   - isCancelled: Called repeatedly. Once it returns `true`, writing stops and no file is created.
  /// - Returns: `nil` if writing was cancelled.
  public func write(
    _ frames: Range<Int64>, to writer: AudioFileWriter, progress: (Double) -> Void = { _ in },
    isCancelled: () -> Bool = { false }
  ) throws(AudioWriteError) -> AudioFileWriter.Summary? {
    precondition(writer.layout.sampleRate == sampleRate && writer.layout.channelCount == 1, "layouts agree")
    let capacity = 1 << 16
    var block = [Float](repeating: 0, count: capacity)
    var position = frames.lowerBound
    while position < frames.upperBound {
      if isCancelled() { return nil }
      let count = Int(min(Int64(capacity), frames.upperBound - position))
      for index in 0..<count { block[index] = 0 }
      mix(into: &block, stride: capacity, channelCount: 1, frameCount: count, from: position)
      try writer.write(planar: block, stride: capacity, frames: 0..<count)
      position += Int64(count)
      progress(Double(position - frames.lowerBound) / Double(sampleRate))
    }
    return try writer.finish()
  }
}
