package import Platform
package import Records

/// The content of the page's first screen: the last run's new tracks, and failures and their causes, in sentences.
package struct MorningReport: Sendable {
  /// A piece of the headline.
  package struct Part: Sendable, Equatable {
    package var text: String
    package var isBad: Bool
    /// The section to which the piece links: `new`, `attention` or `tracks`.
    package var link: String?
  }

  package struct Cause: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case failed, damaged, unsure
    }

    package enum Subject: String, Sendable {
      case file, folder, track
    }

    package struct File: Sendable, Equatable {
      /// The id of a track; `nil` for a folder.
      package var id: String?
      package var path: String
      package var text: String?
    }

    package var kind: Kind
    package var subject: Subject
    package var what: String
    package var advice: String
    /// Total number of files, folders or tracks.
    package var count: Int
    /// The most notable files, at most 20.
    package var files: [File]
    /// The query for which the page's table shows all of the files, such as `status=truncated`; `nil` if there is none.
    var tableState: String?
  }

  package struct Folder: Sendable, Equatable {
    package struct Track: Sendable, Equatable {
      package var id: String
      var row: Int
    }

    /// The name relative to the root of the run, with a trailing slash.
    package var name: String
    package var path: String
    package var text: String
    package var about: String
    /// The tracks, at most 24.
    package var tracks: [Track]
  }

  package var title: String
  package var when: String
  package var sentence: [Part]
  package var subtitle: String?
  package var causes: [Cause]
  /// `true` if an earlier run has finished. Otherwise, nothing counts as new.
  package var canHaveNew: Bool
  /// New folders, starting with those that have the most tracks.
  package var newFolders: [Folder]
  var otherFolderCount: Int
  package var newCount: Int
  /// The day on which the report was made.
  var day: String
  /// The program that made the report, the pipeline, and the time.
  var footer: String
}

extension MorningReport {
  /// - Parameters:
  ///   - run: The last run; `nil` if there was none.
  ///   - runs: All runs, oldest first.
  ///   - forEachRecord: Calls its argument with all records, including those of vanished files, in path order and with
  ///     their runs.
  package init(
    of run: RunRecord?, among runs: [RunOutline], generated: Timestamp = .now,
    forEachRecord: ((FileRecord) throws -> Void) throws -> Void
  ) rethrows {
    let news = PageNews(run: run, generated: generated, source: PageInput(runs: runs))
    var row = 0
    try forEachRecord { record in
      news.countHistory(record)
      if record.isVanished || PageNews.isUnlisted(record) { return }
      news.count(record, status: TrackColumns.Status(of: record), row: row)
      row += 1
    }
    self = news.report(below: run?.roots.first.map { DisplayPath.text(of: $0.path) + "/" } ?? "/")
  }
}
