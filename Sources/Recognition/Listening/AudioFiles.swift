public import Analysis
public import Landmarks
public import Recognition
public import SystemPackage

extension SignatureGenerator {
  /// The signature of a whole file. If the file is damaged further on, it is the signature of the part before.
  /// - Throws: If nothing can be decoded.
  public static func signature(ofFile path: FilePath) throws(DecodeError) -> Signature {
    var source = try MonoSource(path: path)
    var generator = SignatureGenerator(sampleRate: source.sampleRate)
    while let frames = source.next() { generator.append(frames.span) }
    return generator.signature()
  }
}

extension RecognitionQueryGenerator {
  /// A query of a file's audio from its start.
  /// - Parameters:
  ///   - path: A file in any format that Nocturne reads.
  ///   - maximumDuration: Seconds after which the rest is not read.
  /// - Throws: If nothing can be decoded.
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
  /// Goes through a file once, in constant memory but for the cues.
  /// - Parameters:
  ///   - path: An audio file.
  ///   - catalog: The recordings that are looked for.
  ///   - progress: Called for each second or less of audio with the part of the file that is done, 0 to 1.
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

extension HeardRecording {
  /// Recognizes the tracks in a file: a clip is matched as a whole, anything longer as by `CueSheet(ofFile:in:progress:)`.
  /// - Throws: `DecodeError` if nothing can be decoded, `CatalogError` if it is too short or the catalog cannot be used.
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
