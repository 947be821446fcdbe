public import DSP
internal import Platform
public import SystemPackage
public import Text

/// The analyzers to run, with their settings, as written in a file such as those in `pipelines/`.
///
/// ```yaml
/// description: Tempo of loops, and a classifier of our own
/// resampler: soxr
/// analyzers:
///   tags:
///   tempo:
///     max_bpm: 200
/// exec:
///   mood:
///     command: [python3, mood.py]
///     input: pcm
/// ```
///
/// Reading a definition checks its structure; `plan(with:)` checks that the analyzers exist and accept their settings.
public struct PipelineDefinition: Hashable, Sendable {
  /// An analyzer with the settings that were given.
  public struct Entry: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      case builtIn
      /// An external program; see `ExecAnalyzer`.
      case exec
    }

    public var id: String
    public var kind: Kind
    public var settings: [String: JSONValue]

    public init(id: String, kind: Kind = .builtIn, settings: [String: JSONValue] = [:]) {
      self.id = id
      self.kind = kind
      self.settings = settings
    }
  }

  /// The extent of decoding: the values of the key `decode`.
  public enum Decoding: String, Hashable, Sendable, CaseIterable {
    /// The whole file is decoded, even if no analyzer needs it, in order to find damage and false durations.
    case whole
    /// The file is decoded only as far as analyzers need it.
    case needed
    /// Like `whole`, but even known audio is decoded, and all decoded audio is compared with the checksum that the
    /// encoder wrote to the header.
    case verified
  }

  /// The name shown to users and stored in the records of runs.
  public var name: String
  /// A one-line description.
  public var summary: String
  public var resampler: ResamplerKind
  public var decoding: Decoding
  /// The analyzers, in the order of the text.
  public var entries: [Entry]
  /// The name of the file, for error messages.
  public var source: String
  /// The positions of the keys. A key is identified by the names from the top level, joined with dots.
  var positions: [String: TextPosition] = [:]

  public init(
    name: String, summary: String = "", resampler: ResamplerKind = .soxr, decoding: Decoding = .whole,
    entries: [Entry]
  ) {
    self.name = name
    self.summary = summary
    self.resampler = resampler
    self.decoding = decoding
    self.entries = entries
    source = name
  }

  public init(at path: FilePath) throws(DefinitionError) {
    try self.init(yaml: Self.bytes(of: path), of: path)
  }

  static func bytes(of path: FilePath) throws(DefinitionError) -> [UInt8] {
    do {
      return try SmallFile.definition(at: path)
    } catch {
      throw DefinitionError(source: path.string, problem: "cannot be read: \(error)")
    }
  }

  /// - Parameter path: The path of the file that contains the bytes.
  init(yaml bytes: [UInt8], of path: FilePath) throws(DefinitionError) {
    try self.init(yaml: bytes, name: path.stem ?? path.string, source: path.string)
  }

  /// - Parameters:
  ///   - name: The name that is used if the text does not contain one.
  ///   - source: The name of the text in error messages.
  public init(yaml bytes: [UInt8], name: String, source: String) throws(DefinitionError) {
    var reader = DefinitionReader(source: source)
    let top = try reader.mapping(YAMLText(bytes, source: source).root, at: "")
    let keys = ["name", "description", "resampler", "decode", "analyzers", "exec"]
    self.init(name: name, entries: [])
    self.source = source
    for entry in top {
      switch entry.key {
      case "name": self.name = try reader.text(entry.value, at: entry.key)
      case "description": summary = try reader.text(entry.value, at: entry.key)
      case "resampler": resampler = try reader.choice(ResamplerKind.self, entry.value, at: entry.key)
      case "decode": decoding = try reader.choice(Decoding.self, entry.value, at: entry.key)
      case "analyzers": entries += try reader.entries(entry.value, at: entry.key, kind: .builtIn)
      case "exec": entries += try reader.entries(entry.value, at: entry.key, kind: .exec)
      default: throw reader.unknownKey(entry.key, under: "", known: keys)
      }
    }
    positions = reader.positions
    guard !entries.isEmpty else {
      throw error("analyzers", "there is nothing to do: name at least one analyzer under analyzers or exec")
    }
    var ids: Set<String> = []
    for entry in entries where !ids.insert(entry.id).inserted {
      throw error("exec.\(entry.id)", "another analyzer has this id; choose a different one")
    }
  }

  /// The definition, without its summary, as one line of JSON. It is also valid YAML, so it can be read as a
  /// definition.
  public var text: String {
    func mapping(_ kind: Entry.Kind) -> String {
      let members = entries.filter { $0.kind == kind }.map { entry in
        "\(JSONValue.string(entry.id).canonicalText): \(JSONValue.object(entry.settings).canonicalText)"
      }
      return "{\(members.joined(separator: ", "))}"
    }
    let json = """
      {"name": \(JSONValue.string(name).canonicalText), "resampler": "\(resampler.rawValue)", \
      "decode": "\(decoding.rawValue)", \
      "analyzers": \(mapping(.builtIn)), "exec": \(mapping(.exec))}
      """
    // JSON allows these characters in strings, but YAML rejects them or treats them as line ends, so they are escaped.
    return json.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.value {
      case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  func error(_ key: String, _ problem: String) -> DefinitionError {
    // If the key itself has no position, the position of the nearest enclosing key is used.
    var place = key[...]
    while positions[String(place)] == nil, let dot = place.lastIndex(of: ".") { place = place[..<dot] }
    return DefinitionError(source: source, position: positions[String(place)], key: key, problem: problem)
  }
}

/// Reads a definition from its parsed text, and records the positions of keys.
private struct DefinitionReader {
  let source: String
  var positions: [String: TextPosition] = [:]

  mutating func mapping(_ node: YAMLText.Node?, at key: String) throws(DefinitionError) -> [YAMLText.Node.Entry] {
    guard let node else { return [] }
    guard case .mapping(let entries) = node.content else {
      if case .scalar(.null) = node.content { return [] }
      throw error(key, "expects a mapping, not \(node.kind)", at: node.position)
    }
    for entry in entries { positions[Self.join(key, entry.key)] = entry.position }
    return entries
  }

  func text(_ node: YAMLText.Node, at key: String) throws(DefinitionError) -> String {
    guard case .scalar(let value) = node.content, value != .null, let text = node.text else {
      throw error(key, "expects text, not \(node.kind)", at: node.position)
    }
    return text
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ type: Choice.Type, _ node: YAMLText.Node, at key: String
  ) throws(DefinitionError) -> Choice {
    let word = try text(node, at: key)
    if let choice = Choice(rawValue: word) { return choice }
    let hint = Suggestion.hint(for: word, in: Choice.allCases.map(\.rawValue))
    throw error(key, "'\(word)' is not valid; \(hint)", at: node.position)
  }

  mutating func entries(
    _ node: YAMLText.Node, at key: String, kind: PipelineDefinition.Entry.Kind
  ) throws(DefinitionError) -> [PipelineDefinition.Entry] {
    var result: [PipelineDefinition.Entry] = []
    for entry in try mapping(node, at: key) {
      let place = Self.join(key, entry.key)
      guard Self.isID(entry.key) else {
        throw error(
          place, "an id must be a lower-case word of letters, digits and underscores, such as my_analyzer",
          at: entry.position)
      }
      var settings: [String: JSONValue] = [:]
      for setting in try mapping(entry.value, at: place) {
        settings[setting.key] = setting.value.json
        remember(setting.value, at: Self.join(place, setting.key))
      }
      result.append(PipelineDefinition.Entry(id: entry.key, kind: kind, settings: settings))
    }
    return result
  }

  func unknownKey(_ key: String, under place: String, known: [String]) -> DefinitionError {
    let whole = Self.join(place, key)
    return error(whole, "unknown key; \(Suggestion.hint(for: key, in: known))", at: positions[whole])
  }

  func error(_ key: String, _ problem: String, at position: TextPosition?) -> DefinitionError {
    DefinitionError(source: source, position: position, key: key, problem: problem)
  }

  private mutating func remember(_ node: YAMLText.Node, at key: String) {
    guard case .mapping(let entries) = node.content else { return }
    for entry in entries {
      let place = Self.join(key, entry.key)
      positions[place] = entry.position
      remember(entry.value, at: place)
    }
  }

  private static func join(_ place: String, _ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

  private static func isID(_ text: String) -> Bool {
    guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return text.utf8.count <= 64
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "_")
      }
  }
}
