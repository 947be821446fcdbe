internal import Analysis
package import Platform
package import Records
internal import SystemPackage

/// The first screen of the page as values: what is new since the last run, what broke and why, in sentences.
package struct MorningReport: Sendable {
  /// A piece of the headline.
  package struct Part: Sendable, Equatable {
    package var text: String
    package var isBad: Bool
    /// The section that it is about: `new`, `attention` or `tracks`.
    package var link: String?
  }

  package struct Cause: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case failed, damaged, unsure
    }

    package struct File: Sendable, Equatable {
      /// Of a track; `nil` for a folder.
      package var id: String?
      package var path: String
      package var text: String?
    }

    package var kind: Kind
    package var what: String
    package var advice: String
    /// Of all files or folders.
    package var count: Int
    /// Those with most to tell, 20 at most.
    package var files: [File]
  }

  package struct Folder: Sendable, Equatable {
    package var name: String
    package var path: String
    package var text: String
    package var about: String
    /// Of tracks, 24 at most.
    package var ids: [String]
  }

  package var title: String
  package var when: String
  package var sentence: [Part]
  package var subtitle: String?
  package var causes: [Cause]
  package var newFolders: [Folder]
  package var newCount: Int

  /// - Parameters:
  ///   - run: The last one; `nil` if there was none.
  ///   - runs: All, oldest first.
  ///   - forEachRecord: Calls its argument with all records, those that are gone too, in the order of paths and with their
  ///     runs.
  package init(
    of run: RunRecord?, among runs: [RunOutline], generated: Timestamp = .now,
    forEachRecord: ((FileRecord) throws -> Void) throws -> Void
  ) rethrows {
    let news = PageNews(run: run, generated: generated, source: PageSource(runs: runs))
    var newIDs: [String] = []
    try forEachRecord { record in
      news.countHistory(record)
      if record.isVanished || PageNews.isUnlisted(record) { return }
      let row = newIDs.count
      if news.isNew(record) { newIDs.append(ContentID(ofPath: record.path).description) }
      news.count(record, status: TrackColumns.Status(of: record), row: row)
    }
    let root = run?.roots.first.map { DisplayPath.text(of: $0.path) + "/" } ?? "/"
    self.init(news.markup(below: root), newIDs)
  }

  /// - Parameters:
  ///   - values: Those of the template.
  ///   - newIDs: By the rows that `values` names.
  private init(_ values: [String: Any], _ newIDs: [String]) {
    func text(_ value: Any?) -> String { value as? String ?? "" }
    func list(_ name: String, of values: [String: Any]) -> [[String: Any]] { values[name] as? [[String: Any]] ?? [] }
    title = text(values["title"]).components(before: " · Nocturne")
    when = text(values["when"])
    sentence = list("sentence", of: values).map {
      Part(text: text($0["text"]), isBad: $0["bad"] as? Bool ?? false, link: $0["link"] as? String)
    }
    subtitle = values["sub"] as? String
    causes = list("causes", of: values).map { cause in
      let kind: Cause.Kind =
        cause["failed"] as? Bool == true ? .failed : cause["damaged"] as? Bool == true ? .damaged : .unsure
      return Cause(
        kind: kind, what: text(cause["what"]), advice: text(cause["do"]), count: cause["count"] as? Int ?? 0,
        files: list("files", of: cause).map {
          Cause.File(id: $0["id"] as? String, path: text($0["path"]), text: $0["why"] as? String)
        })
    }
    newFolders = list("new_folders", of: values).map { folder in
      Folder(
        name: text(folder["folder"]), path: text(folder["path"]), text: text(folder["count"]),
        about: text(folder["about"]),
        ids: text(folder["tracks"]).split(separator: ",").compactMap { Int($0) }.filter(newIDs.indices.contains)
          .map { newIDs[$0] })
    }
    newCount = newIDs.count
  }
}

extension String {
  /// What stands before a separator; all of it without one.
  fileprivate func components(before separator: String) -> String {
    firstRange(of: separator).map { String(self[..<$0.lowerBound]) } ?? self
  }
}
