/// Recognizes the tracks of a recording of any length, with their times. A clip is matched as a whole, which finds more
/// tracks in noise. A longer recording is matched window by window.
///
/// Once the recording is longer than a clip, memory use no longer grows with its duration.
package struct RecordingMatcher: PCMReceiver, ~Copyable {
  package let sampleRate: Int
  private let session: RecognitionSession
  private let maxClipFrames: Int
  /// The audio so far, kept only until it is longer than a clip.
  private var clip: [Float] = []
  private var generator: CueSheetGenerator
  private var isLong = false

  /// Maximum length of a clip that is matched as a whole, in seconds.
  private static let maxClipSeconds = 30

  /// - Parameters:
  ///   - session: The session with the catalog to search.
  ///   - sampleRate: Sample rate of the buffers in Hz, greater than zero.
  package init(_ session: RecognitionSession, sampleRate: Int) throws(CatalogError) {
    self.session = session
    generator = try CueSheetGenerator(catalog: session.catalog, parts: session.parts, sampleRate: sampleRate)
    self.sampleRate = sampleRate
    maxClipFrames = Self.maxClipSeconds * sampleRate
  }

  package mutating func append(_ frames: Span<Float>) {
    if isLong { return generator.append(frames) }
    frames.withUnsafeBufferPointer { clip.append(contentsOf: $0) }
    guard clip.count > maxClipFrames else { return }
    let start = clip
    clip = []
    isLong = true
    generator.append(start.span)
  }

  /// Ends the recording. The matcher must not be used afterwards.
  /// - Throws: `CatalogError.queryTooShort` if the recording is too short.
  package mutating func finish() throws(CatalogError) -> RecognizedRecording {
    if isLong {
      let sheet = generator.cueSheet()
      return RecognizedRecording(sheet: sheet, missing: generator.takeMissingCatalogs())
    }
    _ = session.takeMissingCatalogs()
    let sheet = try clipSheet()
    return RecognizedRecording(sheet: sheet, missing: session.takeMissingCatalogs())
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
