package import Analysis
internal import CChromaprint

/// Owns a libchromaprint context. Only one session uses the context, so there is no lock.
package final class ChromaprintContext {
  private let context: OpaquePointer
  private let sampleRate: Int

  /// Algorithm numbers as used everywhere except in Chromaprint's header, which counts from 0. AcoustID supports only
  /// number 2.
  package static let algorithms = 1...5
  package static let standardAlgorithm = 2

  /// Version of the loaded library, such as "1.5.1".
  package static var libraryVersion: String {
    unsafe libchromaprint.chromaprint_get_version().map { unsafe String(cString: $0) } ?? ""
  }

  /// - Parameters:
  ///   - algorithm: One of `algorithms`.
  ///   - sampleRate: Sample rate of the mono signal, in Hz.
  package init(algorithm: Int = standardAlgorithm, sampleRate: Int) throws(AnalysisError) {
    guard let context = unsafe libchromaprint.chromaprint_new(Int32(clamping: algorithm - 1)) else {
      throw .failed("libchromaprint could not create a context (out of memory).")
    }
    unsafe self.context = context
    self.sampleRate = sampleRate
    try restart()
  }

  deinit { unsafe libchromaprint.chromaprint_free(context) }

  /// Starts a new stream, discarding earlier audio.
  package func restart() throws(AnalysisError) {
    guard unsafe libchromaprint.chromaprint_start(context, Int32(clamping: sampleRate), 1) == 1 else {
      throw .failed("libchromaprint does not accept \(sampleRate) Hz.")
    }
  }

  /// Number of samples that must be fed before the first word of a fingerprint is known.
  package var delay: Int { unsafe Int(libchromaprint.chromaprint_get_delay(context)) }
  /// `delay` in milliseconds, as rounded by libchromaprint.
  package var delayMilliseconds: Int { unsafe Int(libchromaprint.chromaprint_get_delay_ms(context)) }

  package func feed(_ samples: Span<Int16>) throws(AnalysisError) {
    let status = samples.withUnsafeBufferPointer {
      unsafe libchromaprint.chromaprint_feed(context, $0.baseAddress, Int32($0.count))
    }
    guard status == 1 else { throw .failed("libchromaprint rejected the audio.") }
  }

  /// Ends the stream and returns the fingerprint; `nil` if the stream was too short for a single word.
  package func finish() throws(AnalysisError) -> String? {
    try end()
    guard try wordCount > 0 else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe libchromaprint.chromaprint_get_fingerprint(context, &text) == 1, let text = unsafe text else {
      throw .failed("libchromaprint returned no fingerprint (out of memory).")
    }
    defer { unsafe libchromaprint.chromaprint_dealloc(text) }
    return unsafe String(cString: text)
  }

  /// Ends the stream and returns the words of its fingerprint; empty if there are none.
  package func finishWithWords() throws(AnalysisError) -> [UInt32] {
    try end()
    guard try wordCount > 0 else { return [] }
    var words: UnsafeMutablePointer<UInt32>?
    var count: Int32 = 0
    guard unsafe libchromaprint.chromaprint_get_raw_fingerprint(context, &words, &count) == 1, let words = unsafe words
    else {
      throw .failed("libchromaprint returned no fingerprint (out of memory).")
    }
    defer { unsafe libchromaprint.chromaprint_dealloc(words) }
    return unsafe Array(UnsafeBufferPointer(start: words, count: Int(count)))
  }

  /// Discards the words, but not the audio: the next fingerprint still depends on some of the previous audio.
  package func clear() throws(AnalysisError) {
    guard unsafe libchromaprint.chromaprint_clear_fingerprint(context) == 1 else {
      throw .failed("libchromaprint could not continue.")
    }
  }

  private func end() throws(AnalysisError) {
    guard unsafe libchromaprint.chromaprint_finish(context) == 1 else {
      throw .failed("libchromaprint could not finish.")
    }
  }

  private var wordCount: Int32 {
    get throws(AnalysisError) {
      var count: Int32 = 0
      guard unsafe libchromaprint.chromaprint_get_raw_fingerprint_size(context, &count) == 1 else {
        throw .failed("libchromaprint returned no fingerprint.")
      }
      return count
    }
  }
}
