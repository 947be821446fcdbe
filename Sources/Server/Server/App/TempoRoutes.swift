internal import Analysis
internal import HTTPTypes
internal import Hummingbird
internal import Library
internal import LibraryTasks
internal import Records
internal import Serving
internal import Text

/// Routes for correcting tempi, with the same changes as in `analyze set`, and with preview and undo.
struct TempoRoutes: AppRouteSet {
  let library: AppLibrary
  let hub: EventHub

  var routes: [Route] {
    route(
      .put, "tracks/{id}/tempo", "Correct the tempo of a track", body: .json(TempoRequest.members),
      answers: [.json(.tempoChange)]
    ) { request, context in
      try await change(context.parameters.require("id"), request.jsonObject())
    }
    answer(
      .delete, "tracks/{id}/tempo", "Remove the correction of a track's tempo", answers: .tempoChange, .writing
    ) { request in try unset(request.id) }
    answer(
      .post, "tracks/{id}/tempo/undo", "Undo the last change of a track's tempo, or all since an earlier state",
      body: [.of("to", .integer)], answers: .tempoChange, .writing
    ) { request in try undo(request.id, request.body) }
  }

  /// The change to store, or the response to a preview.
  private enum Plan: Sendable {
    case preview(ShownChange)
    case correction(ContentID, TempoCorrection?, TempoChange.Change)
  }

  private func change(_ id: String, _ body: [String: JSONValue]) async throws -> Response {
    // Fitting beats to the audio takes seconds, and in the writing lane it would delay other changes.
    switch try await library.services.computing({ try plan(id, body) }) {
    case .preview(let change): JSONType.tempoChange.response(change)
    case .correction(let audio, let correction, let change):
      try await library.services.writing {
        try library.store.correctTempo([audio: correction])
        return JSONType.tempoChange.response(try saved(id, audio, change))
      }
    }
  }

  private func plan(_ id: String, _ body: [String: JSONValue]) throws -> Plan {
    let record = try library.record(ofTrack: id, long: ["beats"])
    let found = record.tempoCorrection?.found ?? record.tempo
    let request = try TempoRequest(body, candidates: found?.candidates.map(\.bpm) ?? [])
    let options = library.services.options
    let fitting = BeatFitting(by: options.fileAnalysis)
    let (audio, correction, change) = try TempoChange(request.change, in: library.store, fitting: fitting).change(
      of: record)
    if request.isPreview {
      var shown = record
      shown.tempoCorrection = correction
      shown.tempoCorrection?.found = found
      shown.tempo = shown.tempoCorrection?.finding ?? found
      return .preview(try self.shown(shown, audio, change, isSaved: false))
    }
    return .correction(audio, correction, change)
  }

  /// Removes the correction, so that the analyzer's tempo is in effect again.
  private func unset(_ id: String) throws -> ShownChange {
    let record = try library.record(ofTrack: id, long: ["beats"])
    let (audio, _, change) = try TempoChange(.unset, in: library.store, fitting: nil).change(of: record)
    guard record.tempoCorrection != nil else { return try shown(record, audio, change, isSaved: false) }
    try library.store.correctTempo([audio: nil])
    return try saved(id, audio, change)
  }

  private func undo(_ id: String, _ body: [String: JSONValue]) throws -> ShownChange {
    let state: Int64? =
      switch body["to"] {
      case nil, .null?: nil
      case .integer(let id)?: id
      default: throw RequestError(.unprocessableContent, "to expects the id of an earlier state, a whole number.")
      }
    let before = try library.record(ofTrack: id, long: [])
    guard let audio = before.contentID, try library.store.restoreTempo(of: audio, to: state) else {
      throw RequestError(.conflict, "There is no such earlier state of this tempo. Nothing was changed.")
    }
    let after = try library.record(ofTrack: id, long: ["beats"])
    let change = TempoChange.Change(
      path: after.path, audio: audio, before: before.tempo?.bpm, after: after.tempo?.bpm,
      isLocked: after.tempoCorrection != nil, note: "", copies: try library.store.fileCount(withAudio: audio) - 1)
    announce(id, change)
    return try shown(after, audio, change, isSaved: true)
  }

  private func saved(_ id: String, _ audio: ContentID, _ change: TempoChange.Change) throws -> ShownChange {
    announce(id, change)
    return try shown(try library.record(ofTrack: id, long: ["beats"]), audio, change, isSaved: true)
  }

  private func announce(_ id: String, _ change: TempoChange.Change) {
    hub.send(ServerEvent(.tempo, .announcement, (id, change)))
  }

  private func shown(
    _ record: FileRecord, _ audio: ContentID, _ change: TempoChange.Change, isSaved: Bool
  ) throws -> ShownChange {
    ShownChange(
      isSaved: isSaved, change: change, tempo: ShownTempo(record, try library.store.formerTempi(of: audio)))
  }
}

private struct ShownChange: Sendable {
  let isSaved: Bool
  let change: TempoChange.Change
  let tempo: ShownTempo?

  var text: String {
    let step = "\(TempoText.bpm(change.before)) → \(TempoText.bpm(change.after))"
    if !isSaved { return step + "." }
    guard change.isLocked else { return "\(step), as found." }
    let copies =
      change.copies > 0 ? " So have \(change.copies == 1 ? "its copy" : "its \(change.copies) copies") elsewhere." : ""
    return "\(step). It belongs to the audio, so it follows the file when it moves. Later runs keep it." + copies
  }
}

extension JSONType<ShownChange> {
  fileprivate static var tempoChange: Self {
    .object(
      "AppTempoChange", .required("saved", .flag) { $0.isSaved }, .required("text", .text) { $0.text },
      .optional("note", .text) { $0.change.note.isEmpty ? nil : $0.change.note },
      .required("copies", .integer) { $0.change.copies }, .optional("tempo", .appTempo) { $0.tempo })
  }
}

extension JSONType where Value == (id: String, change: TempoChange.Change) {
  fileprivate static var announcement: Self {
    .object(
      "AppTempoAnnouncement",
      .required("id", .text) { $0.id }, .optional("bpm", .number(decimals: 3)) { $0.change.after },
      .required("locked", .flag) { $0.change.isLocked })
  }
}
