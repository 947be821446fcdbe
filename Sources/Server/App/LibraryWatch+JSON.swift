internal import AnalysisTasks
internal import Platform
internal import Text

extension LibraryWatch.Report {
  func write(into json: inout JSONWriter) {
    json.put("state", limitation != nil && state == .watching ? "polling" : state.rawValue)
    for (key, folders) in [("folders", folders), ("absent", absent)] {
      json.key(key)
      json.beginArray()
      for folder in folders { json.string(DisplayPath.text(of: folder)) }
      json.endArray()
    }
    json.put("limitation", limitation)
    json.put("text", text)
  }
}
