internal import Text
internal import Yams

/// A parsed YAML text: a tree of values with their positions.
///
/// Plain scalars follow the core schema of YAML 1.2 (so `no` and `on` are text, and `0o17` is a number). Tags and merge
/// keys have no special meaning. An alias is a copy of its anchor's value.
struct YAMLText {
  struct Node {
    indirect enum Content {
      case scalar(JSONValue)
      case list([Node])
      case mapping([Entry])
    }

    struct Entry {
      var key: String
      var position: TextPosition?
      var value: Node
    }

    var content: Content
    var position: TextPosition?
    /// The text of a scalar as written, without quotes.
    var text: String?

    /// The kind of the value, for error messages.
    var kind: String {
      switch content {
      case .scalar(.null): "nothing"
      case .scalar(.bool): "true or false"
      case .scalar(.integer), .scalar(.number): "a number"
      case .scalar: "text"
      case .list: "a list"
      case .mapping: "a mapping"
      }
    }

    var json: JSONValue {
      switch content {
      case .scalar(let value): value
      case .list(let nodes): .array(nodes.map(\.json))
      case .mapping(let entries):
        .object(Dictionary(entries.map { ($0.key, $0.value.json) }) { first, _ in first })
      }
    }
  }

  /// Maximum size in bytes. People do not write larger files.
  private static let sizeLimit = 1 << 18
  private static let nodeLimit = 20_000
  /// Maximum number of aliases. Nested copies multiply, but this many aliases expand to at most 3^11 values. If aliases
  /// are keys, Yams compares the expanded values before they can be counted.
  private static let aliasLimit = 32

  let source: String
  /// The root of the tree; `nil` for an empty text.
  private(set) var root: Node?
  private var nodeCount = 0

  init(_ bytes: [UInt8], source: String) throws(DefinitionError) {
    self.source = source
    guard bytes.count <= Self.sizeLimit else {
      throw DefinitionError(source: source, problem: "is longer than \(Self.sizeLimit >> 10) KiB")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw DefinitionError(source: source, problem: "is not UTF-8 text")
    }
    guard Self.aliasCount(bytes) <= Self.aliasLimit else {
      throw DefinitionError(source: source, problem: "has more than \(Self.aliasLimit) aliases (*name)")
    }
    do {
      // With `.basic`, Yams does not resolve plain scalars with regular expressions according to YAML 1.1.
      root = try Yams.compose(yaml: text, .basic, .default, .utf8).map { try node($0) }
    } catch {
      throw Self.error(error, in: source)
    }
  }

  /// Counts everything that looks like an alias, even in quotes and comments. Returns 0 if nothing looks like an
  /// anchor.
  private static func aliasCount(_ bytes: [UInt8]) -> Int {
    func count(_ mark: UInt8) -> Int {
      var before = UInt8(ascii: "\n")
      var count = 0
      for (byte, next) in zip(bytes, bytes.dropFirst()) {
        if byte == mark, !isNamePart(before), isNamePart(next) { count += 1 }
        before = byte
      }
      return count
    }
    return count(UInt8(ascii: "&")) == 0 ? 0 : count(UInt8(ascii: "*"))
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte > 0x20 && !",[]{}:?&*!|>'\"%@`-".utf8.contains(byte)
  }

  private mutating func node(_ node: Yams.Node, depth: Int = 0) throws(DefinitionError) -> Node {
    let position = Self.position(node.mark)
    nodeCount += 1
    guard nodeCount <= Self.nodeLimit, depth < 50 else {
      throw DefinitionError(source: source, position: position, problem: "is too long or too deep")
    }
    switch node {
    case .scalar(let scalar):
      let value = scalar.style == .plain ? Self.value(ofPlain: scalar.string) : .string(scalar.string)
      return Node(content: .scalar(value), position: position, text: scalar.string)
    case .sequence(let sequence):
      var nodes: [Node] = []
      for element in sequence { nodes.append(try self.node(element, depth: depth + 1)) }
      return Node(content: .list(nodes), position: position)
    case .mapping(let mapping):
      var entries: [Node.Entry] = []
      for (key, value) in mapping {
        guard case .scalar(let name) = key else {
          throw DefinitionError(source: source, position: Self.position(key.mark), problem: "keys must be words")
        }
        entries.append(
          Node.Entry(key: name.string, position: Self.position(key.mark), value: try self.node(value, depth: depth + 1))
        )
      }
      return Node(content: .mapping(entries), position: position)
    case .alias:
      throw DefinitionError(source: source, position: position, problem: "anchors are not supported")
    }
  }

  /// Resolves a plain scalar according to YAML 1.2.2, section 10.3.2.
  static func value(ofPlain text: String) -> JSONValue {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: break
    }
    let digits = text.utf8.first == UInt8(ascii: "+") ? String(text.dropFirst()) : text
    if text.hasPrefix("0x"), let value = Int64(text.dropFirst(2), radix: 16) { return .integer(value) }
    if text.hasPrefix("0o"), let value = Int64(text.dropFirst(2), radix: 8) { return .integer(value) }
    if let value = Int64(digits) { return .integer(value) }
    // Swift's own syntax allows more, such as hexadecimal fractions, `nan` and `infinity`.
    if digits.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }), digits.contains(where: \.isNumber),
      let value = Double(Self.withDigits(digits)), value.isFinite
    {
      return .number(value)
    }
    return .string(text)
  }

  /// Converts `.5` and `5.` to Swift's notation.
  private static func withDigits(_ text: String) -> String {
    if text.hasPrefix(".") { return "0" + text }
    if text.hasPrefix("-.") { return "-0" + text.dropFirst() }
    return text.hasSuffix(".") ? text + "0" : text
  }

  private static func position(_ mark: Yams.Mark?) -> TextPosition? {
    mark.map { TextPosition(line: $0.line, column: $0.column) }
  }

  private static func error(_ error: any Error, in source: String) -> DefinitionError {
    switch error {
    case let error as DefinitionError:
      return error
    case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
      YamlError.composer(_, let problem, let mark, _):
      return DefinitionError(source: source, position: position(mark), problem: "is not YAML: \(problem)")
    case YamlError.duplicatedKeysInMapping(let duplicates, let context):
      let keys = duplicates.sorted().joined(separator: ", ")
      return DefinitionError(source: source, position: position(context.mark), key: keys, problem: "appears twice")
    case YamlError.reader(let problem, _, _, _):
      return DefinitionError(source: source, problem: "is not YAML: \(problem)")
    default:
      return DefinitionError(source: source, problem: "cannot be parsed as YAML")
    }
  }
}
