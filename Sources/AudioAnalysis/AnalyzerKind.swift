internal import FoundationEssentials

/// An analyzer that can be put into a pipeline: what a list of analyzers consists of.
///
///     let kinds = [AnalyzerKind(TempoAnalyzer.self), AnalyzerKind(ChromaprintAnalyzer.self)]
///     let plugin = try kinds[1].make(["length_s": 30], resampler: "soxr")
public struct AnalyzerKind: Sendable {
  public let id: String
  public let version: Int
  /// One line for people.
  public let summary: String
  /// Every key of the configuration with its default.
  public let defaultConfiguration: [String: JSONValue]
  /// What the sessions of this analyzer find.
  public let findingType: any AnalysisFinding.Type
  private let configure: @Sendable ([String: JSONValue], String) throws(ConfigurationError) -> AnalyzerPlugin

  public init<A: Analyzer>(_ type: A.Type) {
    guard let defaults = try? JSONValue(encoding: A.Configuration()), case .object(let keys) = defaults else {
      preconditionFailure("The default configuration of the analyzer \(A.id) cannot be written as a JSON object.")
    }
    id = A.id
    version = A.version
    summary = A.summary
    defaultConfiguration = keys
    findingType = A.Session.Finding.self
    configure = { (settings, resampler) throws(ConfigurationError) in
      let configuration: A.Configuration = try Self.decode(.object(settings))
      let analyzer = try A(configuration)
      return AnalyzerPlugin(
        id: A.id, version: A.version, feed: analyzer.feed, configuration: .object(settings),
        shapingFinding: .object(settings), resampler: resampler
      ) { (track) throws(AnalysisError) in try analyzer.makeSession(for: track) }
    }
  }

  /// An analyzer with the given settings; a key that is not given keeps its default.
  ///
  /// - Parameter resampler: Name of the pipeline's resampler.
  /// - Throws: `ConfigurationError` for a key that does not exist (naming the nearest one that does), a value of the
  ///   wrong type, or whatever the analyzer refuses. Nested keys are joined by dots.
  public func make(
    _ settings: [String: JSONValue] = [:], resampler: String
  ) throws(ConfigurationError) -> AnalyzerPlugin {
    try configure(Self.merge(settings, over: defaultConfiguration, under: ""), resampler)
  }

  private static func merge(
    _ settings: [String: JSONValue], over defaults: [String: JSONValue], under prefix: String
  ) throws(ConfigurationError) -> [String: JSONValue] {
    var merged = defaults
    for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
      guard let standard = defaults[key] else { throw unknownKey(prefix + key, key, among: defaults.keys.sorted()) }
      if case .object(let inner) = standard, !inner.isEmpty, case .object(let given) = value {
        merged[key] = .object(try merge(given, over: inner, under: "\(prefix)\(key)."))
      } else if let expected = standard.kind, expected != value.kind {
        throw ConfigurationError(key: prefix + key, problem: "expects \(expected), not \(value.kind ?? "null")")
      } else {
        merged[key] = value
      }
    }
    return merged
  }

  private static func unknownKey(_ path: String, _ key: String, among known: [String]) -> ConfigurationError {
    guard !known.isEmpty else { return ConfigurationError(key: path, problem: "unknown key; there are no settings here") }
    if let nearest = Spelling.nearest(to: key, among: known) {
      return ConfigurationError(key: path, problem: "unknown key; did you mean \(nearest)?")
    }
    return ConfigurationError(key: path, problem: "unknown key; the keys are \(known.joined(separator: ", "))")
  }

  private static func decode<C: AnalyzerConfiguration>(_ settings: JSONValue) throws(ConfigurationError) -> C {
    do {
      return try JSONDecoder().decode(C.self, from: JSONEncoder().encode(settings))
    } catch let error as DecodingError {
      throw ConfigurationError(error)
    } catch {
      throw ConfigurationError(key: "", problem: "\(error)")
    }
  }
}

extension ConfigurationError {
  /// Says in the terms of a definition what a decoder did not like.
  fileprivate init(_ error: DecodingError) {
    let context: DecodingError.Context
    let problem: String
    switch error {
    case .typeMismatch(let type, let found):
      (context, problem) = (found, "expects \(Self.name(of: type))")
    case .valueNotFound(let type, let found):
      (context, problem) = (found, "expects \(Self.name(of: type)), not null")
    case .keyNotFound(let key, let found):
      (context, problem) = (found, "lacks the key \(key.stringValue)")
    case .dataCorrupted(let found):
      // The decoder's own words for a fraction where a whole number belongs, or an unknown word of an enumeration.
      (context, problem) = (found, found.debugDescription)
    @unknown default:
      self.init(key: "", problem: "\(error)")
      return
    }
    self.init(key: context.codingPath.map(\.stringValue).joined(separator: "."), problem: problem)
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any Collection.Type: "a list"
    default: "\(type)"
    }
  }
}
