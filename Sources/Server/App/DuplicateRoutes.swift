internal import Analysis
internal import HTTPTypes
internal import Hummingbird
internal import Library
internal import LibraryTasks
internal import Platform
internal import Records
internal import ResultStore
internal import Serving
internal import SystemPackage
internal import Text

/// Files of the same recordings, as `analyze duplicates` found them last, and what people say of them.
struct DuplicateRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary

  var routes: [Route] {
    route(
      .get, "duplicates", "Files of the same recordings", QueryReading.page, answers: "AppDuplicates"
    ) { request, _ in
      let page = try QueryReading(request).page(limit: 20)
      return try await library.services.computing { try answer(page) }
    }
    route(
      .post, "duplicates/decisions", "Say that tracks are no duplicates, which to keep, or forget what was said",
      body: .json("decision: text, tracks: [text]"), answers: "AppDuplicateDecisions"
    ) { request, _ in
      try await decide(request.jsonObject())
    }
  }

  private func answer(_ page: (limit: Int, offset: Int)) throws -> Response {
    let duplicates = try LibraryDuplicates(try library.store.duplicatePairs(), in: library.store)
    let waiting = try DuplicateSearch(in: library.store).waitingCount()
    return .json { json in
      json.object { json in
        json.put("spare_files", duplicates.spareCount)
        json.put("spare_bytes", Int(duplicates.spareBytes))
        json.put("spare_text", DuplicateText.size(duplicates.spareBytes))
        json.put("waiting", waiting)
        json.putPage(count: duplicates.groups.count, isExact: true, offset: page.offset)
        json.putList("items", Array(duplicates.groups.dropFirst(page.offset).prefix(page.limit))) { json, group in
          json.put("id", group.id)
          json.put("name", group.name)
          json.put("spare_bytes", Int(group.spareBytes))
          json.put("spare_text", DuplicateText.size(group.spareBytes))
          json.putList("files", group.files) { write($1, into: &$0) }
        }
        json.putList("longer_files", duplicates.longerFiles) { json, longer in
          write(longer.record, into: &json)
          json.putList("parts", longer.parts) { json, part in
            write(part.record, into: &json)
            json.put("start_s", part.start, decimals: 1)
            json.put("end_s", part.end, decimals: 1)
          }
        }
      }
    }
  }

  private func write(_ file: DuplicateGroup.File, into json: inout JSONWriter) {
    write(file.record, into: &json)
    json.put("advice", file.advice.rawValue)
    json.put("relation", file.relation)
    json.put("text", DuplicateText.note(on: file))
  }

  private func write(_ record: FileRecord, into json: inout JSONWriter) {
    json.put("track", ContentID(ofPath: record.path).description)
    json.put("title", record.track.title)
    json.put("path", DisplayPath.text(of: record.path))
  }

  private func decide(_ body: [String: JSONValue]) async throws -> Response {
    guard case .string(let decision)? = body["decision"], ["distinct", "keep", "forget"].contains(decision) else {
      throw RequestError(.badRequest, "decision expects distinct, keep or forget.")
    }
    guard case .array(let values)? = body["tracks"], !values.isEmpty else {
      throw RequestError(.badRequest, "tracks expects a list of ids of tracks.")
    }
    let ids = try values.map { value in
      guard case .string(let id) = value else {
        throw RequestError(.badRequest, "tracks expects a list of ids of tracks.")
      }
      return id
    }
    guard decision != "distinct" || ids.count > 1 else {
      throw RequestError(.badRequest, "distinct expects two tracks or more.")
    }
    return try await library.services.writing {
      let paths = try ids.map { try library.song($0).row.path }
      let deciding = DuplicateDeciding(in: library.store)
      let count: Int
      do {
        count =
          switch decision {
          case "distinct": try deciding.setDistinct(paths)
          case "keep": try deciding.setKept(paths)
          default: try deciding.forget(paths)
          }
      } catch let error as DuplicateDeciding.DecisionError {
        throw RequestError(.conflict, "\(error)")
      }
      return .json { json in json.object { $0.put("count", count) } }
    }
  }
}
