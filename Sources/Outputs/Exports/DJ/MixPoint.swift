internal import Analysis

/// A point in a track that DJs mark.
struct MixPoint: Equatable {
  enum Kind: Equatable {
    case mixIn, introEnd, highlight, outroStart, mixOut
  }

  var kind: Kind
  /// Time in seconds from the start of the audio.
  var seconds: Double

  /// The name that programs show.
  var name: String {
    switch kind {
    case .mixIn: "Mix in"
    case .introEnd: "Intro end"
    case .highlight: "Highlight"
    case .outroStart: "Outro"
    case .mixOut: "Mix out"
    }
  }

  /// Returns the points that were found, in ascending order. If several points have the same time, only one of them is
  /// returned.
  static func all(of cues: CuesFinding?) -> [MixPoint] {
    guard let cues else { return [] }
    let points: [(Kind, Double?)] = [
      (.mixIn, cues.mixInStart), (.introEnd, cues.introEnd), (.highlight, cues.highlightStart),
      (.mixOut, cues.mixOutStart), (.outroStart, cues.outroStart),
    ]
    var result: [MixPoint] = []
    for case (let kind, let seconds?) in points where !result.contains(where: { $0.seconds == seconds }) {
      result.append(MixPoint(kind: kind, seconds: seconds))
    }
    return result.sorted { $0.seconds < $1.seconds }
  }
}
