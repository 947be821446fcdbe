internal import Foundation

/// Formats fingerprints as `fpcalc` prints them.
struct FpcalcText {
  let options: FpcalcOptions

  /// - Parameter isFirst: `true` if the record is the first of its file.
  func text(of record: FingerprintRecord, isFirst: Bool) -> String {
    let value = text(of: record.value)
    let duration = String(format: "%.2f", record.duration)
    switch options.output {
    case .plain:
      return value + "\n"
    case .json:
      let timestamp = options.chunk > 0 ? "\"timestamp\": \(String(format: "%.2f", record.timestamp)), " : ""
      let fingerprint = options.isRaw ? "[\(value)]" : "\"\(value)\""
      return "{\(timestamp)\"duration\": \(duration), \"fingerprint\": \(fingerprint)}\n"
    case .text:
      let gap = isFirst ? "" : "\n"
      let timestamp = options.usesClock ? "TIMESTAMP=\(String(format: "%.2f", record.timestamp))\n" : ""
      // pyacoustid reports an error if the line is missing, but would look up an empty value.
      let fingerprint = record.value.isEmpty ? "" : "FINGERPRINT=\(value)\n"
      return "\(gap)\(timestamp)DURATION=\(Int(record.duration))\n\(fingerprint)"
    }
  }

  /// Returns the output for a file without a fingerprint, which keeps the output of the other files in position.
  func emptyText(duration: Double) -> String {
    text(
      of: FingerprintRecord(value: options.isRaw ? .words([]) : .text(""), duration: duration, timestamp: 0),
      isFirst: true)
  }

  private func text(of value: FingerprintRecord.Value) -> String {
    switch value {
    case .text(let text): text
    case .words(let words) where options.isSigned: words.map { String(Int32(bitPattern: $0)) }.joined(separator: ",")
    case .words(let words): words.map { String($0) }.joined(separator: ",")
    }
  }
}
