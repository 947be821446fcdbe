internal import AnalysisTasks
internal import Serving

extension JSONType<RunProgress> {
  static var run: Self {
    .object(
      "AppRun", .required("phase", .text) { $0.phase ?? "other" }, .required("done", .integer) { $0.done },
      .optional("total", .integer) { $0.planned }, .required("seen", .integer) { $0.scanned },
      .optional("current", .text) { $0.current }, .optional("eta_s", .number(decimals: 0)) { $0.remaining },
      .required("started_at", .time) { $0.started }, .required("is_own", .flag) { $0.isOwn },
      .required("text", .text) { $0.text })
  }
}
