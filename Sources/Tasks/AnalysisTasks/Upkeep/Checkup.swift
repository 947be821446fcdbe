package import Analysis
internal import AudioDecoding
internal import BuiltInAnalyzers
internal import Foundation
package import Pipeline
internal import Platform
package import Recognition
internal import Records
internal import ResultStore
package import SystemPackage

/// Implements `analyze doctor`: checks the installation, the library and the database.
package struct Checkup {
  package struct Finding: Hashable, Sendable {
    package var isFine: Bool
    package var text: String

    package static func ok(_ text: String) -> Finding { Finding(isFine: true, text: text) }
    package static func wrong(_ text: String) -> Finding { Finding(isFine: false, text: text) }
  }

  package var analyzers: [AnalyzerKind]
  /// Problems with the settings.
  package var notices: [String]
  package var plan: AnalysisPlan
  package var library: [FilePath]
  package var database: FilePath
  /// The folder of the reports.
  package var reports: FilePath
  /// The catalog; `nil` to skip it.
  package var catalog: FilePath?
  /// Server catalogs that are queried together with `catalog`.
  package var catalogParts: [any CatalogPart]
  /// The installation; `nil` to skip it.
  package var installation: Installation?
  /// `true` to check the complete content of the database, its search index, the catalog and the reports.
  package var comparesAll: Bool
  /// `true` to rebuild the search index.
  package var rebuildsIndex: Bool

  package init(
    analyzers: [AnalyzerKind], notices: [String], plan: AnalysisPlan, library: [FilePath], database: FilePath,
    reports: FilePath, catalog: FilePath? = nil, catalogParts: [any CatalogPart] = [],
    installation: Installation? = nil, comparesAll: Bool = false, rebuildsIndex: Bool = false
  ) {
    self.analyzers = analyzers
    self.notices = notices
    self.plan = plan
    self.library = library
    self.database = database
    self.reports = reports
    self.catalog = catalog
    self.catalogParts = catalogParts
    self.installation = installation
    self.comparesAll = comparesAll
    self.rebuildsIndex = rebuildsIndex
  }

  /// - Throws: An error that prevents the check. A database that cannot be opened is reported as a finding instead.
  package func findings() throws -> [Finding] {
    var findings: [Finding] = [
      .ok("analyze \(Nocturne.version), \(DecodingLibraries.versions.joined(separator: ", "))")
    ]
    findings += decoders + (installation?.findings() ?? [])
    for kind in analyzers { findings.append(.ok("analyzer \(kind.id), version \(kind.version): \(kind.summary)")) }
    findings += notices.map { .wrong($0) }
    findings.append(.ok("pipeline \(plan.name): \(plan.plugins.map(\.id).joined(separator: ", "))"))
    findings += library.map { root in
      root.allows(.read)
        ? .ok("library \(root.string)")
        : .wrong(
          "library \(root.string) is missing or cannot be read; if it is on another drive, is the drive mounted?")
    }
    findings += StorageCheck(database: database, catalog: catalog, reports: reports, verifiesAll: comparesAll)
      .findings()
    findings += catalogParts.map { part in
      do throws(PartFailure) {
        try part.check()
        return .ok("catalog of \(part.name)")
      } catch {
        return .wrong(
          "the catalog of \(part.name) does not answer: \(error); its tracks are not recognized until it does")
      }
    }
    return try findings + findingsOfDatabase()
  }

  private var decoders: [Finding] {
    let formats = DecodingLibraries.formats
    let missing = formats.missing.map { format in
      Finding.wrong("FFmpeg on this machine has no decoder for \(format); files of that kind will fail")
    }
    return [.ok("decodes \(formats.decoded.joined(separator: ", "))")] + missing
  }

  private func findingsOfDatabase() throws -> [Finding] {
    guard database.fileKind != nil else {
      return [.ok("database \(database.string): does not exist yet, the first run creates it")]
    }
    do {
      let store = try open()
      var findings = try lastRun(of: store) + quarantine(in: store)
      if rebuildsIndex {
        try store.rebuildSearchIndex()
        findings.append(.ok("the search index was rebuilt"))
      }
      guard comparesAll else { return findings }
      let complaints = try store.check()
      guard complaints.isEmpty else { return findings + complaints.map { .wrong("database: \($0)") } }
      findings.append(.ok("the database is sound"))
      return try findings + ReportCheck(store: store, folder: reports).findings()
    } catch let error as StoreError {
      return [.wrong("\(error)")]
    }
  }

  /// Opens the database for writing if the search index must be rebuilt and, if possible, for a full check, because
  /// checking the search index also requires writing. Otherwise, opens it for reading.
  private func open() throws(StoreError) -> ResultStore {
    let findings = BuiltInAnalyzers.findings
    if rebuildsIndex { return try ResultStore(path: database, findings: findings) }
    if comparesAll, let store = try? ResultStore(path: database, findings: findings) { return store }
    return try ResultStore(path: database, findings: findings, access: .readOnly)
  }

  private static let quarantinedShown = 10

  private func quarantine(in store: ResultStore) throws(StoreError) -> [Finding] {
    let files = try store.quarantined(limit: Self.quarantinedShown + 1)
    var findings = files.prefix(Self.quarantinedShown).map { file in
      Finding.ok(
        "in quarantine until \(file.quarantine.until): \(DisplayPath.text(of: file.path)): \(file.problem.message)")
    }
    if files.count > findings.count { findings.append(.ok("and more files in quarantine")) }
    return findings
  }

  private func lastRun(of store: ResultStore) throws(StoreError) -> [Finding] {
    let path = store.path
    guard let last = try store.latestRun() else { return [.ok("database \(path.string): no run yet")] }
    let isAtWork = RunLock.isHeld(forDatabase: path)
    // A run that was killed could not update its state.
    let state = last.state == .running && !isAtWork ? .died : last.state
    var findings = [
      Finding.ok("database \(path.string): run \(last.id) \(state.rawValue), started \(last.started)")
    ]
    if state == .died || state == .failed {
      findings.append(
        .wrong(
          "the last run \(state == .died ? "was killed or lost power" : "failed"); "
            + "the next one continues where it stopped"))
    }
    return findings
  }
}
