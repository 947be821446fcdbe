internal import Landmarks

/// The layout of a segment, which is also the layout of a portable catalog file.
///
/// All numbers are little-endian. A header of 256 bytes is followed by sections in the order of `Section`:
/// - `landmarks`: the codes of the signatures, one track after the other.
/// - `postings`: for each key of `LandmarkPair` and each value of the first `contextBits` of the context, a list of the
///   columns of its anchors, ascending. Each column is stored as its difference from the previous one in base 128
///   (seven bits per byte, low bits first, with the high bit set on all except the last byte).
/// - `listBases`: for every `listGroup` lists, the 64-bit offset of the first list within `postings`.
/// - `listOffsets`: the start of each list relative to its base, as a number of 2 or 4 bytes, with one more number at
///   the end. In a small segment, most lists are empty; these are left out here and in `listBases`. The section then
///   starts with a presence bit for each list, low bits first, and a 32-bit rank for every `rankGroup` bits: the number
///   of lists present before them (Jacobson, FOCS 1989).
/// - `blocks`: for every `blockColumns` columns of each track, the index of the code at which decoding can begin, and
///   the column to start from.
/// - `tracks`: a record of 64 bytes for each track.
/// - `items`: the identifier and the media items of each track's reference, as JSON.
///
/// Columns are numbered continuously over all tracks of a segment, with `trackGap` empty columns after each track.
enum SegmentFormat {
  static let magic: [UInt8] = [0x89] + Array("NCAT\r\n\u{1A}".utf8)
  /// Version of the format. Version 1 had no `contextBits`, which is read as 0. In version 2, the maximum of
  /// `contextBits` was 6. Up to version 3, no lists were left out.
  static let version: UInt32 = 4
  static let readableVersions: ClosedRange<UInt32> = 1...4
  static let headerSize = 256

  enum Section: Int, CaseIterable {
    case landmarks, postings, listBases, listOffsets, blocks, tracks, items
  }

  /// Byte offsets within the header.
  enum Header {
    static let version = 8
    static let signatureVersion = 12
    static let trackCount = 16
    static let columnCount = 24
    static let landmarkCount = 32
    static let postingCount = 40
    static let listOffsetWidth = 48
    static let contextBits = 52
    static let fileSize = 56
    /// The offset, the length and the low 64 bits of the XXH3-128 of each section.
    static let sections = 64
    static let sectionSize = 24
    /// 1 if empty lists are left out, in which case `listCount` is the number of stored lists.
    static let isSparse = 232
    static let listCount = 236
    /// The low 64 bits of the XXH3-128 of the header up to here.
    static let checksum = 248
  }

  static let listGroup = 32
  /// Number of presence bits per rank: eight words of 64 bits.
  static let rankGroup = 512
  static let blockColumns = 256
  static let blockSize = 8
  /// Number of empty columns after a track. It is more than half of a 12 s window (`StreamingMatcher`), so that windows
  /// at the end of a track do not vote for columns of the next track.
  static let trackGap = 256
  /// Maximum number of columns in a segment. Column numbers within a segment have 32 bits.
  static let maximumColumnCount = Int(UInt32.max) - 1
  /// Maximum number of columns in a track, which is 9,500 hours. Such numbers fit into signed 32-bit integers, with
  /// room to spare.
  static let maximumTrackColumnCount = 1 << 30

  /// A record of the section `tracks`.
  struct Track {
    static let size = 64

    var firstColumn: UInt32
    var columnCount: UInt32
    /// Offset of the track's codes within `landmarks`.
    var landmarkOffset: UInt64
    /// Number of codes.
    var codeCount: UInt32
    var landmarkCount: UInt32
    /// Index of the track's first block within `blocks`.
    var firstBlock: UInt32
    var itemLength: UInt32
    /// Offset of the reference's identifier and media items within `items`.
    var itemOffset: UInt64
    /// The XXH3-128 of the reference's identifier.
    var identifierHigh: UInt64
    var identifierLow: UInt64
    var reserved: UInt64 = 0
  }
}
