/// One line of a `.nocturneignore` file, in the syntax of gitignore(5).
///
/// - A pattern without a slash matches a name at any depth; a pattern with a slash (other than at its end) is relative
///   to the folder of the ignore file. A pattern with a slash at its end matches only folders. A pattern that begins
///   with `!` includes entries that earlier patterns exclude.
/// - `*` matches any number of characters and `?` one character, but neither matches a slash; `[a-z]` and `[!a-z]`
///   match one character of a set; `**` between slashes matches any number of folders; `\` makes the next character
///   literal.
/// - Names are bytes: invalid UTF-8 is matched byte by byte. Matching is case-sensitive.
struct IgnorePattern: Hashable {
  enum Segment: Hashable {
    case anyFolders
    case name([Token])
  }

  enum Token: Hashable {
    case literal(Character)
    case anyCharacter
    case anyRun
    case set([ClosedRange<Character>], isNegated: Bool)
  }

  /// A Unicode scalar, or a byte that is not part of one. Such bytes sort after all scalars.
  struct Character: Hashable, Comparable, ExpressibleByUnicodeScalarLiteral {
    var value: UInt32

    init(unicodeScalarLiteral scalar: Unicode.Scalar) { value = scalar.value }
    init(invalidByte: UInt8) { value = 0x11_0000 + UInt32(invalidByte) }

    static func < (first: Self, second: Self) -> Bool { first.value < second.value }
  }

  var segments: [Segment]
  var isNegated: Bool
  var foldersOnly: Bool

  /// Returns `nil` for comments and for lines without a pattern.
  init?(line: ArraySlice<UInt8>) {
    var text = line
    if text.last == UInt8(ascii: "\r") { text.removeLast() }
    while let last = text.last, last == UInt8(ascii: " "), text.dropLast().last != UInt8(ascii: "\\") {
      text.removeLast()
    }
    guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
    isNegated = first == UInt8(ascii: "!")
    if isNegated { text.removeFirst() }
    foldersOnly = text.last == UInt8(ascii: "/")
    if foldersOnly { text.removeLast() }
    let isAnchored = text.contains(UInt8(ascii: "/"))
    segments = text.split(separator: UInt8(ascii: "/")).map { part in
      part.elementsEqual("**".utf8) ? .anyFolders : .name(Self.tokens(of: part))
    }
    guard !segments.isEmpty else { return nil }
    if !isAnchored { segments.insert(.anyFolders, at: 0) }
  }

  /// - Parameter path: A path relative to the folder of the ignore file.
  func matches(_ path: ArraySlice<UInt8>, isFolder: Bool) -> Bool {
    guard isFolder || !foldersOnly else { return false }
    let names = path.split(separator: UInt8(ascii: "/"))
    var name = 0
    var segment = 0
    // The position from which to continue after a mismatch, where `**` matches one more folder.
    var retry: (name: Int, segment: Int)?
    while name < names.count {
      if segment < segments.count {
        switch segments[segment] {
        case .anyFolders:
          // At the end of a pattern, `**` matches everything inside a folder, but not the folder itself.
          if segment == segments.count - 1 { return true }
          retry = (name, segment)
          segment += 1
          continue
        case .name(let tokens):
          if Self.match(tokens, names[name]) {
            name += 1
            segment += 1
            continue
          }
        }
      }
      guard let last = retry else { return false }
      name = last.name + 1
      retry = (name, last.segment)
      segment = last.segment + 1
    }
    return segment == segments.count
  }

  private static func match(_ tokens: [Token], _ name: ArraySlice<UInt8>) -> Bool {
    var rest = name
    var token = 0
    var retry: (rest: ArraySlice<UInt8>, token: Int)?
    while !rest.isEmpty {
      if token < tokens.count {
        if case .anyRun = tokens[token] {
          retry = (rest, token)
          token += 1
          continue
        }
        var next = rest
        if accepts(tokens[token], takeCharacter(&next)) {
          rest = next
          token += 1
          continue
        }
      }
      guard let last = retry else { return false }
      rest = last.rest
      _ = takeCharacter(&rest)
      retry = (rest, last.token)
      token = last.token + 1
    }
    return tokens[token...].allSatisfy { $0 == .anyRun }
  }

  private static func accepts(_ token: Token, _ character: Character) -> Bool {
    switch token {
    case .literal(let literal): literal == character
    case .anyCharacter: true
    case .anyRun: false
    case .set(let ranges, let isNegated): ranges.contains { $0.contains(character) } != isNegated
    }
  }

  private static func tokens(of pattern: ArraySlice<UInt8>) -> [Token] {
    var tokens: [Token] = []
    var rest = pattern
    while !rest.isEmpty {
      let character = takeCharacter(&rest)
      switch character {
      case "*":
        if tokens.last != .anyRun { tokens.append(.anyRun) }
      case "?":
        tokens.append(.anyCharacter)
      case "\\" where !rest.isEmpty:
        tokens.append(.literal(takeCharacter(&rest)))
      case "[":
        var inside = rest
        if let set = takeSet(&inside) {
          tokens.append(set)
          rest = inside
        } else {
          tokens.append(.literal(character))
        }
      default:
        tokens.append(.literal(character))
      }
    }
    return tokens
  }

  /// Removes and returns the set after a `[`. Returns `nil` if there is no `]`, in which case the bracket is literal.
  private static func takeSet(_ rest: inout ArraySlice<UInt8>) -> Token? {
    var ranges: [ClosedRange<Character>] = []
    let isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
    if isNegated { rest.removeFirst() }
    var isFirst = true
    while !rest.isEmpty {
      var low = takeCharacter(&rest)
      if low == "]", !isFirst { return .set(ranges, isNegated: isNegated) }
      isFirst = false
      if low == "\\", !rest.isEmpty { low = takeCharacter(&rest) }
      var high = low
      if rest.first == UInt8(ascii: "-"), rest.count > 1, rest[rest.startIndex + 1] != UInt8(ascii: "]") {
        rest.removeFirst()
        high = takeCharacter(&rest)
        if high == "\\", !rest.isEmpty { high = takeCharacter(&rest) }
      }
      if low <= high { ranges.append(low...high) }
    }
    return nil
  }

  /// Removes and returns one UTF-8 character, or one byte if the UTF-8 is invalid.
  private static func takeCharacter(_ bytes: inout ArraySlice<UInt8>) -> Character {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    if case .scalarValue(let scalar) = decoder.decode(&iterator) {
      bytes.removeFirst(UTF8.width(scalar))
      return Character(unicodeScalarLiteral: scalar)
    }
    return Character(invalidByte: bytes.removeFirst())
  }
}
