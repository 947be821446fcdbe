public import Analysis
internal import DSP
internal import SystemPackage
internal import Text

/// The rules that every analyzer must follow, no matter what it finds. Each check returns the breaches as sentences.
///
/// - Results do not depend on how the audio is split, or on anything that follows once the session wants no more
///   values.
/// - Results are the same every time.
/// - Silence, very short audio and very loud audio result in a finding or "not applicable", but never in a failure.
/// - Findings contain no NaN or infinity, and survive a round trip through JSON.
/// - Every key of the settings is encoded, in snake_case. Wrong keys, types and values are rejected, and the error
///   names the key.
public enum AnalyzerContract {
  // MARK: - Names

  public static func breachesOfNaming(_ kind: AnalyzerKind) -> [String] {
    var breaches: [String] = []
    if !isSnakeCase(kind.id) { breaches.append("The id “\(kind.id)” is not snake_case.") }
    if kind.version < 1 { breaches.append("The version \(kind.version) is not positive.") }
    if kind.summary.isEmpty || kind.summary.count > 100 || kind.summary.contains(where: \.isNewline) {
      breaches.append("The summary is not one line of at most 100 characters.")
    }
    return breaches
  }

  // MARK: - Declarations

  /// Returns the breaches in the declaration of the analyzer's finding; none if it has no declaration.
  public static func breachesOfDeclaration(_ kind: AnalyzerKind) -> [String] {
    guard let type = kind.findingType as? any DeclaredFinding.Type else { return [] }
    return breachesOfDeclaration(type, of: kind)
  }

  private static func breachesOfDeclaration<Finding: DeclaredFinding>(
    _ type: Finding.Type, of kind: AnalyzerKind
  ) -> [String] {
    let declaration = Finding.declaration
    var breaches: [String] = []
    if declaration.analyzer != kind.id {
      breaches.append("The declaration is of the analyzer “\(declaration.analyzer)”.")
    }
    let fields = declaration.fields
    for name in [declaration.name, declaration.table] + fields.map(\.name) where !isSnakeCase(name) {
      breaches.append("“\(name)” is not snake_case.")
    }
    for field in fields where !field.summary.hasSuffix(".") && !field.summary.hasSuffix("…") {
      breaches.append("What the declaration says of “\(field.name)” is not a sentence.")
    }
    let names = fields.compactMap { $0.report == nil ? nil : $0.name }
    if Set(names).count < names.count { breaches.append("Two fields of reports have one name.") }
    return breaches
  }

  static func isSnakeCase(_ name: String) -> Bool {
    name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil
  }

  // MARK: - Settings

  public static func breachesOfSettings(_ kind: AnalyzerKind) throws -> [String] {
    var breaches = breachesOfEncoding(kind.analyzerType)
    let defaults = try kind.defaultSettings()
    let plugin = try kind.make(resampler: "soxr")
    if try kind.make(defaults, resampler: "soxr").identity != plugin.identity {
      breaches.append("The defaults written out give another identity than no settings.")
    }
    if plugin.configuration != .object(defaults) { breaches.append("The plugin's configuration is not the default.") }

    breaches += breach(kind, ["no_such_key_zz": 1], named: "no_such_key_zz", "an unknown key")
    for (key, value) in defaults.sorted(by: { $0.key < $1.key }) {
      if !isSnakeCase(key) { breaches.append("The key “\(key)” is not snake_case.") }
      let mistyped = "\(key)x"
      if defaults[mistyped] == nil {
        breaches += breach(kind, [mistyped: value], named: mistyped, "a mistyped key", mentioning: key)
      }
      if let wrong = value.ofAnotherType {
        breaches += breach(kind, [key: wrong], named: key, "a value of another type")
      }
      if case .string = value {
        breaches += breach(kind, [key: "no such word"], named: key, "a word that means nothing")
      }
      breaches += try breachesOfNumbers(kind, key, value, plugin)
    }
    return breaches
  }

  /// Checks that every property has a key, and that the defaults survive encoding and decoding.
  private static func breachesOfEncoding<A: Analyzer>(_ type: A.Type) -> [String] {
    var breaches: [String] = []
    let defaults = A.Configuration()
    do {
      let settings = try defaults.settings()
      let properties = Mirror(reflecting: defaults).children.count
      if settings.count != properties {
        breaches.append("The configuration has \(properties) properties, of which \(settings.count) are encoded.")
      }
      if try A.Configuration(merging: settings) != defaults {
        breaches.append("The default configuration does not survive being written and read.")
      }
    } catch {
      breaches.append("The default configuration cannot be written and read: \(error)")
    }
    return breaches
  }

  private static func breach(
    _ kind: AnalyzerKind, _ settings: [String: JSONValue], named key: String, _ what: String,
    mentioning word: String = ""
  ) -> [String] {
    do {
      _ = try kind.make(settings, resampler: "soxr")
      return ["\(what) (\(settings)) is accepted."]
    } catch {
      let isNamed = error.key == key || error.key.hasPrefix("\(key).")
      return isNamed && "\(error)".contains(word) ? [] : ["\(what) (\(settings)) is refused with “\(error)”."]
    }
  }

  /// Checks that any number is either rejected with an error that names the key, or works and results in a different
  /// identity.
  private static func breachesOfNumbers(
    _ kind: AnalyzerKind, _ key: String, _ standard: JSONValue, _ plugin: AnalyzerPlugin
  ) throws -> [String] {
    guard standard.isNumber else { return [] }
    let wild: [JSONValue] = [
      -1_000_000_000, -1, 0, 1, 2, 3, 0.000_000_001, 0.5, 1_000_000_000, .integer(.max), .integer(.min), .number(1e300),
    ]
    var breaches: [String] = []
    for value in wild where value.canonicalText != standard.canonicalText {
      let altered: AnalyzerPlugin
      do {
        altered = try kind.make([key: value], resampler: "soxr")
      } catch {
        if error.key != key { breaches.append("\(key): \(value.canonicalText) is refused with “\(error)”.") }
        continue
      }
      if altered.identity == plugin.identity {
        breaches.append("\(key): \(value.canonicalText) is accepted and has the default's identity.")
      }
      if case .failed(let reason) = outcome(of: altered, for: .chords(sampleRate: altered.rate, seconds: 1)).result {
        breaches.append("\(key): \(value.canonicalText) is accepted and then the analysis fails: \(reason)")
      }
    }
    return breaches
  }

  // MARK: - Findings

  /// A signal that every analyzer must handle, created at the requested rate.
  public struct Challenge: Sendable, CustomStringConvertible {
    public let name: String
    let make: @Sendable (_ sampleRate: Int) -> Signal

    init(_ name: String, _ make: @escaping @Sendable (_ sampleRate: Int) -> Signal) {
      self.name = name
      self.make = make
    }

    public var description: String { name }
  }

  public static let challenges =
    [
      Challenge("silence") { .silence(sampleRate: $0, seconds: 4) },
      Challenge("direct current") { Signal(sampleRate: $0, seconds: 3) { _ in 1 } },
      Challenge("sine") { .sine(440, sampleRate: $0, seconds: 4) },
      Challenge("chirp") { .chirp(from: 40, to: 4_000, sampleRate: $0, seconds: 4) },
      Challenge("noise") { .noise(sampleRate: $0, seconds: 4) },
      Challenge("clicks") { .clickTrack(bpm: 120, sampleRate: $0, seconds: 12) },
      Challenge("chords") { .chords(sampleRate: $0, seconds: 12) },
      Challenge("faint chords") { .chords(sampleRate: $0, seconds: 4).scaled(by: 1e-7) },
      Challenge("chords at +36 dB") { .chords(sampleRate: $0, seconds: 4).scaled(by: 64) },
      Challenge("one impulse") { Signal(sampleRate: $0, seconds: 3) { $0 == 0 ? 1 : 0 } },
    ]
    + [0, 1, 2, 10, 100, 1_000, 5_000, 20_000].map { count in
      Challenge("\(count) frames") { .noise(sampleRate: $0, seconds: 4).prefix(count) }
    }

  /// - Parameter others: The analyzers whose findings the analyzer may read. It must also work without them.
  public static func breachesOfFindings(
    _ kind: AnalyzerKind, _ challenge: Challenge, beside others: [AnalyzerKind] = []
  ) throws -> [String] {
    let plugin = try kind.make(resampler: "soxr")
    guard plugin.feed != .file else { return [] }
    let signal = challenge.make(plugin.rate)
    var earlier: [String: any AnalysisFinding] = [:]
    for other in try others.map({ try $0.make(resampler: "soxr") }).selecting(Set(plugin.reads)) {
      let read = EarlierFindings(other.reads.compactMap { earlier[$0] })
      earlier[other.id] = outcome(of: other, after: read, for: challenge.make(other.rate)).finding
    }
    let found = EarlierFindings(plugin.reads.compactMap { earlier[$0] })
    return breachesOfFindings(plugin, after: found, for: signal)
      + (earlier.isEmpty ? [] : breachesOfFindings(plugin, after: EarlierFindings(), for: signal))
  }

  private static func breachesOfFindings(
    _ plugin: AnalyzerPlugin, after earlier: EarlierFindings, for signal: Signal
  ) -> [String] {
    func outcome(cut: [Int] = [.max], feedsOn: Bool = false) -> AnalyzerOutcome {
      Self.outcome(of: plugin, after: earlier, for: signal, cut: cut, feedsOn: feedsOn)
    }
    let whole = outcome()
    var breaches: [String] = []
    switch whole.result {
    case .failed(let reason): breaches.append("It fails: \(reason)")
    case .notApplicable(let reason): if reason.isEmpty { breaches.append("It is not applicable without a reason.") }
    case .finding(let finding): breaches += breachesOfJSON(finding)
    }

    let expected = whole.text
    if outcome().text != expected { breaches.append("A second run gives another result.") }
    var cuts: [[Int]] = []
    // Columns of a spectrum arrive one by one anyway.
    if case .samples = plugin.feed { cuts = [[16_384], [441, 10_007, 16_384, 1], [4_096]] }
    if signal.frameCount <= 5_000 { cuts.append([1]) }
    for cut in cuts {
      let text = outcome(cut: cut).text
      if text != expected {
        breaches.append("Cut into \(cut) frames the result is \(text), and whole it is \(expected).")
      }
    }
    if outcome(cut: [4_096], feedsOn: true).text != expected {
      breaches.append("The result depends on values that came when it wanted no more.")
    }
    return breaches
  }

  private static func breachesOfJSON<F: AnalysisFinding>(_ finding: F) -> [String] {
    do {
      let json = try JSONValue(encoding: finding)
      guard case .object(let object) = json else { return ["The finding is no JSON object."] }
      var breaches = object.keys.sorted().filter { !isSnakeCase($0) }.map {
        "The finding's key “\($0)” is not snake_case."
      }
      if try json.decoded(as: F.self) != finding { breaches.append("The finding does not survive JSON: \(finding)") }
      return breaches
    } catch {
      return ["The finding cannot be written as JSON (NaN? infinity?) or read again: \(error)"]
    }
  }

  /// Tests an analyzer that reads files itself. The paths lead to ordinary audio, to nothing, to a folder, to an empty
  /// file, and to files that are not audio.
  public static func breachesOfFiles(_ kind: AnalyzerKind) throws -> [String] {
    let plugin = try kind.make(resampler: "soxr")
    guard plugin.feed == .file else { return [] }
    let directory = try TemporaryDirectory()
    let plain = try directory.write(.chords(seconds: 1), as: "plain.wav")
    var random = SplitMix64(seed: 5)
    let junk: [UInt8] = (0..<10_000).map { _ in .random(in: 0...255, using: &random) }
    for (name, bytes) in [("empty.mp3", []), ("junk.flac", junk), ("id3.mp3", Array("ID3".utf8) + junk)] {
      try directory.write(bytes, as: name)
    }
    var breaches: [String] = []
    let format = AudioFormat(container: "wav", codec: "pcm_s16", sampleRate: 44_100, channelCount: 1, isLossless: true)
    for name in ["missing.mp3", "empty.mp3", "junk.flac", "id3.mp3", "plain.wav", "."] {
      let path = name == "." ? directory.path : directory.file(name)
      let file = AudioFile(path: path, format: path == plain ? format : nil)
      let first = plugin.outcome(for: file) { _ throws(AnalysisError) in }
      switch first.result {
      case .finding(let finding): breaches += breachesOfJSON(finding)
      case .failed(let reason):
        if path == plain { breaches.append("It fails for a plain file: \(reason)") }
        if reason.isEmpty { breaches.append("It fails for \(name) without giving a reason.") }
      case .notApplicable: break
      }
      if plugin.outcome(for: file, feed: { _ throws(AnalysisError) in }).text != first.text {
        breaches.append("A second run for \(name) gives another result.")
      }
    }
    return breaches
  }

  // MARK: - Running a session

  /// Runs one session over a signal at the feed's rate, split into pieces whose lengths cycle through `lengths`.
  ///
  /// - Parameter feedsOn: `true` to continue even if the session wants no more values.
  private static func outcome(
    of plugin: AnalyzerPlugin, after earlier: EarlierFindings = EarlierFindings(), for signal: Signal,
    cut lengths: [Int] = [.max], feedsOn: Bool = false
  ) -> AnalyzerOutcome {
    let format = AudioFormat(
      container: "wav", codec: "pcm_float", sampleRate: signal.sampleRate, channelCount: signal.channelCount,
      isLossless: true)
    return plugin.outcome(for: AudioFile(path: "/signal.wav", format: format), after: earlier) {
      (session) throws(AnalysisError) in
      switch plugin.feed {
      case .file: break
      case .samples(let layout):
        let samples =
          if layout.conversion == .acoustID {
            signal.mono.map { max(-32_768, min(32_767, ($0 * 32_768).rounded())) }
          } else {
            signal.mono
          }
        var start = 0
        var turn = 0
        while start < samples.count, feedsOn || session.wantsMore {
          let count = min(lengths[turn % lengths.count], samples.count - start)
          try session.consume(samples.span.extracting(start..<start + count), at: Int64(start))
          start += count
          turn += 1
        }
      case .spectrum(let layout):
        var stft = STFT(windowLength: layout.windowLength, hop: layout.hop)
        let hand = { (column: Span<Float>, index: Int64) throws(AnalysisError) in
          if feedsOn || session.wantsMore { try session.consume(column, at: index) }
        }
        try stft.push(signal.mono.span, each: hand)
        try stft.finish(each: hand)
      }
    }
  }
}

extension AnalyzerPlugin {
  /// The sample rate of the feed in Hz; 44,100 if the feed has the file's own rate.
  fileprivate var rate: Int {
    switch feed {
    case .spectrum(let layout): layout.sampleRate
    case .samples(let layout): if case .hertz(let rate) = layout.rate { rate } else { 44_100 }
    case .file: 44_100
    }
  }

  fileprivate func outcome(
    for file: AudioFile, after earlier: EarlierFindings = EarlierFindings(),
    feed: (inout any AnalysisSession) throws(AnalysisError) -> Void
  ) -> AnalyzerOutcome {
    do throws(AnalysisError) {
      var session = try makeSession(for: file)
      try feed(&session)
      return AnalyzerOutcome(analyzer: identity, result: .finding(try session.finish(after: earlier)))
    } catch {
      switch error {
      case .notApplicable(let reason): return AnalyzerOutcome(analyzer: identity, result: .notApplicable(reason))
      case .failed(let reason): return AnalyzerOutcome(analyzer: identity, result: .failed(reason))
      }
    }
  }
}

extension AnalyzerOutcome {
  /// A text that is the same for equal outcomes.
  fileprivate var text: String { (try? JSONValue(encoding: self).canonicalText) ?? "\(result)" }
}

extension JSONValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .number: true
    default: false
    }
  }

  /// A value of another type; `nil` for null, which could stand for any type.
  fileprivate var ofAnotherType: JSONValue? {
    switch self {
    case .null: nil
    case .bool, .integer, .number, .array, .object: "word"
    case .string: 7
    }
  }
}
