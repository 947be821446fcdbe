internal import Analysis
internal import AudioDecoding
internal import Chromaprint
internal import Foundation
internal import Platform
internal import ResultStore
internal import SystemPackage

/// The outcome for a file.
enum FileVerdict: UInt8, Sendable {
  case fine
  /// There is too little audio for a fingerprint.
  case tooShort
  /// The audio is damaged, but there is a fingerprint of it.
  case damaged
  /// The file could not be read.
  case failed
}

/// Produces the output of `fpcalc` for one input after another. It runs in a worker process, because decoders may
/// crash.
struct FileFingerprint {
  private let options: FpcalcOptions
  private let text: FpcalcText
  private let known: KnownFingerprints?

  /// - Parameter database: Returns the database of known files; `nil` if there is none.
  init(_ options: FpcalcOptions, database: () -> FilePath?) {
    self.options = options
    text = FpcalcText(options: options)
    known =
      options.mayBeKnown
      ? database().flatMap { KnownFingerprints(path: $0, version: ChromaprintAnalyzer.version) } : nil
  }

  /// - Parameters:
  ///   - print: Called with output as soon as it is available.
  ///   - complain: Called with a sentence that says what is wrong with the file.
  func make(_ input: FpcalcOptions.Input, print: (String) -> Void, complain: (String) -> Void) -> FileVerdict {
    if case .file(let path) = input, let record = record(of: path) {
      print(text.text(of: record, isFirst: true))
      return .fine
    }
    do {
      return try decode(input, print, complain)
    } catch {
      complain((error as? DecodeError)?.message ?? "\(error)")
      return .failed
    }
  }

  // MARK: Known files

  private func record(of path: FilePath) -> FingerprintRecord? {
    guard let known, let found = known.fingerprint(at: path), found.finding.algorithm == "chromaprint-2" else {
      return nil
    }
    // The fingerprint of a recording shorter than the requested length covers all of it, apart from rounding by the
    // resampler.
    let covered = found.finding.duration
    let coversAll = covered >= found.audioDuration - 0.25 && covered <= options.length
    guard covered == options.length || coversAll || (options.length == 0 && covered >= found.audioDuration - 0.25)
    else { return nil }
    let value: FingerprintRecord.Value
    if options.isRaw {
      guard let fingerprint = Fingerprint(found.finding.value) else { return nil }
      value = .words(fingerprint.items)
    } else {
      value = .text(found.finding.value)
    }
    let isMPEG = found.codec.hasPrefix("mp")
    let duration =
      (isMPEG ? AudioSource.demuxerDuration(of: path, sampleRate: found.sampleRate) : nil) ?? found.duration
    return FingerprintRecord(value: value, duration: duration.truncatedToMilliseconds, timestamp: 0)
  }

  // MARK: Other files

  private func decode(
    _ input: FpcalcOptions.Input, _ print: (String) -> Void, _ complain: (String) -> Void
  ) throws -> FileVerdict {
    var source = try Self.open(input, options)
    var stream = try FingerprintStream(options)
    var converter = AcoustIDConverter(format: source.format, encoding: source.encoding)
    var block = AudioBlock(channelCount: source.format.channelCount)
    var converted: [Float] = []
    var words: [Int16] = []
    var isFirst = true
    func hand(_ record: FingerprintRecord) {
      print(text.text(of: record, isFirst: isFirst))
      isFirst = false
    }
    while stream.wantsMore, source.read(into: &block) {
      let count = converter.push(block, into: &converted)
      if words.count < count { words = [Int16](repeating: 0, count: converted.count) }
      for i in 0..<count { words[i] = Int16(max(-32_768, min(32_767, converted[i]))) }
      try stream.push(words.span.extracting(first: count), hand)
    }
    source.stop()
    let duration = (source.demuxerDuration ?? source.format.likelyDuration ?? 0).truncatedToMilliseconds
    if let record = try stream.finish(duration: duration) { hand(record) }
    if isFirst {
      complain("Less than 2.8 s of audio is too short for a fingerprint.")
      print(text.emptyText(duration: duration))
      return .tooShort
    }
    guard let problem = source.summary.problem, problem.code != .truncated else { return .fine }
    complain(problem.message)
    return .damaged
  }

  private static func open(_ input: FpcalcOptions.Input, _ options: FpcalcOptions) throws -> AudioSource {
    let path: FilePath
    switch input {
    case .standardInput: path = "/proc/self/fd/0"
    case .file(let file): path = file
    }
    let isOpenAlready = ["/dev/fd", "/proc/self/fd"].contains(path.removingLastComponent()) || path == "/dev/stdin"
    if isOpenAlready, let identity = FileIdentity(path), !identity.isRegularFile {
      let descriptor = try FileDescriptor.open(path, .readOnly)
      return try AudioSource(AudioInput(.stream(descriptor), demuxer: options.demuxer, bare: options.bare))
    }
    guard options.demuxer != nil else { return try AudioSource(path: path) }
    return try AudioSource(AudioInput(.file(path), demuxer: options.demuxer, bare: options.bare))
  }
}

extension FpcalcOptions {
  /// `true` if a fingerprint stored by a run of `analyze` may be used.
  fileprivate var mayBeKnown: Bool {
    chunk == 0 && demuxer == nil && algorithm == ChromaprintContext.standardAlgorithm && !usesClock
  }
}

extension AudioFormat {
  /// The duration in seconds according to the header, which is the duration that other programs submit to AcoustID for
  /// the recording. If the header does not state it, it is the decoded or estimated duration.
  fileprivate var likelyDuration: Double? {
    guard let claimedFrameCount, claimedFrameCount > 0, sampleRate > 0 else { return duration }
    return Double(claimedFrameCount) / Double(sampleRate)
  }
}

extension Double {
  /// The value truncated to milliseconds, as in Chromaprint's program.
  fileprivate var truncatedToMilliseconds: Double { (self * 1_000).rounded(.down) / 1_000 }
}
