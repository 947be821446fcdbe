internal import Analysis

/// A peak of the whitened spectrum: the unit of recognition (Wang, "An Industrial-Strength Audio Search Algorithm",
/// ISMIR 2003).
public struct Landmark: Hashable, Sendable {
  /// Columns of 32 ms from the start of the signature; column c is centerd on second c · 0.032.
  public var column: Int
  /// 0 to `bandCount - 1`: 36 bands to the octave, from 250 Hz up.
  public var band: Int
  /// How far the peak stands out, 0 to 15, in steps of 1.5 dB.
  public var strength: Int

  /// dB.
  static let strengthStep: Float = 1.5
  /// Steps of strength.
  public static let strengthCount = 16
  public static let bandCount = LandmarkSpectrum.bandCount

  public init(column: Int, band: Int, strength: Int) {
    self.column = column
    self.band = band
    self.strength = strength
  }

  static func strength(ofDecibels decibels: Float) -> Int {
    min(max(Int(decibels / strengthStep), 0), strengthCount - 1)
  }
}

/// The data by which a track is recognized: about 30 landmarks a second, in 2 bytes each.
///
/// A signature cannot be turned back into sound: it says where the spectrum had its strongest local peaks, and neither
/// amplitudes, nor phases, nor what lies between. It can be cut (`slice`), stored as bytes (`bytes`, `init(bytes:)`)
/// and is the same whatever the block size it was computed with.
public struct Signature: Hashable, Sendable {
  /// Raised whenever the same audio gives other landmarks; only signatures of equal version can be compared.
  public static let version = 1

  /// Columns of audio the signature covers.
  public private(set) var columnCount: Int
  public private(set) var landmarkCount: Int
  /// The landmarks in order of column, then band, as `SignatureCoding` writes them.
  private var codes: [UInt16]

  /// Seconds of audio the signature covers.
  public var duration: Double { Double(columnCount) / LandmarkSpectrum.columnsPerSecond }

  /// - Parameter landmarks: In order of column, then band, all within `columnCount`.
  public init(landmarks: some Sequence<Landmark>, columnCount: Int) {
    var encoder = SignatureEncoder()
    for landmark in landmarks { encoder.append(landmark) }
    self.init(encoder: encoder, columnCount: columnCount)
  }

  init(encoder: SignatureEncoder, columnCount: Int) {
    self.columnCount = columnCount
    landmarkCount = encoder.landmarkCount
    codes = encoder.codes
  }

  /// All landmarks, in order of column, then band.
  public var landmarks: [Landmark] {
    var landmarks: [Landmark] = []
    landmarks.reserveCapacity(landmarkCount)
    var column = 0
    for code in codes {
      guard let (band, strength) = SignatureCoding.decode(code, column: &column) else { continue }
      landmarks.append(Landmark(column: column, band: band, strength: strength))
    }
    return landmarks
  }

  /// The part of a signature between two times, in seconds, as if the audio began and ended there.
  public func slice(from start: Double, to end: Double) -> Signature {
    let rate = LandmarkSpectrum.columnsPerSecond
    let first = Int((min(max(start, 0), duration) * rate).rounded())
    let last = Int((min(max(end, start), duration) * rate).rounded())
    var encoder = SignatureEncoder()
    for landmark in landmarks where landmark.column >= first && landmark.column < last {
      encoder.append(Landmark(column: landmark.column - first, band: landmark.band, strength: landmark.strength))
    }
    return Signature(encoder: encoder, columnCount: max(0, last - first))
  }
}

/// Why bytes are not a signature.
public enum SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
  case notASignature
  /// Made by another version: analyze the audio again.
  case otherVersion(Int)
  case damaged

  public var description: String {
    switch self {
    case .notASignature: "not a Nocturne signature"
    case .otherVersion(let version):
      "a signature of version \(version), but this program reads version \(Signature.version): analyze the audio again"
    case .damaged: "a damaged signature: analyze the audio again"
    }
  }
}

extension Signature {
  private static let magic: [UInt8] = Array("NSig".utf8)
  private static let headerSize = 20

  /// Magic, version, columns, landmarks and checksum as 32-bit numbers, then the codes; little-endian.
  public var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.headerSize + 2 * codes.count)
    bytes.append(littleEndian: UInt32(Self.version))
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: columnCount))
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: landmarkCount))
    let body = bodyBytes
    bytes.append(littleEndian: Self.checksum(header: bytes, body: body))
    bytes.append(contentsOf: body)
    return bytes
  }

  private static func checksum(header: [UInt8], body: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: ContentID(hashing: header + body).low)
  }

  /// The codes, little-endian, without a header: what a catalog keeps.
  package var bodyBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * codes.count)
    for code in codes {
      bytes.append(UInt8(truncatingIfNeeded: code))
      bytes.append(UInt8(truncatingIfNeeded: code >> 8))
    }
    return bytes
  }

  /// Reads what `bytes` writes.
  public init(bytes: [UInt8]) throws(SignatureError) {
    guard bytes.count >= Self.headerSize, bytes[0..<4].elementsEqual(Self.magic) else { throw .notASignature }
    func number(at offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    guard number(at: 4) == Self.version else { throw .otherVersion(number(at: 4)) }
    let body = Array(bytes[Self.headerSize...])
    guard Self.checksum(header: Array(bytes[..<16]), body: body) == UInt32(number(at: 16)) else { throw .damaged }
    try self.init(body: body, columnCount: number(at: 8))
    guard landmarkCount == number(at: 12) else { throw .damaged }
  }

  /// Reads what `bodyBytes` writes.
  package init(body: [UInt8], columnCount: Int) throws(SignatureError) {
    guard body.count % 2 == 0 else { throw .damaged }
    codes = stride(from: 0, to: body.count, by: 2).map { UInt16(body[$0]) | UInt16(body[$0 + 1]) << 8 }
    self.columnCount = columnCount
    landmarkCount = 0
    var column = 0
    for code in codes where SignatureCoding.decode(code, column: &column) != nil {
      guard column < columnCount else { throw .damaged }
      landmarkCount += 1
    }
  }
}

/// How landmarks are written as 16-bit codes: each holds the number of columns since the landmark before (0 to 28), the
/// strength and the band. The codes that are left over skip up to 1,504 columns.
package enum SignatureCoding {
  /// Bands times strengths.
  @inlinable package static var valuesPerColumn: UInt16 { 138 * 16 }
  @inlinable package static var longestGap: Int { 28 }
  @inlinable package static var firstSkip: UInt16 { valuesPerColumn * 29 }
  static var longestSkip: Int { Int(UInt16.max - firstSkip) + 1 }

  /// Moves `column` on by what the code says; the band and strength of the landmark there, or `nil` for a skip.
  @inlinable @inline(__always)
  package static func decode(_ code: UInt16, column: inout Int) -> (band: Int, strength: Int)? {
    if code >= firstSkip {
      column += Int(code - firstSkip) + 1
      return nil
    }
    let value = code % valuesPerColumn
    column += Int(code / valuesPerColumn)
    return (Int(value % 138), Int(value / 138))
  }
}

extension SignatureCoding {
  /// Decodes 16-bit codes, little-endian, until they end, a column is reached or there is no more room.
  /// - Parameters:
  ///   - next: The number of the next code.
  ///   - column: That of the landmark before.
  /// - Returns: How many landmarks are written.
  package static func decode(
    _ codes: UnsafeRawBufferPointer, next: inout Int, column: inout Int, until end: Int,
    into landmarks: UnsafeMutableBufferPointer<PackedLandmark>
  ) -> Int {
    // Copies, because whatever is written to memory might change the originals.
    var (code, place) = (next, column)
    var count = 0
    while code < codes.count / 2, count < landmarks.count {
      let value = UInt16(littleEndian: unsafe codes.loadUnaligned(fromByteOffset: 2 &* code, as: UInt16.self))
      code &+= 1
      guard let (band, strength) = decode(value, column: &place) else { continue }
      if place >= end { break }
      unsafe landmarks[count] = PackedLandmark(Landmark(column: place, band: band, strength: strength))
      count &+= 1
    }
    (next, column) = (code, place)
    return count
  }
}

/// Writes landmarks as they come.
struct SignatureEncoder {
  private(set) var codes: [UInt16] = []
  private(set) var landmarkCount = 0
  private var column = 0

  /// Landmarks come in order of column, then band.
  mutating func append(_ landmark: Landmark) {
    precondition(landmark.column >= column && (0..<LandmarkSpectrum.bandCount).contains(landmark.band))
    while landmark.column - column > SignatureCoding.longestGap {
      let skip = min(landmark.column - column, SignatureCoding.longestSkip)
      codes.append(SignatureCoding.firstSkip + UInt16(skip - 1))
      column += skip
    }
    let value = landmark.strength * LandmarkSpectrum.bandCount + landmark.band
    codes.append(UInt16(landmark.column - column) * SignatureCoding.valuesPerColumn + UInt16(value))
    column = landmark.column
    landmarkCount += 1
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: UInt32) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
