public import Analysis
internal import MediaContainers

/// Reads tags under canonical names, pictures, lyrics and chapters.
///
/// Finding: `TagFinding`. The analyzer reads the file itself: a few kilobytes at its start and end, and no audio.
public struct TagAnalyzer: Analyzer {
  public static let id = "tags"
  public static let version = 4
  public static let summary = "Tags of all common formats under canonical names"

  public init(_ configuration: NoConfiguration) {}

  public var feed: Feed { .file }

  public func makeSession(for file: AudioFile) -> Session {
    Session(file: file)
  }

  public struct Session: AnalysisSession {
    private let file: AudioFile

    fileprivate init(file: AudioFile) {
      self.file = file
    }

    public mutating func consume(_ values: Span<Float>, at index: Int64) {}

    public mutating func finish() throws(AnalysisError) -> TagFinding {
      do {
        return try TagReader.read(path: file.openPath)
      } catch {
        throw .failed(error.message)
      }
    }
  }
}
