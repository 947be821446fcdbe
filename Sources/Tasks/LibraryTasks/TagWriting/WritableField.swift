internal import Analysis
internal import Foundation
internal import Records

/// The fields that `write-tags` can write.
package enum WritableField: String, CaseIterable, Sendable {
  case bpm, initialkey, replaygain
  case acoustIDFingerprint = "acoustid_fingerprint"

  /// A notation for musical keys.
  package enum KeyNotation: String, CaseIterable, Sendable {
    /// The ID3 notation: `Am`, `F#m`, `Db`.
    case musical
    /// Camelot notation: `8A`.
    case camelot
    /// Open Key notation: `1m`.
    case openKey = "open-key"
  }
}

/// A value for a tag, derived from a finding.
struct WritableValue {
  enum Meaning: Hashable {
    case number(Double)
    case key(MusicalKey)
    case text
  }

  /// Canonical name of the tag.
  var field: String
  var text: String
  var meaning: Meaning

  /// Returns the text for the item with the given key. For example, `tmpo` in MP4 contains integers.
  func text(for key: String) -> String {
    if key == "tmpo", case .number(let number) = meaning { return String(Int(number.rounded())) }
    return text
  }

  /// Returns `true` if an existing text has the same value. Numbers are compared with the precision of that text; keys
  /// may be in any notation.
  func matches(_ present: String) -> Bool {
    switch meaning {
    case .text: return present == text
    case .key(let key): return present == text || MusicalKey(present) == key
    case .number(let number):
      let digits = present.prefix { $0.isNumber && $0.isASCII || "+-.".contains($0) }
      guard let said = Double(digits.hasPrefix("+") ? digits.dropFirst() : digits) else { return false }
      let decimals = digits.firstIndex(of: ".").map { digits.distance(from: $0, to: digits.endIndex) - 1 } ?? 0
      return abs(said - number) <= 0.5 * pow(10, -Double(decimals)) + 1e-9
    }
  }

  /// Returns `true` if an existing text means that there is no value.
  func isEmptyValue(_ present: String) -> Bool {
    let text = present.trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty || field == "bpm" && Double(text) == 0
  }
}

extension WritableField {
  /// The reason a file has no value for a field.
  struct Missing: Error {
    /// The reason, in one sentence.
    var reason: String
  }

  /// Returns the values for a file.
  /// - Parameter isOpus: `true` to write gain as Opus defines it (RFC 7845, section 5.2.1): in 1/256 dB relative to -23
  ///   LUFS, without peak.
  func values(of record: FileRecord, _ notation: KeyNotation, isOpus: Bool) throws(Missing) -> [WritableValue] {
    switch self {
    case .bpm:
      guard let tempo = record.tempo else { throw Missing(reason: "The tempo was not analyzed.") }
      guard let bpm = tempo.bpm else { throw Missing(reason: "No tempo was found\(Self.why(tempo.reason)).") }
      return [number("bpm", bpm, decimals: 2)]
    case .initialkey:
      guard let finding = record.findings[KeyFinding.self] else {
        throw Missing(reason: "The key was not analyzed.")
      }
      guard let camelot = finding.camelot, let openKey = finding.openKey, let key = MusicalKey(camelot) else {
        throw Missing(reason: "No key was found\(Self.why(finding.reason)).")
      }
      let text =
        switch notation {
        case .musical: key.tonic + (key.mode == .minor ? "m" : "")
        case .camelot: camelot
        case .openKey: openKey
        }
      return [WritableValue(field: "initialkey", text: text, meaning: .key(key))]
    case .replaygain:
      guard let loudness = record.findings[LoudnessFinding.self] else {
        throw Missing(reason: "The loudness was not measured.")
      }
      guard let gain = loudness.trackGain else {
        throw Missing(reason: "There is no loudness\(Self.why(loudness.reason)).")
      }
      if isOpus {
        return [r128("r128_track_gain", gain)] + (loudness.albumGain.map { [r128("r128_album_gain", $0)] } ?? [])
      }
      var values = [number("replaygain_track_gain", gain, decimals: 2, unit: " dB")]
      if let peak = loudness.trackPeak { values.append(number("replaygain_track_peak", peak, decimals: 6)) }
      if let gain = loudness.albumGain {
        values.append(number("replaygain_album_gain", gain, decimals: 2, unit: " dB"))
      }
      if let peak = loudness.albumPeak { values.append(number("replaygain_album_peak", peak, decimals: 6)) }
      return values
    case .acoustIDFingerprint:
      guard let fingerprint = record.fingerprint else { throw Missing(reason: "There is no fingerprint.") }
      return [WritableValue(field: rawValue, text: fingerprint.value, meaning: .text)]
    }
  }

  private static func why(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }

  /// Formats a number. Gain and peak keep trailing zeros, as is customary; a tempo does not.
  private func number(_ field: String, _ value: Double, decimals: Int, unit: String = "") -> WritableValue {
    var text = String(format: "%.\(decimals)f", value)
    if self == .bpm {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return WritableValue(field: field, text: text + unit, meaning: .number(value))
  }

  /// Converts a gain from ReplayGain 2, which is relative to -18 LUFS, to R 128, which is relative to -23 LUFS.
  private func r128(_ field: String, _ gain: Double) -> WritableValue {
    let steps = Int16(clamping: Int(((gain - 5) * 256).rounded()))
    return WritableValue(field: field, text: String(steps), meaning: .number(Double(steps)))
  }
}
