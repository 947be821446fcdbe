internal import Analysis
internal import DuplicateTasks
internal import HTTPTypes
internal import Hummingbird
internal import Library
internal import Platform
internal import Records
internal import ResultStore
internal import Serving
internal import SystemPackage
internal import Text

/// Routes for the duplicates that `analyze duplicates` last found, and for people's decisions about them.
struct DuplicateRoutes: AppRouteSet {
  let library: AppLibrary

  private static let decisions = ["distinct", "keep", "forget"]

  var routes: [Route] {
    answer(
      .get, "duplicates", "Groups of files with the same recording", QueryReading.page, answers: .duplicates, .computing
    ) { request in
      DuplicatePage(
        duplicates: try LibraryDuplicates(try library.store.duplicatePairs(), in: library.store),
        waiting: try DuplicateSearch(in: library.store).waitingCount(), page: try request.query.page(limit: 20))
    }
    answer(
      .post, "duplicates/decisions", "Mark tracks as distinct, choose which to keep, or forget such a decision",
      body: [.text("decision"), .texts("tracks")], answers: .only("count", .integer, as: "AppDuplicateDecisions"),
      .writing
    ) { request in try decide(request.body) }
  }

  /// - Returns: The number of decisions that were stored or removed.
  private func decide(_ body: [String: JSONValue]) throws -> Int {
    guard case .string(let decision)? = body["decision"], Self.decisions.contains(decision) else {
      throw RequestError(.badRequest, "decision expects distinct, keep or forget.")
    }
    guard case .array(let values)? = body["tracks"], !values.isEmpty else {
      throw RequestError(.badRequest, "tracks expects a list of ids of tracks.")
    }
    let paths = try values.map { value in
      guard case .string(let id) = value else {
        throw RequestError(.badRequest, "tracks expects a list of ids of tracks.")
      }
      return try library.song(id).row.path
    }
    guard decision != "distinct" || paths.count > 1 else {
      throw RequestError(.badRequest, "distinct expects two tracks or more.")
    }
    let deciding = DuplicateDecisionWriter(in: library.store)
    do {
      return switch decision {
      case "distinct": try deciding.setDistinct(paths)
      case "keep": try deciding.setKept(paths)
      default: try deciding.forget(paths)
      }
    } catch let error as DuplicateDecisionWriter.DecisionError {
      throw RequestError(.conflict, "\(error)")
    }
  }
}

/// A page of groups, with the totals of all groups.
private struct DuplicatePage: Sendable {
  let duplicates: LibraryDuplicates
  /// Number of tracks that have not been compared yet.
  let waiting: Int
  let page: (limit: Int, offset: Int)

  var groups: [DuplicateGroup] { Array(duplicates.groups.dropFirst(page.offset).prefix(page.limit)) }
}

extension JSONType<DuplicatePage> {
  fileprivate static var duplicates: Self {
    .object(
      "AppDuplicates", .required("spare_files", .integer) { $0.duplicates.spareCount },
      .required("spare_bytes", .integer) { Int($0.duplicates.spareBytes) },
      .required("spare_text", .text) { DuplicateText.size($0.duplicates.spareBytes) },
      .required("waiting", .integer) { $0.waiting },
      .required("count", .integer) { $0.duplicates.groups.count }, .required("count_is_exact", .flag) { _ in true },
      .required("offset", .integer) { $0.page.offset }, .required("items", .list(.duplicateGroup)) { $0.groups },
      .required("longer_files", .list(.longerFile)) { $0.duplicates.longerFiles },
      .required("other_versions", .list(.otherVersion)) { $0.duplicates.otherVersions })
  }
}

extension JSONType<DuplicateGroup> {
  fileprivate static var duplicateGroup: Self {
    let file = JSONType<DuplicateGroup.File>.object(
      "AppDuplicateFile",
      groups: names.map { $0.of { (file: DuplicateGroup.File) in file.record } },
      [
        .required("advice", .text) { $0.advice.rawValue }, .optional("relation", .text) { $0.relation },
        .required("text", .text) { DuplicateText.note(on: $0) },
      ])
    return .object(
      "AppDuplicateGroup", .required("id", .text) { $0.id }, .required("name", .text) { $0.name },
      .required("spare_bytes", .integer) { Int($0.spareBytes) },
      .required("spare_text", .text) { DuplicateText.size($0.spareBytes) },
      .required("files", .list(file)) { $0.files })
  }
}

extension JSONType<LongerFile> {
  fileprivate static var longerFile: Self {
    let part = JSONType<LongerFile.Part>.object(
      "AppLongerFilePart",
      groups: names.map { $0.of { (part: LongerFile.Part) in part.record } },
      [
        .required("start_s", .number(decimals: 1)) { $0.start }, .required("end_s", .number(decimals: 1)) { $0.end },
      ])
    return .object(
      "AppLongerFile", groups: names.map { $0.of { (file: LongerFile) in file.record } },
      [.required("parts", .list(part)) { $0.parts }])
  }
}

extension JSONType<OtherVersion> {
  fileprivate static var otherVersion: Self {
    let file = JSONType<FileRecord>.object("AppVersionFile", groups: names.map { $0.of { $0 } }, [])
    return .object("AppOtherVersion", .required("files", .list(file)) { [$0.first, $0.second] })
  }
}

/// The fields that identify a file on a page.
private let names: [Field<FileRecord>] = [
  .required("track", .text) { ContentID(ofPath: $0.path).description },
  .required("title", .text) { $0.track.title },
  .required("path", .text) { DisplayPath.text(of: $0.path) },
]
