internal import Landmarks

/// The layout of a segment: an immutable piece of a catalog, and the portable catalog file.
///
/// Little-endian. A header of 256 bytes, then sections in the order of `Section`:
/// - `landmarks`: the codes of each track's signature, one track after another.
/// - `postings`: for each key of `LandmarkPair`, and within it for each value of the first `contextBits` of the context,
///   a list of the columns of the anchors that form it, ascending, each as the difference from the one before in base
///   128 (seven bits a byte, low ones first, the high bit set on all but the last).
/// - `listBases`: for every `listGroup` lists, the 64-bit offset of the first one within `postings`.
/// - `listOffsets`: for each list, and one more, how far it begins after the base, as numbers of 2 or 4 bytes. In a small
///   segment most lists are empty and left out here and in `listBases`: then a bit for each list says whether it is there,
///   low bits first, and a 32-bit number for every `rankGroup` bits how many are there before them (Jacobson, FOCS 1989);
///   the offsets follow.
/// - `blocks`: for every `blockColumns` columns of each track, where among its codes decoding can begin, and at which column.
/// - `tracks`: a record of 64 bytes for each track.
/// - `items`: for each track its media items in JSON.
///
/// Columns are numbered through all tracks of a segment, with `trackGap` empty ones after each.
enum SegmentFormat {
  static let magic: [UInt8] = [0x89] + Array("NCAT\r\n\u{1A}".utf8)
  /// In version 1, `contextBits` was not there and is 0; in version 2 it was 6 at most; up to version 3 no list was left out.
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
    /// Offset, length and XXH3-64 of each section.
    static let sections = 64
    static let sectionSize = 24
    /// 1 if empty lists are left out, and how many there are then.
    static let isSparse = 232
    static let listCount = 236
    /// XXH3-64 of all bytes of the header before it.
    static let checksum = 248
  }

  static let listGroup = 32
  /// Eight words of 64 bits.
  static let rankGroup = 512
  static let blockColumns = 256
  static let blockSize = 8
  /// More than half the longest query, so clips at the end of a track do not vote for the next one.
  static let trackGap = 256
  /// Columns of one segment are 32-bit numbers.
  static let maximumColumnCount = Int(UInt32.max) - 1
  /// Columns of one track are counted in signed 32-bit numbers with room to spare: 9,500 hours.
  static let maximumTrackColumnCount = 1 << 30

  /// A track of a segment as it is stored.
  struct Track {
    static let size = 64

    var firstColumn: UInt32
    var columnCount: UInt32
    /// Within `landmarks`.
    var landmarkOffset: UInt64
    /// Number of codes.
    var codeCount: UInt32
    var landmarkCount: UInt32
    /// Within `blocks`, in blocks.
    var firstBlock: UInt32
    /// Within `items`.
    var itemLength: UInt32
    var itemOffset: UInt64
    /// XXH3-128 of the reference's identifier.
    var identifierHigh: UInt64
    var identifierLow: UInt64
    var reserved: UInt64 = 0
  }
}
