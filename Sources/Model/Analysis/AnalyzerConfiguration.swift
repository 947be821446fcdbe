internal import FoundationEssentials
public import Text

/// The settings of an analyzer. `init()` creates the default settings. Every key must be encoded, even if its value is
/// `nil`. Coding keys are in snake_case, with the unit at the end; YAML definitions are checked against exactly these
/// keys.
public protocol AnalyzerConfiguration: Codable, Hashable, Sendable {
  init()
}

/// The configuration of an analyzer that has no settings.
public struct NoConfiguration: AnalyzerConfiguration {
  public init() {}
}

extension AnalyzerConfiguration {
  /// Returns every key with its value.
  ///
  /// - Throws: `ConfigurationError` if the settings are not encoded as a mapping, or if a value cannot be represented
  ///   in JSON (NaN, infinity).
  public func settings() throws(ConfigurationError) -> [String: JSONValue] {
    do {
      guard case .object(let settings) = try JSONValue(encoding: self) else {
        throw ConfigurationError(key: "", problem: "\(Self.self) is not encoded as a mapping")
      }
      return settings
    } catch let error as ConfigurationError {
      throw error
    } catch {
      throw ConfigurationError(key: "", problem: "\(Self.self) cannot be written as JSON: \(error)")
    }
  }

  /// Creates the default configuration, overridden by the given settings.
  ///
  /// - Throws: `ConfigurationError` for an unknown key (naming the most similar known one) or an invalid value. The
  ///   error joins nested keys with dots.
  public init(merging settings: [String: JSONValue]) throws(ConfigurationError) {
    let defaults = try Self().settings()
    let merged = try merge(settings, over: defaults, under: "")
    do {
      self = try JSONValue.object(merged).decoded(as: Self.self)
    } catch let error as DecodingError {
      // Not every decoding error names its key, so each key is tried alone to find the one that fails.
      let culprit = settings.sorted { $0.key < $1.key }.first { key, _ in
        var single = defaults
        single[key] = merged[key]
        return (try? JSONValue.object(single).decoded(as: Self.self)) == nil
      }
      throw ConfigurationError(error, key: culprit?.key ?? "", value: culprit?.value ?? .null)
    } catch {
      throw ConfigurationError(key: "", problem: "\(error)")
    }
  }
}

private func merge(
  _ settings: [String: JSONValue], over defaults: [String: JSONValue], under prefix: String
) throws(ConfigurationError) -> [String: JSONValue] {
  var merged = defaults
  for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
    guard let standard = defaults[key] else {
      throw ConfigurationError(unknownKey: key, under: prefix, known: defaults.keys.sorted())
    }
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

extension ConfigurationError {
  /// Creates an error for an unknown key.
  ///
  /// - Parameters:
  ///   - prefix: The path to the key with a trailing dot, or an empty string.
  ///   - known: The valid keys at that path.
  public init(unknownKey key: String, under prefix: String = "", known: [String]) {
    self.init(key: prefix + key, problem: "unknown key; \(Suggestion.hint(for: key, in: known))")
  }

  /// Describes a decoding error by the key and the value that is expected there.
  fileprivate init(_ error: DecodingError, key: String, value: JSONValue) {
    let context: DecodingError.Context
    let problem: String
    switch error {
    case .typeMismatch(let type, let found): (context, problem) = (found, "expects \(Self.name(of: type))")
    case .valueNotFound(let type, let found): (context, problem) = (found, "expects \(Self.name(of: type)), not null")
    case .keyNotFound(let key, let found): (context, problem) = (found, "lacks the key \(key.stringValue)")
    case .dataCorrupted(let found):
      context = found
      problem =
        switch value {
        case .number(let number): "expects a whole number, not \(number)"
        case .integer(let number): "\(number) is out of range"
        default: found.debugDescription
        }
    @unknown default: (context, problem) = (DecodingError.Context(codingPath: [], debugDescription: ""), "\(error)")
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    self.init(key: path.isEmpty ? key : path, problem: problem)
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

/// A setting with a few named choices: an enumeration of strings. Errors list the choices.
public protocol ConfigurationChoice: Codable, CaseIterable, Hashable, Sendable, RawRepresentable<String> {}

extension ConfigurationChoice {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let word = try container.decode(String.self)
    guard let choice = Self(rawValue: word) else {
      let choices = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "must be one of \(choices), not \(word)")
    }
    self = choice
  }
}
