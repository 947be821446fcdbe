/// The form of a track: where its sections begin, and which of them are alike.
public struct SectionsFinding: DeclaredFinding {
  public struct Section: DeclaredRecord {
    public var startSeconds: Double
    /// The start of the next section. For the last section, the end of the audio to within 0.3 s.
    public var endSeconds: Double
    /// The label: `A`, `B`, …, in order of first appearance. Sections with the same label are alike.
    public var label: String
    /// Mean level below 4 kHz in dB, relative to the mean level of the whole track; at least -100.
    public var levelDecibels: Double

    public init(startSeconds: Double, endSeconds: Double, label: String, levelDecibels: Double) {
      self.startSeconds = startSeconds
      self.endSeconds = endSeconds
      self.label = label
      self.levelDecibels = levelDecibels
    }

    public init() { self.init(startSeconds: 0, endSeconds: 0, label: "", levelDecibels: 0) }

    public static let summary = "A part of the track."
    public static let form = RecordType.Form.tuple
    public static let fields: [FindingField<Section>] = [
      .field("start_s", \.startSeconds, "Seconds from the start of the audio."),
      .field(
        "end_s", \.endSeconds,
        "End in seconds: the start of the next section, or for the last one the end of the audio to within 0.3 s."),
      .field("label", \.label, "A, B, …, in the order they first appear; sections with the same label are alike."),
      .field(
        "level_db", \.levelDecibels,
        "Mean level below 4 kHz in dB relative to that of the whole track; at least -100."),
    ]
  }

  /// The labels in order, such as `A B A C`; `nil` if no sections were found, in which case `reason` says why.
  public var form: String?
  /// The sections, sorted and without gaps; either none or at least two.
  public var map: [Section]
  /// A code for programs: `too_short`, `silence` or `no_structure`; `nil` if there are sections.
  public var reason: String?

  public init(map: [Section]) {
    form = map.isEmpty ? nil : map.map(\.label).joined(separator: " ")
    self.map = map
    reason = nil
  }

  public init() { self.init(map: []) }

  public static func none(reason: String) -> SectionsFinding {
    var finding = SectionsFinding()
    finding.reason = reason
    return finding
  }
}
