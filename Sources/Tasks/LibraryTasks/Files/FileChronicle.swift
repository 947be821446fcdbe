internal import Analysis
internal import Foundation
internal import LibraryStore
internal import Platform
internal import Records
internal import Reporting
package import ResultStore
package import SystemPackage
internal import Text

/// The history of a file and the state of its checksum.
package struct FileChronicle: Sendable {
  package var path: FilePath
  /// The events, oldest first.
  package var events: [FileEvent]
  /// The checksum; `nil` if the whole file was never read.
  package var checksum: StoredChecksum?

  /// - Throws: `UnknownFile`, or `StoreError`.
  package init(of path: FilePath, in store: ResultStore) throws {
    self.path = path
    events = try store.events(at: path)
    guard !events.isEmpty else { throw UnknownFile(path) }
    checksum = try store.checksum(at: path)
  }

  /// The output of `show --history --json`: one line of JSON.
  package var jsonLine: [UInt8] { Shape.chronicle.ndjsonLine(self) }

  /// Human-readable text: a line for each event, then the state of the bytes.
  package var lines: [String] {
    let width = events.map { $0.kind.words.count }.max() ?? 0
    var lines = events.map { event in
      let time = event.time?.description ?? "time unknown"
      return [
        time.padding(toLength: 20, withPad: " ", startingAt: 0),
        event.kind.words.padding(toLength: width, withPad: " ", startingAt: 0),
        event.run.map { "run \($0)" }, event.detail,
      ].compactMap(\.self).joined(separator: "  ")
    }
    guard let checksum else { return lines + ["No checksum is known; `analyze verify` computes it."] }
    if let known = checksum.checksum {
      lines.append("XXH3-128  \(known.whole.bigEndianBytes.hexadecimal)")
      for kind in FileChecksum.Kind.allCases {
        if let digest = known.digests[kind] { lines.append("\(kind.rawValue)  \(digest.hexadecimal)") }
      }
    }
    switch checksum.state {
    case .changedSilently:
      lines.append(
        "Its bytes have changed, but not its size and times, in the \(checksum.hit?.rawValue ?? "file")"
          + (checksum.well.map { "; last known to be intact \($0)." } ?? "."))
    case .unreadable: lines.append("It could not be read the last time\(checksum.foundAt.map { ", \($0)" } ?? "").")
    case nil: if let well = checksum.well { lines.append("Last known to be intact \(well).") }
    }
    return lines
  }

  /// The state of the file's bytes, as named in JSON.
  package var stateName: String { checksum.map { $0.state?.rawValue ?? "well" } ?? "unknown" }
}

/// The JSON Schema of the output of `show --history`.
package enum FileChronicleSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "history", "nocturne.history.v1.schema.json",
        ReportSchema.lineSchema(Shape.chronicle.schema, title: "nocturne.history, version 1: one file").text
      )
    ]
  }
}

extension FileEvent.Kind {
  package var words: String {
    switch self {
    case .firstSeen: "first seen"
    case .analyzed: "last analyzed"
    case .verified: "last verified"
    case .vanished: "vanished"
    case .changed: "changed"
    case .moved: "moved"
    case .damaged: "found damaged"
    case .failed: "failed"
    case .recovered: "fine again"
    case .restored: "bytes restored"
    case .changedSilently: "changed silently"
    case .unreadable: "unreadable"
    case .accepted: "change accepted"
    }
  }
}

extension Shape<FileChronicle> {
  fileprivate static var chronicle: Shape {
    Shape(
      summary: "History of a file and state of its bytes.",
      fields: [
        .required("file_id", .contentID, "Id of the file, its file_id in reports.") { ContentID(ofPath: $0.path) },
        .required("path", .path, "Path of the file for display, as in reports.") { DisplayPath.text(of: $0.path) },
        .required(
          "state", .text,
          "well; changed_silently: different bytes, but the same size and times; unreadable; unknown: never read "
            + "completely."
        ) { $0.stateName },
        .optional(
          "hit", .text,
          "Part that has changed silently: audio, or tags (all bytes before and after the audio); null if none has."
        ) {
          $0.checksum?.hit?.rawValue
        },
        .optional(
          "well_at", .dateTime, "Time at which the file was last known to match its checksums, UTC; null if unknown."
        ) {
          $0.checksum?.well
        },
        .optional(
          "verified_at", .dateTime,
          "Time of the last comparison that found the bytes unchanged, UTC; null if there was none."
        ) {
          $0.checksum?.verified
        },
        .optional("xxh3_128", .text, "XXH3-128 of all bytes, as xxhsum -H2 prints it; null if unknown.") { chronicle in
          chronicle.checksum?.checksum.map { $0.whole.bigEndianBytes.hexadecimal }
        },
        .optional("sha256", .text, "SHA-256 of all bytes in hexadecimal; null unless requested.") { chronicle in
          chronicle.checksum?.checksum?.digests[.sha256]?.hexadecimal
        },
        .optional("md5", .text, "MD5 of all bytes in hexadecimal; null unless requested.") { chronicle in
          chronicle.checksum?.checksum?.digests[.md5]?.hexadecimal
        },
        .objects("events", .event, "Events in order of time: the first and last ones, and the latest 30 others.") {
          $0.events
        },
      ])
  }
}

extension Shape<FileEvent> {
  fileprivate static var event: Shape {
    Shape(
      summary: "An event in the history of the file.",
      fields: [
        .required("event", .choice, "What.") { $0.kind },
        .optional("at", .dateTime, "Time of the event, UTC; null if unknown.") { $0.time },
        .optional("run", .integer, "Number of the run in which it happened; null outside of runs.") {
          $0.run.map { Int($0) }
        },
        .optional("detail", .text, "Former path, affected part, or code of a problem, depending on the event.") {
          $0.detail
        },
      ])
  }
}
