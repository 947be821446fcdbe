internal import Analysis
internal import CChromaprint

/// Owns one context of libchromaprint. Only one session uses it, so nothing is locked.
final class ChromaprintContext {
  private let context: OpaquePointer

  /// - Parameter sampleRate: Samples per second of the mono signal to come.
  init(sampleRate: Int) throws(AnalysisError) {
    // The header counts algorithms from 0: what is called algorithm 2 everywhere else is its TEST2.
    guard let context = unsafe chromaprint_new(Int32(CHROMAPRINT_ALGORITHM_TEST2.rawValue)) else {
      throw .failed("libchromaprint gives no context (out of memory).")
    }
    unsafe self.context = context
    guard unsafe chromaprint_start(context, Int32(sampleRate), 1) == 1 else {
      throw .failed("libchromaprint does not take \(sampleRate) Hz.")
    }
  }

  deinit { unsafe chromaprint_free(context) }

  func feed(_ samples: Span<Int16>) throws(AnalysisError) {
    let status = samples.withUnsafeBufferPointer { unsafe chromaprint_feed(context, $0.baseAddress, Int32($0.count)) }
    guard status == 1 else { throw .failed("libchromaprint refused audio.") }
  }

  /// Ends the stream. `nil` if it was too short for a single word.
  func finish() throws(AnalysisError) -> String? {
    guard unsafe chromaprint_finish(context) == 1 else { throw .failed("libchromaprint could not finish.") }
    var wordCount: Int32 = 0
    guard unsafe chromaprint_get_raw_fingerprint_size(context, &wordCount) == 1 else {
      throw .failed("libchromaprint gives no fingerprint.")
    }
    guard wordCount > 0 else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe chromaprint_get_fingerprint(context, &text) == 1, let text = unsafe text else {
      throw .failed("libchromaprint gives no fingerprint (out of memory).")
    }
    defer { unsafe chromaprint_dealloc(text) }
    return unsafe String(cString: text)
  }
}
