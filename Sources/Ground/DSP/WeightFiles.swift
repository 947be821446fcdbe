/// Reads half-precision numbers (IEEE 754 binary16, little-endian), the format in which training scripts write network
/// weights.
public func floats(ofHalves bytes: UnsafeRawBufferPointer) -> [Float] {
  (0..<bytes.count / 2).map { index in
    let bits = unsafe bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
    return Float(Float16(bitPattern: UInt16(littleEndian: bits)))
  }
}

/// A table of named numbers, as fitting scripts write it: one line per name, with the name and its numbers separated by
/// tabs. Lines that start with # document the origin of the numbers.
public struct NumberTable: Sendable {
  public private(set) var names: [String] = []
  private var rows: [String: [Double]] = [:]

  /// - Parameter text: Text that is embedded in the program, so a syntax error is a mistake in the build.
  public init(_ text: UnsafeRawBufferPointer) {
    // Bytes are compared, because comparing characters takes ten times as long.
    for line in String(decoding: text, as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n")) {
      guard line.first != UInt8(ascii: "#") else { continue }
      let fields = line.split(separator: UInt8(ascii: "\t")).map(Substring.init)
      let name = String(fields[0])
      rows[name] = fields.dropFirst().map { field in
        guard let number = Double(field) else { preconditionFailure("\(name): \(field) is not a number") }
        return number
      }
      names.append(name)
    }
    precondition(rows.count == names.count, "a name appears twice")
  }

  public subscript(name: String) -> [Double]? { rows[name] }

  /// Returns the number of a name that has exactly one.
  public func number(_ name: String) -> Double {
    guard let row = rows[name], row.count == 1 else { preconditionFailure("\(name) is not one number") }
    return row[0]
  }
}
