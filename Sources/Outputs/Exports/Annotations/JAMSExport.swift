internal import Analysis
internal import Library
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// JAMS, the JSON format of music information retrieval (Humphrey et al., "JAMS: a JSON annotated music specification
/// for reproducible MIR research", ISMIR 2014; schema version 0.3).
public struct JAMSExport: ExportFormat {
  public let name = "jams"
  public let abstract = "A JAMS file for each track: beats, tempo, key and sections"
  public let long: Set<String> = ["beats"]
  public let output = ExportOutput.tree

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(MirroredFolder.options)
    return try JAMSWriter(context)
  }
}

private struct JAMSWriter: ExportWriter {
  private let program: String
  private let folder: MirroredFolder

  private static let suffix = ".jams"
  private static let version = "0.3.4"

  init(_ context: ExportContext) throws(ExportError) {
    program = context.program
    folder = try MirroredFolder(context, suffixes: [Self.suffix])
  }

  func append(_ record: FileRecord) throws { try folder.write([Self.suffix: text(of: record)], for: record.path) }

  func remove(_ removal: ExportRemoval) { folder.remove(removal.path) }

  func finish() throws -> [FilePath] { try folder.commit() }

  private func text(of record: FileRecord) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("file_metadata")
    metadata(of: record, &json)
    json.key("annotations")
    json.beginArray()
    annotate(record, &json)
    json.endArray()
    json.key("sandbox")
    json.beginObject()
    json.endObject()
    json.endObject()
    json.endLine()
    return json.bytes
  }

  private func metadata(of record: FileRecord, _ json: inout JSONWriter) {
    json.beginObject()
    let texts = [
      ("title", record.track.title), ("artist", record.track.artist), ("release", record.track.album),
      ("jams_version", Self.version),
    ]
    for case (let name, let value?) in texts {
      json.key(name)
      json.string(value)
    }
    if let duration = record.format?.duration {
      json.key("duration")
      json.number(duration, decimals: 3)
    }
    json.key("identifiers")
    json.beginObject()
    let identifiers = [
      ("file_id", ContentID(ofPath: record.path).description), ("id", record.contentID?.description),
      ("uri", record.path.uri), ("isrc", record.track.first("isrc")),
      ("musicbrainz_recordingid", record.track.first("musicbrainz_recordingid")),
    ]
    for case (let name, let value?) in identifiers {
      json.key(name)
      json.string(value)
    }
    json.endObject()
    json.endObject()
  }

  private func annotate(_ record: FileRecord, _ json: inout JSONWriter) {
    let annotations = TrackAnnotations(record)
    let isManual = record.tempoCorrection != nil
    if !annotations.beats.isEmpty {
      begin("beat", record, TempoFinding.analyzer, isManual, &json)
      for beat in annotations.beats {
        observe(beat.seconds, until: beat.seconds, confidence: nil, &json) { json in
          if let number = beat.beatInBar { json.integer(number) } else { json.null() }
        }
      }
      end(&json)
    }
    if !annotations.tempi.isEmpty {
      begin("tempo", record, TempoFinding.analyzer, isManual, &json)
      for tempo in annotations.tempi {
        observe(tempo.start, until: tempo.end, confidence: record.tempo?.confidence ?? 0, &json) {
          $0.number(tempo.value, decimals: 3)
        }
      }
      end(&json)
    }
    if !annotations.keys.isEmpty {
      begin("key_mode", record, KeyFinding.analyzer, false, &json)
      for key in annotations.keys {
        // The confidence of the finding refers to the key of the whole track.
        let confidence = key.value == record.keyFinding?.key ? record.keyFinding?.confidence : nil
        observe(key.start, until: key.end, confidence: confidence, &json) {
          $0.string("\(key.value.tonic):\(key.value.mode.rawValue)")
        }
      }
      end(&json)
    }
    if !annotations.sections.isEmpty {
      begin("segment_open", record, SectionsFinding.analyzer, false, &json)
      for section in annotations.sections {
        observe(section.start, until: section.end, confidence: nil, &json) { $0.string(section.value) }
      }
      end(&json)
    }
  }

  private func begin(
    _ namespace: String, _ record: FileRecord, _ analyzer: String, _ isManual: Bool, _ json: inout JSONWriter
  ) {
    json.beginObject()
    json.key("namespace")
    json.string(namespace)
    json.key("annotation_metadata")
    json.beginObject()
    json.key("annotation_tools")
    json.string(program)
    json.key("version")
    json.string((record.analyzers.first { $0.id == analyzer }).map { "\($0.id) \($0.version)" } ?? analyzer)
    json.key("data_source")
    json.string(isManual ? "program, corrected by a person" : "program")
    json.endObject()
    json.key("sandbox")
    json.beginObject()
    json.endObject()
    json.key("time")
    json.number(0, decimals: 1)
    json.key("duration")
    if let duration = record.format?.duration { json.number(duration, decimals: 3) } else { json.null() }
    json.key("data")
    json.beginArray()
  }

  private func end(_ json: inout JSONWriter) {
    json.endArray()
    json.endObject()
  }

  private func observe(
    _ start: Double, until end: Double, confidence: Double?, _ json: inout JSONWriter,
    _ value: (inout JSONWriter) -> Void
  ) {
    json.beginObject()
    json.key("time")
    json.number(start, decimals: 4)
    json.key("duration")
    json.number(end - start, decimals: 3)
    json.key("value")
    value(&json)
    json.key("confidence")
    if let confidence { json.number(confidence, decimals: 3) } else { json.null() }
    json.endObject()
  }
}
