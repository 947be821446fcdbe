internal import Analysis
internal import AudioDecoding
internal import Chromaprint
internal import Platform

/// The fingerprint of a whole input or of one chunk.
struct FingerprintRecord: Sendable {
  enum Value: Sendable {
    /// The fingerprint as compressed, URL-safe Base64.
    case text(String)
    case words([UInt32])

    var isEmpty: Bool {
      switch self {
      case .text(let text): text.isEmpty
      case .words(let words): words.isEmpty
      }
    }
  }

  var value: Value
  /// The duration of the chunk or the whole recording, in seconds.
  var duration: Double
  /// The start of a chunk, in seconds from the beginning or since 1970.
  var timestamp: Double
}

/// Computes the fingerprints of one input in the same way as Chromaprint's own program: a chunk ends only when there is
/// a sample after it.
struct FingerprintStream: ~Copyable {
  private let options: FpcalcOptions
  private let context: ChromaprintContext
  private let limit: Int
  private let chunkLimit: Int
  /// Number of additional samples in the current chunk: the samples of the overlap in the first chunk, 0 in later ones.
  private var extra: Int
  /// Overlap of chunks in seconds.
  private let overlap: Double

  private var count = 0
  private var chunkCount = 0
  private var isFirst = true
  private var timestamp: Double

  init(_ options: FpcalcOptions) throws(AnalysisError) {
    self.options = options
    let rate = AcoustIDConverter.outputRate
    context = try ChromaprintContext(algorithm: options.algorithm, sampleRate: rate)
    limit = options.length > 0 ? Int(options.length * Double(rate)) : .max
    chunkLimit = Int(options.chunk * Double(rate))
    let overlaps = options.overlaps && chunkLimit > 0
    extra = overlaps ? context.delay : 0
    overlap = overlaps ? Double(context.delayMilliseconds) / 1_000 : 0
    timestamp = options.usesClock ? Self.clock : 0
  }

  private static var clock: Double { Double(Timestamp.now.nanoseconds) / 1e9 }

  var wantsMore: Bool { count < limit }

  /// Adds samples up to the limit, and calls `body` with the fingerprint of each chunk that ends.
  mutating func push(_ samples: Span<Int16>, _ body: (FingerprintRecord) throws -> Void) throws {
    var start = 0
    let end = min(samples.count, limit - count)
    while start < end {
      var step = end - start
      if chunkLimit > 0 {
        if chunkCount == chunkLimit + extra { try endChunk(body) }
        step = min(step, chunkLimit + extra - chunkCount)
      }
      try context.feed(samples.extracting(start..<start + step))
      start += step
      chunkCount += step
      count += step
    }
  }

  private mutating func endChunk(_ body: (FingerprintRecord) throws -> Void) throws {
    let duration = chunkDuration
    if let value = try value() { try body(FingerprintRecord(value: value, duration: duration, timestamp: timestamp)) }
    timestamp = options.usesClock ? Self.clock : timestamp + duration
    if options.overlaps {
      try context.clear()
      timestamp -= overlap
    } else {
      try context.restart()
    }
    isFirst = false
    extra = 0
    chunkCount = 0
  }

  private var chunkDuration: Double {
    Double(chunkCount - extra) / Double(AcoustIDConverter.outputRate) + overlap
  }

  /// Returns the fingerprint of the last chunk, or of the whole input; `nil` if the audio is too short.
  /// - Parameter duration: The duration of the whole recording, in seconds.
  mutating func finish(duration: Double) throws -> FingerprintRecord? {
    guard chunkCount > 0, let value = try value() else { return nil }
    return FingerprintRecord(
      value: value, duration: chunkLimit > 0 ? chunkDuration : duration, timestamp: timestamp)
  }

  private func value() throws -> FingerprintRecord.Value? {
    guard options.isRaw else { return try context.finish().map { .text($0) } }
    let words = try context.finishWithWords()
    return words.isEmpty ? nil : .words(words)
  }
}
