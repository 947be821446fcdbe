internal import Analysis
internal import Library
internal import Platform
internal import Records
internal import Reporting
internal import ResultStore
internal import Text

extension LibraryDuplicates {
  /// The duplicates as one line of JSON, including its line break.
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
      summary: "Groups of files with the same recording, found by sound.",
      fields: [
        .required("spare_files", .integer, "Number of files whose audio is entirely contained in another file.") {
          $0.spareCount
        },
        .required("spare_bytes", .integer, "Size of these files in bytes.") { Int($0.spareBytes) },
        .objects("groups", .duplicateGroup, "Groups, the most bytes to spare first; null if there are none.") {
          $0.groups
        },
        .objects(
          "longer_files", .longerFile, "Files that contain other tracks of the library; null if there are none."
        ) { $0.longerFiles },
        .objects(
          "other_versions", .otherVersion,
          "Pairs of files with different mixes of one performance, which are not duplicates; null if there are none."
        ) { $0.otherVersions },
      ])
  }
}

extension Shape<DuplicateGroup> {
  fileprivate static var duplicateGroup: Shape {
    Shape(
      summary: "A group of files with the same recording.",
      fields: [
        .required("id", .text, "Id of the group, which stays the same as long as its files do.") { $0.id },
        .required("spare_bytes", .integer, "Size in bytes of the files that can be spared.") { Int($0.spareBytes) },
        .objects("files", .duplicateFile, "Files of the group, the one to keep first.") { $0.files },
      ])
  }
}

extension Shape<DuplicateGroup.File> {
  fileprivate static var duplicateFile: Shape {
    Shape(
      summary: "A file of a group.",
      fields: [
        .required(
          "advice", .text,
          "keep: the best file. spare: the file to keep has all its audio. review: it has other audio as well."
        ) { $0.advice.rawValue },
        .optional(
          "relation", .text,
          "Difference from the file to keep: audio (the same encoded audio), encoding, cut, edit or speed; null for "
            + "the file to keep, and if the file was only found to be similar to others of the group."
        ) { $0.relation },
        .list("reasons", .text, "Reasons why the file to keep was chosen.") { $0.reasons },
        .optional("difference", .text, "Difference from the file to keep, in words.") {
          DuplicateText.difference(of: $0)
        },
        .uri { $0.record.path }, .path { $0.record.path },
        .optional("content_id", .contentID, "Content id of the audio.") { $0.record.contentID },
        .optional("title", .text, "Title.") { $0.record.track.titleTag },
        .optional("artist", .text, "Performers.") { $0.record.track.artist },
        .optional("album", .text, "Title of the release.") { $0.record.track.album },
        .optional("size_bytes", .integer, "Size in bytes.") { $0.record.sizeBytes.map { Int($0) } },
        .optional("duration_s", .number, "Seconds.") { $0.record.format?.duration },
        .optional("codec", .text, "Codec.") { $0.record.format?.codec },
        .optional("bit_rate_bps", .integer, "Bits per second.") { $0.record.format?.bitRate },
        .optional("sample_rate_hz", .integer, "Samples per second.") { $0.record.format?.sampleRate },
        .optional("lossless", .boolean, "The codec is lossless.") { $0.record.format?.isLossless },
        .optionalObject("alignment", .alignment, "Alignment with the file to keep; null if the two were not compared.")
        {
          $0.pair
        },
      ])
  }
}

extension Shape<StoredPair> {
  fileprivate static var alignment: Shape {
    Shape(
      summary: "Stretches that two files have in common.",
      fields: [
        .required("basis", .text, "What was compared: signature (the whole tracks) or fingerprint (their beginnings).")
        { $0.basis },
        .required("coverage", .number, "Share of the shorter file that is in the other one, 0 to 1.") {
          $0.coverage
        },
        .required("agreement", .number, "Mean similarity of the stretches, 0 to 1.") { $0.agreement },
        .required("speed", .number, "Speed of the file to keep relative to this file: 1.01 is 1% faster.") { $0.speed },
        .objects("stretches", .stretch, "Stretches that are the same, in the order of this file.") { $0.stretches },
      ])
  }
}

extension Shape<[Double]> {
  fileprivate static var stretch: Shape {
    Shape(
      summary: "A stretch that is the same in both files, in seconds.",
      fields: [
        .required("start_s", .number, "Start in this file.") { $0[0] },
        .required("end_s", .number, "End in this file.") { $0[1] },
        .required("kept_start_s", .number, "Start in the file to keep.") { $0[2] },
        .required("kept_end_s", .number, "End in the file to keep.") { $0[3] },
      ])
  }
}

extension Shape<OtherVersion> {
  fileprivate static var otherVersion: Shape {
    Shape(
      summary: "Two files with different mixes of one performance.",
      fields: [
        .objects("files", .version, "The two files, in the order of their paths.") { [$0.first, $0.second] }
      ])
  }
}

extension Shape<FileRecord> {
  fileprivate static var version: Shape {
    Shape(
      summary: "A file with one of the mixes.",
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
      summary: "A file that contains other tracks.",
      fields: [
        .uri { $0.record.path }, .path { $0.record.path },
        .optional("duration_s", .number, "Seconds.") { $0.record.format?.duration },
        .objects("parts", .part, "Tracks that it contains, in order.") { $0.parts },
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
        .required("start_s", .number, "Start in the longer file, in seconds.") { $0.start },
        .required("end_s", .number, "End in the longer file, in seconds.") { $0.end },
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
