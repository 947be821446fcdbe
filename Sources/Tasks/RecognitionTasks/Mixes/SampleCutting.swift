internal import Analysis
internal import AudioDecoding
internal import AudioEncoding
internal import Foundation
internal import Platform
internal import SystemPackage

/// Splits a recording by decoding it and encoding the pieces as FLAC.
struct SampleCutting {
  private let writing: PieceWriting

  init(_ writing: PieceWriting) {
    self.writing = writing
  }

  /// Returns the FLAC sample depth that represents the audio exactly; `nil` if there is none.
  static func depth(of audio: borrowing AudioSource) -> SampleDepth? {
    let format = audio.format
    // DSD is not PCM, so decoding it is a conversion.
    guard format.isLossless, !["dsd", "dst"].contains(format.codec),
      AudioFileFormat.flac.channelCounts.contains(format.channelCount), format.sampleRate <= maxSampleRate
    else { return nil }
    switch audio.encoding.sampleType {
    case .uint8, .int16: return .int16
    case .int32: return format.bitDepth.map { $0 <= 24 } ?? false ? .int24 : nil
    case .float, .double: return nil
    }
  }

  /// Maximum sample rate that libFLAC supports, in Hz.
  private static let maxSampleRate = 655_350

  func write(_ files: [MixSplit.File], into outcome: inout MixSplit.Outcome) throws(MixSplitError) {
    var audio: AudioSource
    do throws(DecodeError) {
      audio = try AudioSource(path: writing.source)
    } catch {
      throw .cannotRead(writing.source, reason: error.message)
    }
    let rate = Double(audio.format.sampleRate)
    let layout = AudioFileLayout(
      format: .flac, sampleRate: audio.format.sampleRate, channelCount: audio.format.channelCount,
      depth: Self.depth(of: audio) ?? .int24)
    var block = AudioBlock(channelCount: audio.format.channelCount)
    /// Number of frames written so far.
    var position = 0
    var rest = files[...]
    var current: (file: MixSplit.File, writer: AudioFileWriter, end: Int)?
    while audio.read(into: &block) {
      guard writing.shouldContinue(Double(position) / rate) else { throw .cancelled }
      var from = 0
      while from < block.frameCount {
        if current == nil, var file = rest.popFirst() {
          file.piece.start = Double(position) / rate
          let end = rest.isEmpty ? Int.max : max(position + 1, Int((file.piece.end * rate).rounded()))
          current = (file, try writer(for: file, layout), end)
        }
        guard let (file, writer, end) = current else { break }
        let count = min(block.frameCount - from, end - position)
        try wrapped(file) { () throws(AudioWriteError) in
          try writer.write(planar: block.samples, stride: AudioBlock.capacity, frames: from..<from + count)
        }
        from += count
        position += count
        if position == end {
          try complete(file, writer, at: Double(position) / rate, into: &outcome)
          current = nil
        }
      }
    }
    if let (file, writer, _) = current {
      try complete(file, writer, at: Double(position) / rate, into: &outcome)
    }
    outcome.damage = audio.summary.problem?.message
  }

  /// Creates a hidden file in the folder of a piece for the audio of the piece, without tags.
  private func writer(for file: MixSplit.File, _ layout: AudioFileLayout) throws(MixSplitError) -> AudioFileWriter {
    // The file is named like those of `FileReplacement`, so that it is cleaned up if this process is killed.
    let path = file.path.removingLastComponent().appending(".nocturne-\(UUID().uuidString).partial.flac")
    return try wrapped(file) { () throws(AudioWriteError) in try AudioFileWriter(path, layout) }
  }

  /// Copies the audio of a piece to its final file and adds the tags, which libsndfile does not fully support.
  private func complete(
    _ file: MixSplit.File, _ writer: AudioFileWriter, at end: Double, into outcome: inout MixSplit.Outcome
  ) throws(MixSplitError) {
    _ = try wrapped(file) { () throws(AudioWriteError) in try writer.finish() }
    defer { writer.path.removeAll() }
    var packets: PacketSource
    do throws(DecodeError) {
      packets = try PacketSource(path: writer.path)
    } catch {
      throw .cannotWrite(file.path, reason: error.message)
    }
    let output = try writing.begin(file, with: packets, isContinuation: false)
    while packets.next() != nil { try output.write(packets) }
    try output.finish()
    var file = file
    file.piece.end = end
    outcome.files.append(file)
  }

  private func wrapped<Result>(
    _ file: MixSplit.File, _ body: () throws(AudioWriteError) -> Result
  ) throws(MixSplitError) -> Result {
    do throws(AudioWriteError) {
      return try body()
    } catch {
      if case .cannotWrite(_, let reason) = error { throw .cannotWrite(file.path, reason: reason) }
      throw .cannotWrite(file.path, reason: "\(error)")
    }
  }
}
