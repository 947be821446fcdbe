/// Reads CSV (RFC 4180).
package enum CSVReader {
  /// The cells of one row, given without its line break.
  package static func cells(_ line: [UInt8]) -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = 0
    let quote = UInt8(ascii: "\"")
    while index < line.count {
      let byte = line[index]
      index += 1
      if isQuoted {
        if byte != quote {
          field.append(byte)
        } else if index < line.count, line[index] == quote {
          field.append(quote)
          index += 1
        } else {
          isQuoted = false
        }
      } else if byte == quote {
        isQuoted = true
      } else if byte == UInt8(ascii: ",") {
        fields.append(String(decoding: field, as: UTF8.self))
        field.removeAll(keepingCapacity: true)
      } else {
        field.append(byte)
      }
    }
    return fields + [String(decoding: field, as: UTF8.self)]
  }
}
