internal import Foundation

/// The part of a file that is requested by the header `Range` (RFC 9110, section 14).
package enum ByteRange: Equatable {
  /// The whole file. The request has no range, or one that a server may ignore, such as several ranges or other units.
  case whole
  case part(Range<Int64>)
  /// The requested range is empty, or starts beyond the end of the file.
  case unsatisfiable

  package init(_ header: String?, size: Int64) {
    self = .whole
    guard let header else { return }
    let parts = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces).lowercased() == "bytes" else { return }
    let ranges = parts[1].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard ranges.count == 1 else { return }
    let ends = ranges[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return }
    switch (first, last) {
    case (let first?, let last?):
      guard first <= last else { return }
      self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
    case (let first?, nil):
      self = first < size ? .part(first..<size) : .unsatisfiable
    case (nil, let count?):
      self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
    case (nil, nil):
      return
    }
  }

  /// Parses one end of a range. The inner `nil` means an empty text, the outer `nil` an invalid one. Numbers that are
  /// too large are clamped.
  private static func number(_ text: Substring) -> Int64?? {
    guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return .some(text.isEmpty ? nil : Int64(text) ?? .max)
  }
}
