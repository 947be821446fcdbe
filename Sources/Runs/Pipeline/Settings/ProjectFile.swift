internal import Analysis
internal import Digests
internal import Platform
public import SystemPackage

/// The settings file of a project. It applies to a folder and everything below it, no matter who owns them.
///
/// Such a file may have come with a download. Until the user trusts it, it cannot set anything that runs programs,
/// names servers or output files, or removes a protection. Each setting declares whether it needs trust
/// (`ProjectTrust`). The file and the definition that it names are read only once, so that exactly the trusted content
/// is used.
public struct ProjectFile: Sendable {
  /// One setting in the file.
  public struct Line: Sendable {
    public let key: String
    /// The value in the form that `analyze config show` prints.
    public let value: String
    public let number: Int?
    public let needsTrust: Bool
  }

  /// The name of the file. The working folder is searched for it first, then each folder above.
  public static let name: FilePath.Component = ".nocturne.yaml"

  public let path: FilePath
  /// The definition that the file's `pipeline` setting names; `nil` if it has no such setting.
  public let definition: Result<PipelineDefinition, DefinitionError>?
  let values: [(setting: any AnySetting, value: any SettingValue, line: Int?)]
  /// Identifies the content of the file and of the definition, if that is given by its path.
  let digest: String

  /// Reads the file and the definition that it names.
  ///
  /// - Parameter path: An absolute path.
  /// - Throws: `DefinitionError` if the file cannot be read or parsed.
  public init(at path: FilePath, _ folders: StandardFolders) throws(DefinitionError) {
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.definition(at: path)
    } catch {
      throw DefinitionError(source: path.string, problem: "cannot be read: \(error)")
    }
    self.path = path
    values = try Settings.values(in: bytes, of: path, folders)
    var parts = [bytes]
    switch values.first(where: { $0.setting.key == Settings.pipeline.key })?.value as? PipelineReference {
    case nil: definition = nil
    case let reference? where !reference.isPath:
      definition = Result { () throws(DefinitionError) in
        try NamedPipelines(userFolder: folders.pipelines).definition(reference.text)
      }
    case let reference?:
      let file = FilePath(reference.text)
      definition = Result { () throws(DefinitionError) in
        let bytes = try PipelineDefinition.bytes(of: file)
        parts += [Array(reference.text.utf8), bytes]
        return try PipelineDefinition(yaml: bytes, of: file)
      }
    }
    digest = Digest.sha256(ofList: parts).description
  }

  static func nearest(to folder: FilePath) -> FilePath? {
    var folder = folder
    repeat {
      let file = folder.appending(name)
      if file.exists { return file }
    } while folder.removeLastComponent()
    return nil
  }

  public var lines: [Line] {
    values.map { setting, value, line in
      Line(
        key: setting.key, value: value.settingText, number: line, needsTrust: setting.needsTrust(value, in: self))
    }
  }

  /// The commands of the definition's `exec` analyzers.
  public var programs: [[String]] {
    guard case .success(let definition)? = definition else { return [] }
    return definition.entries.filter { $0.kind == .exec }.compactMap { entry in
      try? ExecAnalyzer.Configuration(merging: entry.settings).command
    }
  }

  var runsPrograms: Bool {
    guard case .success(let definition)? = definition else { return false }
    return definition.entries.contains { $0.kind == .exec }
  }
}
