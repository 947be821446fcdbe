internal import AnalysisTasks
internal import Text

extension RunProgress {
  func write(into json: inout JSONWriter) {
    json.put("phase", phase ?? "other")
    json.put("done", done)
    json.put("total", planned)
    json.put("seen", scanned)
    json.put("current", current)
    json.put("eta_s", remaining, decimals: 0)
    json.put("started_at", started.description)
    json.put("is_own", isOwn)
    json.put("text", text)
  }
}
