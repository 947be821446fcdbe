internal import AnalysisTasks
internal import Platform
internal import Serving

extension JSONType<LibraryWatch.Report> {
  static var watch: Self {
    .object(
      "AppWatch",
      .required("state", .text) { report in
        report.limitation != nil && report.state == .watching ? "polling" : report.state.rawValue
      },
      .required("folders", .list(.text)) { $0.folders.map { DisplayPath.text(of: $0) } },
      .required("absent", .list(.text)) { $0.absent.map { DisplayPath.text(of: $0) } },
      .optional("limitation", .text) { $0.limitation }, .required("text", .text) { $0.text })
  }
}
