public import Analysis
public import Landmarks
public import Recognition
public import SystemPackage

extension SignatureGenerator {
  /// Computes the signature of a whole file. If the file is damaged, the signature covers the audio before the damage.
  /// - Throws: `DecodeError` if nothing can be decoded.
  public static func signature(ofFile path: FilePath) throws(DecodeError) -> Signature {
    var source = try MonoSource(path: path)
    var generator = SignatureGenerator(sampleRate: source.sampleRate)
    while let frames = source.next() { generator.append(frames.span) }
    return generator.signature()
  }
}

extension RecognitionQueryGenerator {
  /// Creates a query from the beginning of a file's audio.
  /// - Parameters:
  ///   - path: A file in any format that Nocturne reads.
  ///   - maximumDuration: Maximum number of seconds of audio to read.
  /// - Throws: `DecodeError` if nothing can be decoded.
  public static func query(
    ofFile path: FilePath, maximumDuration: Double = 60
  ) throws(DecodeError) -> RecognitionQuery {
    var source = try MonoSource(path: path)
    var generator = RecognitionQueryGenerator(sampleRate: source.sampleRate)
    var left = Int(maximumDuration * Double(source.sampleRate))
    while left > 0, let frames = source.next() {
      let count = min(left, frames.count)
      generator.append(frames.span.extracting(0..<count))
      left -= count
    }
    return generator.query()
  }
}

extension CueSheet {
  /// Creates the cue sheet of a file in one pass. Apart from the cues themselves, memory use is constant.
  /// - Parameters:
  ///   - path: An audio file.
  ///   - catalog: The catalog to search.
  ///   - progress: Called for each block of audio with the fraction of the file processed so far, 0 to 1; always 0
  ///     if the duration is unknown.
  /// - Throws: `DecodeError` if nothing can be decoded, `CatalogError` if the catalog cannot be used.
  public init(ofFile path: FilePath, in catalog: CustomCatalog, progress: (Double) -> Void = { _ in }) throws {
    var source = try MonoSource(path: path)
    var generator = try CueSheetGenerator(catalog: catalog, sampleRate: source.sampleRate)
    while let frames = source.next() {
      generator.append(frames.span)
      progress(source.progress)
    }
    self = generator.cueSheet()
  }
}

extension RecognizedRecording {
  /// Recognizes the tracks in a file. A clip is matched as a whole; a longer file is matched in the same way as by
  /// `CueSheet(ofFile:in:progress:)`.
  /// - Throws: `DecodeError` if nothing can be decoded, `CatalogError` if the audio is too short or the catalog cannot
  ///   be used.
  package init(
    ofFile path: FilePath, _ session: RecognitionSession, progress: (Double) -> Void = { _ in }
  ) throws {
    var source = try MonoSource(path: path)
    var matcher = try RecordingMatcher(session, sampleRate: source.sampleRate)
    while let frames = source.next() {
      matcher.append(frames.span)
      progress(source.progress)
    }
    self = try matcher.finish()
  }
}
