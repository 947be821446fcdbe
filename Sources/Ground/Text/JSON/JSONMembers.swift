/// Writes members of objects in one call each. `nil` becomes `null`.
extension JSONWriter {
  package mutating func put(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  package mutating func put(_ name: String, _ value: (some BinaryInteger)?) {
    key(name)
    if let value { integer(value) } else { null() }
  }

  package mutating func put(_ name: String, _ value: Bool?) {
    key(name)
    if let value { bool(value) } else { null() }
  }

  package mutating func put(_ name: String, _ value: Double?, decimals: Int) {
    key(name)
    if let value, value.isFinite { number(value, decimals: decimals) } else { null() }
  }

  package mutating func putNull(_ name: String) {
    key(name)
    null()
  }

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    beginObject()
    try body(&self)
    endObject()
  }

  package mutating func putObject(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
    key(name)
    try object(body)
  }

  /// Writes an array of objects; `body` writes the members of each.
  package mutating func putList<Element>(
    _ name: String, _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) throws -> Void
  ) rethrows {
    key(name)
    beginArray()
    for element in elements { try object { try body(&$0, element) } }
    endArray()
  }

  package mutating func putNumbers(_ name: String, _ numbers: some Sequence<Double>, decimals: Int) {
    key(name)
    beginArray()
    for number in numbers where number.isFinite { self.number(number, decimals: decimals) }
    endArray()
  }
}
