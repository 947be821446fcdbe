internal import AnalysisTasks
internal import Logging
internal import Text

/// Passes log messages of the server and the packages that it uses to the program's log, in the program's format.
struct ServerLog: LogHandler {
  let write: @Sendable (Message) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  init(write: @escaping @Sendable (Message) -> Void) { self.write = write }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = metadata.merging(event.metadata ?? [:]) { $1 }
    let details = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    write(
      Message(
        level: level(event.level), event: "server", text: (["\(event.message)"] + details).joined(separator: " "),
        fields: fields.mapValues { .string("\($0)") }))
  }

  private func level(_ level: Logger.Level) -> Message.Level {
    switch level {
    case .critical, .error: .error
    case .warning: .warning
    case .notice: .notice
    default: .info
    }
  }
}
