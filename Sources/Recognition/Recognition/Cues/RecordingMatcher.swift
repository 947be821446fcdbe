/// Recognizes the tracks, with their times, in a recording of any length that comes in buffers: a clip is matched as a
/// whole, which finds more in noise, anything longer window by window.
///
/// Memory does not grow with the audio once it is longer than a clip.
package struct RecordingMatcher: PCMReceiver, ~Copyable {
  package let sampleRate: Int
  private let session: RecognitionSession
  private let longestClip: Int
  /// The recording so far, until it is longer than a clip.
  private var clip: [Float] = []
  private var generator: CueSheetGenerator
  private var isLong = false

  /// Seconds of a clip that is matched as a whole.
  private static let longestClip = 30

  /// - Parameters:
  ///   - session: The session whose catalog is asked.
  ///   - sampleRate: Frames per second of the buffers, greater than zero.
  package init(_ session: RecognitionSession, sampleRate: Int) throws(CatalogError) {
    self.session = session
    generator = try CueSheetGenerator(catalog: session.catalog, parts: session.parts, sampleRate: sampleRate)
    self.sampleRate = sampleRate
    longestClip = Self.longestClip * sampleRate
  }

  package mutating func append(_ frames: Span<Float>) {
    if isLong { return generator.append(frames) }
    frames.withUnsafeBufferPointer { clip.append(contentsOf: $0) }
    guard clip.count > longestClip else { return }
    let start = clip
    clip = []
    isLong = true
    generator.append(start.span)
  }

  /// Ends the recording. The matcher is used up then.
  /// - Throws: `CatalogError.queryTooShort`.
  package mutating func finish() throws(CatalogError) -> HeardRecording {
    if isLong {
      let sheet = generator.cueSheet()
      return HeardRecording(sheet: sheet, missing: generator.takeMissingCatalogs())
    }
    _ = session.takeMissingCatalogs()
    let sheet = try clipSheet()
    return HeardRecording(sheet: sheet, missing: session.takeMissingCatalogs())
  }

  private func clipSheet() throws(CatalogError) -> CueSheet {
    var generator = RecognitionQueryGenerator(sampleRate: sampleRate)
    generator.append(clip.span)
    let query = generator.query()
    switch session.match(query) {
    case .matches(let matches): return CueSheet(cues: matches.map { CueSheet.Cue($0) }, duration: query.duration)
    case .noMatch: return CueSheet(cues: [], duration: query.duration)
    case .error(let error): throw error
    }
  }
}
