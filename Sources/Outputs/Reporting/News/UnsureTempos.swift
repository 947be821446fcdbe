internal import Analysis
internal import Platform
internal import SystemPackage

/// The tracks with the least confident tempos.
struct UnsureTempos {
  private struct Track {
    var path: FilePath
    var bpm: Double
    var confidence: Double
  }

  /// Minimum confidence of a tempo that is trusted without checking by ear.
  static let limit = 0.5
  private static let kept = 64
  private(set) var total = 0
  private var tracks: [Track] = []

  mutating func count(_ path: FilePath, bpm: Double, confidence: Double) {
    total += 1
    tracks.append(Track(path: path, bpm: bpm, confidence: confidence))
    if tracks.count >= 2 * Self.kept { keepLeast() }
  }

  private mutating func keepLeast() {
    tracks.sort { $0.confidence < $1.confidence }
    tracks.removeLast(max(0, tracks.count - Self.kept))
  }

  func files(limit: Int) -> [MorningReport.Cause.File] {
    tracks.sorted { $0.confidence < $1.confidence }.prefix(limit).map {
      MorningReport.Cause.File(
        id: ContentID(ofPath: $0.path).description, path: DisplayPath.text(of: $0.path),
        text: "\(PageFormatter.decimal($0.bpm)) BPM, \(PageFormatter.percent($0.confidence)) confidence")
    }
  }
}
