import SystemPackage

/// One door through which bytes of strangers come in. A trap, a sanitizer's report, a hang or a broken promise is a
/// finding; errors that the interface declares are not.
protocol FuzzTarget {
  /// Name on the command line, and of the folders of corpus and findings.
  static var name: String { get }
  /// Inputs to start from that no file of another program can be; see `Fuzzing/make-seeds` for those.
  static func seeds() throws -> [[UInt8]]

  init() throws
  mutating func run(_ bytes: [UInt8]) throws
}

extension FuzzTarget {
  static func seeds() -> [[UInt8]] { [] }
}

/// Takes an input apart into the choices that a target makes. What is not there any more reads as zero.
struct InputReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Little-endian.
  mutating func number<Value: FixedWidthInteger>(_ type: Value.Type) -> Value {
    var value: Value = 0
    for shift in stride(from: 0, to: Value.bitWidth, by: 8) { value |= Value(truncatingIfNeeded: byte()) << shift }
    return value
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func remaining() -> [UInt8] { bytes(rest.count) }
}

extension [UInt8] {
  /// The bytes that `InputReader` reads as `value`.
  mutating func append(_ value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}

/// A promise of an interface: breaking it is a finding.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
  if !condition { fatalError("promise broken: \(promise())") }
}
