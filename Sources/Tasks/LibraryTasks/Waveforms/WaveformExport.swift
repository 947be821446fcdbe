internal import Analysis
internal import Exports
internal import LibraryStore
package import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// Writes waveforms from the database in the formats of audiowaveform.
package struct WaveformExport: Sendable {
  /// The analyzed files and folders to export.
  package var paths: [FilePath]
  package var format: AudiowaveformData.Format
  package var bits: AudiowaveformData.Bits

  package init(_ paths: [FilePath], _ format: AudiowaveformData.Format, bits: AudiowaveformData.Bits) {
    self.paths = paths
    self.format = format
    self.bits = bits
  }

  /// Returns the bytes of the waveform of a single file.
  /// - Throws: `StoreError`, `UnknownFile` or `WaveformExportError`.
  package func single(_ store: ResultStore) throws -> [UInt8] {
    guard paths.count == 1, let path = paths.first else { throw WaveformExportError.severalFiles }
    guard let record = try store.record(at: store.knownPath(of: path), long: ["waveform"]) else {
      if try store.knownFileCount(under: path) > 0 { throw WaveformExportError.severalFiles }
      throw UnknownFile(path)
    }
    guard let waveform = record.findings[WaveformFinding.self] else { throw WaveformExportError.notAnalyzed(path) }
    return AudiowaveformData(waveform, bits: bits).bytes(format)
  }

  /// Writes one file per track with a waveform to a folder, such as `song.mp3.json` for `song.mp3`. The folder
  /// structure below each given path is kept. At the end, all files are moved into place together.
  /// - Throws: `StoreError`, `UnknownFile`, `ExportError` or `WaveformExportError`.
  package func write(_ store: ResultStore, into folder: FilePath, _ overwriting: OverwriteRule = OverwriteRule()) throws
  {
    var written = Set<FilePath>()
    let files = try StagedFolder(in: folder, overwriting)
    for path in paths {
      let root = try store.knownPath(of: path)
      guard try store.knownFileCount(under: root) > 0 else { throw UnknownFile(root) }
      let before = written.count
      try store.forEachRecord(RecordSelection(roots: [root], long: ["waveform"])) { record in
        guard let waveform = record.findings[WaveformFinding.self] else { return }
        let target = try self.target(of: record.path, under: root)
        guard written.insert(target).inserted else { throw WaveformExportError.sameName(folder.pushing(target)) }
        try files.write(AudiowaveformData(waveform, bits: bits).bytes(format), to: target)
      }
      if written.count == before { throw WaveformExportError.notAnalyzed(root) }
    }
    _ = try files.commit()
  }

  /// Returns the output path, relative to the output folder.
  private func target(of path: FilePath, under root: FilePath) throws -> FilePath {
    var relative = path
    guard relative.removePrefix(root == path ? root.removingLastComponent() : root), let name = relative.lastComponent
    else { throw UnknownFile(path) }
    return relative.removingLastComponent().appending(
      "\(DisplayPath.text(of: FilePath(root: nil, [name]))).\(format.rawValue)")
  }
}

/// The reason waveforms cannot be written.
package enum WaveformExportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Standard output can receive only one waveform.
  case severalFiles
  /// The file is known, but its waveform is not.
  case notAnalyzed(FilePath)
  /// Two tracks would be written to the same file.
  case sameName(FilePath)

  package var description: String {
    switch self {
    case .severalFiles: "Standard output takes the waveform of one file. Name a folder for several: --output DIR"
    case .notAnalyzed(let path):
      "The waveform of \(Self.text(path)) is not in the database. Analyze it with a pipeline that has `waveform`: "
        + "analyze \(Self.text(path))"
    case .sameName(let path): "Two tracks would be written to \(Self.text(path)). Give their common folder instead."
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
