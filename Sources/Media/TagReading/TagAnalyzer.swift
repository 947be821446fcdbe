public import Analysis
internal import MediaContainers

/// Reads the tags of a file under canonical names, with pictures, lyrics and chapters.
///
/// Finding: `TagFinding`. The analyzer needs no audio: it reads a few kilobytes at the start and end of the file by
/// itself.
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
