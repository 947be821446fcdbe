internal import Foundation

/// Audible damage: the position, strength and confidence of each fault.
public struct HealthFinding: DeclaredFinding {
  /// A fault at one position or throughout the file.
  public struct Fault: DeclaredRecord {
    public var kind: String
    public var startSeconds: Double
    public var endSeconds: Double
    /// The channel, counted from 1; `nil` for a fault in all channels.
    public var channel: Int?
    /// The strength, in a unit that depends on the kind.
    public var strength: Double
    /// The confidence, from 0 to 1.
    public var confidence: Double

    public init(
      kind: String, startSeconds: Double, endSeconds: Double, channel: Int?, strength: Double, confidence: Double
    ) {
      self.kind = kind
      self.startSeconds = startSeconds
      self.endSeconds = endSeconds
      self.channel = channel
      self.strength = strength
      self.confidence = confidence
    }

    public init() {
      self.init(kind: "", startSeconds: 0, endSeconds: 0, channel: nil, strength: 0, confidence: 0)
    }

    public static let summary = "A fault of the audio."
    public static let fields: [FindingField<Fault>] = [
      .field(
        "kind", \.kind,
        "clipping, dropout, silence, repeat, click, dc_offset, dead_channel, silent, inverted, identical, hum, hiss, "
          + "cut_start or cut_end."),
      .field("start_s", \.startSeconds, "Seconds from the start of the audio."),
      .field(
        "end_s", \.endSeconds,
        "End of the fault in seconds from the start of the audio; for faults of the whole file, the end of the audio."),
      .field("channel", \.channel, "Number of the channel, from 1; null for all channels."),
      .field(
        "strength", \.strength,
        "Size of the fault. clipping: samples; dropout, silence, repeat: ms; click: ratio to its surroundings; hum, "
          + "hiss, dc_offset, dead_channel, silent: level in dB; inverted, identical, cut_start, cut_end: dB."
      ),
      .field("confidence", \.confidence, "Confidence of the fault, 0 to 1."),
    ]
  }

  /// The most severe kind of fault; `nil` if there is none.
  public var worst: String?
  /// The severity of the damage, from 0 to 1, based on the kind, number and confidence of the faults; `nil` if the
  /// audio is too short.
  public var severity: Double?
  /// The number of clipped places. This count and the following ones include all faults, even if `faults` lists only
  /// the first ones.
  public var clipped: Int?
  public var dropouts: Int?
  public var silences: Int?
  public var repeats: Int?
  public var clicks: Int?
  /// `true` if a channel has a DC offset, that is, if the mean of its samples steadily differs from zero by more than
  /// 0.5% of full scale.
  public var hasOffset: Bool?
  /// Number of the silent channel of a stereo file, counted from 1; `nil` if there is none, or if both are silent.
  public var deadChannel: Int?
  public var isInverted: Bool?
  public var isIdentical: Bool?
  /// Level of the hum in dB relative to full scale; `nil` if there is no hum.
  public var hum: Double?
  public var hiss: Double?
  public var isCutAtStart: Bool?
  public var isCutAtEnd: Bool?
  /// The faults, sorted by position, at most a hundred of each kind.
  public var faults: [Fault] = []
  /// A code for programs: `too_short`; `nil` if everything was analyzed.
  public var reason: String?

  public init() {}

  /// The `kind` of the fault in a file without any sound.
  private static let silent = "silent"

  public static let declaration = FindingDeclaration<HealthFinding>(
    "health", "Audible damage; null if not analyzed.",
    fields: [
      .field("worst", \.worst, "The most severe kind of fault; null if there is none.", isIndexed: true),
      .field(
        "severity", \.severity,
        "Severity of the damage, 0 to 1, by kind, number and confidence of the faults; null if not judged.",
        isIndexed: true),
      .field("clipped", \.clipped, "Number of places where peaks are cut flat; null if not judged."),
      .field("dropouts", \.dropouts, "Number of gaps of digital silence shorter than 0.25 s; null if not judged."),
      .field(
        "silences", \.silences,
        "Number of gaps of digital silence of 0.25 s or more in the middle of the sound; null if not judged."),
      .field("repeats", \.repeats, "Number of blocks that are repeated immediately; null if not judged."),
      .field("clicks", \.clicks, "Number of clicks of a few samples; null if not judged."),
      .field("dc_offset", \.hasOffset, "A channel has a constant offset from zero; null if not judged."),
      .field("dead_channel", \.deadChannel, "Number of the channel without sound, from 1; null if there is none."),
      .field("inverted", \.isInverted, "One channel is the inverse of the other; null if not judged."),
      .field("identical", \.isIdentical, "Both channels are the same: mono in stereo; null if not judged."),
      .field("hum_db", \.hum, "Level of mains hum in dB relative to full scale; null if there is none."),
      .field("hiss_db", \.hiss, "Level of hiss in dB relative to full scale; null if there is none."),
      .field("cut_start", \.isCutAtStart, "The file begins in the middle of the sound; null if not judged."),
      .field("cut_end", \.isCutAtEnd, "The file ends in the middle of the sound; null if not judged."),
      .field("faults", \.faults, "The faults in order of time, at most 100 of each kind; null if there are none."),
      .field("reason", \.reason, "Why the audio was not judged: too_short; null otherwise."),
    ],
    isOnPages: true,
    lines: { health, _ in [FindingLine("health", health.text, details: health.sentences)] })

  /// The finding as text for people.
  public var text: String {
    if let reason { return "not judged (\(reason))" }
    guard worst != nil else { return "no fault found" }
    if worst == Self.silent { return "nothing but silence" }
    var parts: [String] = []
    func add(_ count: Int?, _ one: String, _ many: String) {
      if let count, count > 0 { parts.append("\(count) \(count == 1 ? one : many)") }
    }
    add(dropouts, "dropout", "dropouts")
    add(repeats, "repeated block", "repeated blocks")
    add(silences, "gap", "gaps")
    add(clicks, "click", "clicks")
    add(clipped, "clipped place", "clipped places")
    if let deadChannel { parts.append("channel \(deadChannel) is dead") }
    if isInverted == true { parts.append("channels are inverted") }
    if hasOffset == true { parts.append("DC offset") }
    if let hum { parts.append(String(format: "hum at %.0f dB", hum)) }
    if let hiss { parts.append(String(format: "hiss at %.0f dB", hiss)) }
    if isIdentical == true { parts.append("mono in stereo") }
    if isCutAtStart == true { parts.append("begins abruptly") }
    if isCutAtEnd == true { parts.append("ends abruptly") }
    return parts.joined(separator: ", ")
  }

  /// Kinds of faults that concern the whole file or one of its ends, so that their position says nothing.
  private static let placelessKinds: Set = [silent, "identical", "cut_start", "cut_end", "hum", "hiss"]

  /// The first five faults whose position matters, each as one line of text.
  private var sentences: [String] {
    faults.filter { !Self.placelessKinds.contains($0.kind) }.prefix(5).map { fault in
      String(format: "%@ at %.3f s", fault.kind, fault.startSeconds)
        + (fault.channel.map { ", channel \($0)" } ?? "")
        + String(format: ", confidence %.2f", fault.confidence)
    }
  }
}
