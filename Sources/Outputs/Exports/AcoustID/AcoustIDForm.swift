internal import Platform

/// The fields of a request to AcoustID, on one line, as `application/x-www-form-urlencoded`.
///
/// The field names of a fingerprint end in its number: `fingerprint.0`. (AcoustID web service,
/// acoustid.org/webservice.)
struct AcoustIDForm: Hashable {
  /// A field of one fingerprint: its name without the number, and its encoded value.
  struct Field: Hashable {
    var name: String
    var value: String

    /// Size in bytes, including “&”, “.”, “=” and a number of up to six digits.
    fileprivate var size: Int { name.utf8.count + value.utf8.count + 9 }
  }

  /// Fields shared by all fingerprints.
  private let common: String
  private(set) var entries: [[Field]] = []
  /// Size of `text` in bytes, or slightly more.
  private(set) var size: Int

  /// - Parameter common: Fields shared by all fingerprints.
  init(common: [(String, String)]) {
    self.common = common.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
    size = self.common.utf8.count
  }

  /// Parses a form written by `text`.
  init(text: some StringProtocol) {
    var common: [Substring] = []
    var entries: [[Field]] = []
    for field in String(text).split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].split(separator: ".")
      guard parts.count == 2, name.count == 2, let number = Int(name[1]), number >= 0, number <= entries.count else {
        common.append(field)
        continue
      }
      if number == entries.count { entries.append([]) }
      entries[number].append(Field(name: String(name[0]), value: String(parts[1])))
    }
    self.common = common.joined(separator: "&")
    self.entries = entries
    size = String(text).utf8.count
  }

  private init(_ common: String, _ entries: [[Field]]) {
    self.common = common
    self.entries = entries
    size = 0
    size = text.utf8.count
  }

  mutating func append(_ fields: [Field]) {
    entries.append(fields)
    size += Self.size(of: fields)
  }

  /// Returns the maximum size of a fingerprint with these fields, in bytes.
  static func size(of fields: [Field]) -> Int { fields.reduce(0) { $0 + $1.size } }

  static func fields(_ values: [(String, String)]) -> [Field] {
    values.map { Field(name: $0, value: encoded($1)) }
  }

  var text: String {
    var fields = [common]
    for (number, entry) in entries.enumerated() {
      fields += entry.map { "\($0.name).\(number)=\($0.value)" }
    }
    return fields.joined(separator: "&")
  }

  /// Two forms that contain half of the fingerprints each; `nil` if there is only one fingerprint.
  var halves: (AcoustIDForm, AcoustIDForm)? {
    guard entries.count > 1 else { return nil }
    let middle = (entries.count + 1) / 2
    return (AcoustIDForm(common, Array(entries[..<middle])), AcoustIDForm(common, Array(entries[middle...])))
  }

  /// Encodes spaces as “+”. All other characters except unreserved ones are percent-encoded.
  static func encoded(_ value: String) -> String {
    PercentEncoding.encoded(value.utf8).replacing("%20", with: "+")
  }
}
