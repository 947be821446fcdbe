import Analysis
import Foundation
import LibraryTesting
import SystemPackage

extension LibraryFile {
  /// A track whose sound is a direction: the nearer the angles, the more alike are the tracks.
  ///
  /// - Parameters:
  ///   - angle: The angle in degrees; `nil` for a track without a descriptor.
  static func sounding(
    _ name: String, angle: Double?, artist: String? = nil, genres: [String] = [], seconds: Double = LibraryFile.seconds,
    _ findings: [(analyzer: String, finding: any AnalysisFinding)] = []
  ) -> LibraryFile {
    var file = LibraryFile(
      path: FilePath("/music/\(name).flac"), tags: ["title": [name], "artist": [artist ?? "By \(name)"]],
      findings: findings)
    if !genres.isEmpty { file.tags.fields["genre"] = genres }
    if let angle {
      let numbers = [cos(angle * .pi / 180), sin(angle * .pi / 180)].map { UInt8(bitPattern: Int8(100 * $0)) }
      let descriptor = numbers + [UInt8](repeating: 0, count: 126)
      file.findings.append(("likeness", LikenessFinding(version: 1, descriptor: descriptor)))
    }
    file.format.claimedFrameCount = Int64(44_100 * seconds)
    file.format.frameCount = file.format.claimedFrameCount
    return file
  }

  static func tempo(_ bpm: Double, confidence: Double = 1) -> (analyzer: String, finding: any AnalysisFinding) {
    ("tempo", TempoFinding(bpm: bpm, confidence: confidence, candidates: [], isStable: true, map: [], beats: []))
  }
}
