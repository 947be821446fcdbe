import Analysis
import AnalysisTesting
import Records
import SystemPackage
import Testing

@testable import LibraryTasks

/// Values for tags, and texts that mean the same.
@Suite(.bounded) struct WritableFieldTests {
  private static func number(_ value: Double, field: String = "bpm") -> WritableValue {
    WritableValue(field: field, text: "\(value)", meaning: .number(value))
  }

  // MARK: Equal values

  /// Texts are as precise as their last digit.
  @Test func numbersInTags() {
    for (text, value, isSame) in [
      ("128", 128, true), ("128", 127.5, true), ("128", 128.5, true), ("128", 127.4, false), ("128", 128.7, false),
      ("128.0", 128.05, true), ("128.0", 128.06, false), ("128.00", 128.004, true), ("128.00", 128.006, false),
      ("0", 0.5 + 1e-9, true), ("0", 0.5 + 0.8e-9, true), ("0", 0.5 + 1.2e-9, false),
      ("-7.10 dB", -7.1, true), ("-7.10 dB", 7.1, false), ("+1.50 dB", 1.5, true), ("+1.50", 1.504, true),
      ("1.5.0", 1.5, false), ("abc", 0, false), ("", 0, false), ("١٢٨", 128, false), ("128 BPM", 128, true),
    ] as [(String, Double, Bool)] {
      #expect(Self.number(value).matches(text) == isSame, "\(text) \(value)")
    }
  }

  @Test func keysInTags() throws {
    let key = WritableValue(field: "initialkey", text: "Am", meaning: .key(MusicalKey(pitchClass: 9, mode: .minor)))
    for text in ["Am", "8A", "1m", "A minor"] { #expect(key.matches(text), "\(text)") }
    for text in ["A", "9A", "", "?"] { #expect(!key.matches(text), "\(text)") }
    let own = WritableValue(field: "initialkey", text: "o", meaning: .key(MusicalKey(pitchClass: 9, mode: .minor)))
    #expect(own.matches("o") && own.matches("Am"))
    let fingerprint = WritableValue(field: "acoustid_fingerprint", text: "AQ", meaning: .text)
    #expect(fingerprint.matches("AQ") && !fingerprint.matches("aq"))
  }

  @Test func textsWithoutAValue() {
    for text in ["", " \n", "0", "000", "0.00", " 0 "] { #expect(Self.number(1).isEmptyValue(text), "\(text)") }
    for text in ["1", "0.1", "x"] { #expect(!Self.number(1).isEmptyValue(text), "\(text)") }
    let gain = Self.number(1, field: "replaygain_track_gain")
    #expect(gain.isEmptyValue(" ") && !gain.isEmptyValue("0") && !gain.isEmptyValue("0.00"))
  }

  @Test func integersInMP4() {
    #expect(Self.number(127.5).text(for: "tmpo") == "128" && Self.number(127.4).text(for: "tmpo") == "127")
    #expect(Self.number(127.5).text(for: "TBPM") == "127.5")
    #expect(WritableValue(field: "bpm", text: "x", meaning: .text).text(for: "tmpo") == "x")
  }

  // MARK: Values of files

  private static func record(_ change: (inout FileRecord) -> Void) -> FileRecord {
    var record = FileRecord(path: "/music/a.flac", status: .ok)
    change(&record)
    return record
  }

  private static func texts(
    _ field: WritableField, _ record: FileRecord, _ notation: WritableField.KeyNotation = .musical, isOpus: Bool = false
  ) throws -> [String: String] {
    let values = try field.values(of: record, notation, isOpus: isOpus)
    return Dictionary(uniqueKeysWithValues: values.map { ($0.field, $0.text) })
  }

  private static func reason(_ field: WritableField, _ record: FileRecord) -> String? {
    do {
      _ = try field.values(of: record, .musical, isOpus: false)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func tempi() throws {
    for (bpm, text) in [
      (128, "128"), (127.5, "127.5"), (120.126, "120.13"), (99.996, "100"), (90.05, "90.05"), (200, "200"),
    ] as [(Double, String)] {
      let record = Self.record {
        $0.tempo = TempoFinding(bpm: bpm, confidence: 1, candidates: [], isStable: true, map: [], beats: [])
      }
      #expect(try Self.texts(.bpm, record) == ["bpm": text])
    }
    #expect(Self.reason(.bpm, Self.record { _ in }) == "The tempo was not analyzed.")
    #expect(
      Self.reason(.bpm, Self.record { $0.tempo = TempoFinding.none(reason: "silence") })
        == "No tempo was found (silence).")
    #expect(Self.reason(.bpm, Self.record { $0.tempo = TempoFinding() }) == "No tempo was found.")
  }

  @Test func keys() throws {
    for (mode, texts) in [(MusicalKey.Mode.minor, ["Am", "8A", "1m"]), (.major, ["A", "11B", "4d"])] {
      let record = Self.record {
        $0.findings[KeyFinding.self] = KeyFinding(
          key: MusicalKey(pitchClass: 9, mode: mode), confidence: 1, candidates: [], map: [])
      }
      for (notation, text) in zip([WritableField.KeyNotation.musical, .camelot, .openKey], texts) {
        #expect(try Self.texts(.initialkey, record, notation) == ["initialkey": text])
      }
    }
    #expect(Self.reason(.initialkey, Self.record { _ in }) == "The key was not analyzed.")
    let none = Self.record { $0.findings[KeyFinding.self] = KeyFinding.none(reason: "no_key") }
    #expect(Self.reason(.initialkey, none) == "No key was found (no_key).")
  }

  @Test func loudness() throws {
    var finding = LoudnessFinding(integrated: -10.9, trackGain: -7.1, trackPeak: 0.9885534)
    func record() -> FileRecord { Self.record { $0.findings[LoudnessFinding.self] = finding } }
    #expect(
      try Self.texts(.replaygain, record())
        == ["replaygain_track_gain": "-7.10 dB", "replaygain_track_peak": "0.988553"])
    #expect(try Self.texts(.replaygain, record(), isOpus: true) == ["r128_track_gain": "-3098"])
    (finding.albumGain, finding.albumPeak) = (1.256, 1)
    #expect(
      try Self.texts(.replaygain, record()) == [
        "replaygain_track_gain": "-7.10 dB", "replaygain_track_peak": "0.988553",
        "replaygain_album_gain": "1.26 dB", "replaygain_album_peak": "1.000000",
      ])
    #expect(
      try Self.texts(.replaygain, record(), isOpus: true)
        == ["r128_track_gain": "-3098", "r128_album_gain": "-958"])
    finding = LoudnessFinding(trackGain: 200)
    #expect(try Self.texts(.replaygain, record()) == ["replaygain_track_gain": "200.00 dB"])
    #expect(try Self.texts(.replaygain, record(), isOpus: true) == ["r128_track_gain": "32767"])
    #expect(Self.reason(.replaygain, Self.record { _ in }) == "The loudness was not measured.")
    finding = LoudnessFinding(reason: "too_short")
    #expect(Self.reason(.replaygain, record()) == "There is no loudness (too_short).")
  }

  @Test func fingerprints() throws {
    let record = Self.record {
      $0.fingerprint = FingerprintFinding(algorithm: "chromaprint-2", duration: 1, value: "AQ")
    }
    #expect(try Self.texts(.acoustIDFingerprint, record) == ["acoustid_fingerprint": "AQ"])
    #expect(Self.reason(.acoustIDFingerprint, Self.record { _ in }) == "There is no fingerprint.")
  }
}
