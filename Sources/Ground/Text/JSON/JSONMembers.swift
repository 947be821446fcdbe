/// Methods that write a member of an object in one call. `nil` becomes `null`.
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

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    beginObject()
    try body(&self)
    endObject()
  }
}
