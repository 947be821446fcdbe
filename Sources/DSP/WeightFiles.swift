/// Numbers in half precision (IEEE 754 binary16, little-endian), as the training scripts write the weights of networks.
public func floats(ofHalves bytes: UnsafeRawBufferPointer) -> [Float] {
  (0..<bytes.count / 2).map { index in
    let bits = unsafe bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
    return Float(Float16(bitPattern: UInt16(littleEndian: bits)))
  }
}

/// Numbers with names, as the scripts that fit them write them: for each name a line with the name and its numbers, tabs
/// between them. Lines that begin with # tell where the numbers come from.
public struct NumberTable: Sendable {
  /// In the order of the lines.
  public private(set) var names: [String] = []
  private var rows: [String: [Double]] = [:]

  /// - Parameter text: part of the program; what cannot be read is a mistake of who built it.
  public init(_ text: UnsafeRawBufferPointer) {
    // Bytes and not characters, which take ten times as long to tell apart.
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
    precondition(rows.count == names.count, "a name stands twice")
  }

  /// The numbers of a name.
  public subscript(name: String) -> [Double]? { rows[name] }

  /// The one number of a name.
  public func number(_ name: String) -> Double {
    guard let row = rows[name], row.count == 1 else { preconditionFailure("\(name) is not one number") }
    return row[0]
  }
}
