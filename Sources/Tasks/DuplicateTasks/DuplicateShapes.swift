internal import Analysis
internal import Library
internal import Platform
internal import Records
internal import Reporting
internal import ResultStore
internal import Text

extension LibraryDuplicates {
  /// Includes the line break.
  package var ndjsonLine: [UInt8] { Shape.duplicates.ndjsonLine(self) }

  package var json: String {
    var json = JSONWriter()
    Shape.duplicates.writeJSON(self, into: &json)
    return json.text
  }

  /// The duplicates as CSV: a header, followed by a row for each file of each group.
  package var csv: [UInt8] {
    var csv = CSVWriter(guardsFormulas: true)
    csv.text("group")
    for column in Shape<DuplicateGroup.File>.duplicateFile.columns { csv.text(column.name) }
    csv.endRow()
    for group in groups {
      for file in group.files {
        csv.text(group.id)
        Shape.duplicateFile.writeCells(file, into: &csv)
        csv.endRow()
      }
    }
    return csv.bytes
  }
}

/// The output of `duplicates`: schema `nocturne.duplicates` version 1. Fields keep their names and types forever; the
/// only changes are new fields.
extension Shape<LibraryDuplicates> {
  static var duplicates: Shape {
    Shape(
      summary: "Files of the same recordings, by their sound.",
      fields: [
        .required("spare_files", .integer, "Files whose audio is all in another one, too.") { $0.spareCount },
        .required("spare_bytes", .integer, "Bytes of these files.") { Int($0.spareBytes) },
        .objects("groups", .duplicateGroup, "Most bytes to spare first; null if there are none.") { $0.groups },
        .objects(
          "longer_files", .longerFile, "Files that hold other tracks of the library; null if there are none."
        ) { $0.longerFiles },
        .objects(
          "other_versions", .otherVersion,
          "Pairs of files of one performance in different mixes, which are no duplicates; null if there are none."
        ) { $0.otherVersions },
      ])
  }
}

extension Shape<DuplicateGroup> {
  fileprivate static var duplicateGroup: Shape {
    Shape(
      summary: "Files of one recording.",
      fields: [
        .required("id", .text, "Stays the same while the files do.") { $0.id },
        .required("spare_bytes", .integer, "Bytes of the files that can be spared.") { Int($0.spareBytes) },
        .objects("files", .duplicateFile, "The one to keep first.") { $0.files },
      ])
  }
}

extension Shape<DuplicateGroup.File> {
  fileprivate static var duplicateFile: Shape {
    Shape(
      summary: "A file of a group.",
      fields: [
        .required(
          "advice", .text, "keep: the best one. spare: all its audio is in that one. review: it has something else."
        ) { $0.advice.rawValue },
        .optional(
          "relation", .text,
          "How it differs from the one to keep: audio (the same encoded audio), encoding, cut, edit, speed; null for that "
            + "one, and where it is only known to be like others of the group."
        ) { $0.relation },
        .list("reasons", .text, "Why that one is kept.") { $0.reasons },
        .optional("difference", .text, "How it differs, in words.") { DuplicateText.difference(of: $0) },
        .uri { $0.record.path }, .path { $0.record.path },
        .optional("content_id", .contentID, "The encoded audio.") { $0.record.contentID },
        .optional("title", .text, "Title.") { $0.record.track.titleTag },
        .optional("artist", .text, "Performers.") { $0.record.track.artist },
        .optional("album", .text, "Title of the release.") { $0.record.track.album },
        .optional("size_bytes", .integer, "Size in bytes.") { $0.record.sizeBytes.map { Int($0) } },
        .optional("duration_s", .number, "Seconds.") { $0.record.format?.duration },
        .optional("codec", .text, "Codec.") { $0.record.format?.codec },
        .optional("bit_rate_bps", .integer, "Bits per second.") { $0.record.format?.bitRate },
        .optional("sample_rate_hz", .integer, "Samples per second.") { $0.record.format?.sampleRate },
        .optional("lossless", .boolean, "The codec is lossless.") { $0.record.format?.isLossless },
        .optionalObject("alignment", .alignment, "How it lies to the one to keep; null where nothing was compared.") {
          $0.pair
        },
      ])
  }
}

extension Shape<StoredPair> {
  fileprivate static var alignment: Shape {
    Shape(
      summary: "Which stretches of two files are the same.",
      fields: [
        .required("basis", .text, "signature: the whole tracks. fingerprint: their beginnings.") { $0.basis },
        .required("coverage", .number, "0 to 1: the share of the shorter file that is in the other one.") {
          $0.coverage
        },
        .required("agreement", .number, "0 to 1: how alike these stretches are on the mean.") { $0.agreement },
        .required("speed", .number, "How much faster the one to keep plays: 1.01 is 1% faster.") { $0.speed },
        .objects("stretches", .stretch, "In the order of this file.") { $0.stretches },
      ])
  }
}

extension Shape<[Double]> {
  fileprivate static var stretch: Shape {
    Shape(
      summary: "A stretch that is the same in both files, in seconds.",
      fields: [
        .required("start_s", .number, "Where it begins in this file.") { $0[0] },
        .required("end_s", .number, "Where it ends in this file.") { $0[1] },
        .required("kept_start_s", .number, "Where it begins in the one to keep.") { $0[2] },
        .required("kept_end_s", .number, "Where it ends there.") { $0[3] },
      ])
  }
}

extension Shape<OtherVersion> {
  fileprivate static var otherVersion: Shape {
    Shape(
      summary: "Two files of one performance in different mixes.",
      fields: [
        .objects("files", .version, "Both, in the order of their paths.") { [$0.first, $0.second] }
      ])
  }
}

extension Shape<FileRecord> {
  fileprivate static var version: Shape {
    Shape(
      summary: "A file of another version.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .optional("title", .text, "Title.") { $0.track.titleTag },
        .optional("artist", .text, "Performers.") { $0.track.artist },
        .optional("duration_s", .number, "Seconds.") { $0.format?.duration },
      ])
  }
}

extension Shape<LongerFile> {
  fileprivate static var longerFile: Shape {
    Shape(
      summary: "A file that holds other tracks.",
      fields: [
        .uri { $0.record.path }, .path { $0.record.path },
        .optional("duration_s", .number, "Seconds.") { $0.record.format?.duration },
        .objects("parts", .part, "In their order in the file.") { $0.parts },
      ])
  }
}

extension Shape<LongerFile.Part> {
  fileprivate static var part: Shape {
    Shape(
      summary: "A track that is a part of a longer file.",
      fields: [
        .uri { $0.record.path }, .path { $0.record.path },
        .optional("title", .text, "Title.") { $0.record.track.titleTag },
        .optional("artist", .text, "Performers.") { $0.record.track.artist },
        .required("start_s", .number, "Where it begins in the longer file, in seconds.") { $0.start },
        .required("end_s", .number, "Where it ends there.") { $0.end },
      ])
  }
}

package enum DuplicateSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "duplicates", "nocturne.duplicates.v1.schema.json",
        ReportSchema.lineSchema(Shape.duplicates.schema, title: "nocturne.duplicates, version 1").text
      )
    ]
  }
}
