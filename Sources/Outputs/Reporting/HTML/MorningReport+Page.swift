internal import Foundation

extension MorningReport {
  var templateValues: [String: Any] {
    var values: [String: Any] = [
      "title": "\(title) · Nocturne, \(day)", "when": when,
      "sentence": sentence.map { part in
        var values: [String: Any] = ["text": part.text, "bad": part.isBad]
        values["link"] = part.link
        return values
      },
      "all_fine": causes.isEmpty, "causes": causes.map(\.templateValues), "has_new": canHaveNew,
      "nothing_new": newCount == 0,
      "new_folders": newFolders.map(\.templateValues),
      "two_columns": !causes.isEmpty && canHaveNew && !newFolders.isEmpty, "footer": footer,
    ]
    values["sub"] = subtitle
    if otherFolderCount > 0 { values["new_rest"] = "And \(PageFormatter.counted(otherFolderCount, "more folder"))." }
    if newCount > 1 { values["new_all"] = "Show all \(PageFormatter.number(newCount)) in the table" }
    return values
  }
}

extension MorningReport.Cause {
  fileprivate var templateValues: [String: Any] {
    var values: [String: Any] = [
      "failed": kind == .failed, "damaged": kind == .damaged, "unsure": kind == .unsure, "what": what, "do": advice,
      "more": files.count == 1
        ? "Show \(subject.rawValue)" : "Show \(PageFormatter.counted(files.count, subject.rawValue))",
      "files": files.map { file in
        var values = ["path": file.path]
        values["why"] = file.text
        return values
      },
    ]
    if let tableState, count > files.count {
      values["rest"] = ["text": "Show all \(PageFormatter.number(count)) in the table", "show": tableState]
    }
    return values
  }
}

extension MorningReport.Folder {
  fileprivate var templateValues: [String: Any] {
    [
      "path": path, "folder": name, "count": text, "about": about,
      "tracks": tracks.map { String($0.row) }.joined(separator: ","),
      "show": "status=new&folder=\(path.addingPercentEncoding(withAllowedCharacters: Self.unescaped) ?? "")",
    ]
  }

  private static let unescaped = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
}
