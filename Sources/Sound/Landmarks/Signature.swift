internal import Analysis

/// A peak of the whitened spectrum. Landmarks are the units by which recordings are recognized (Wang, "An
/// Industrial-Strength Audio Search Algorithm", ISMIR 2003).
public struct Landmark: Hashable, Sendable {
  /// Column, in units of 32 ms from the start of the signature. Column c is centered at c · 0.032 s.
  public var column: Int
  /// Band, from 0 to `bandCount - 1`: 36 per octave, starting at 250 Hz.
  public var band: Int
  /// Prominence of the peak, from 0 to 15, in steps of 1.5 dB.
  public var strength: Int

  /// Step of `strength`, in dB.
  static let strengthStep: Float = 1.5
  /// Number of steps of `strength`.
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

/// The data by which a track is recognized: about 30 landmarks per second, with 2 bytes each.
///
/// A signature cannot be turned back into audio: it contains the positions of the strongest local peaks of the
/// spectrum, but no amplitudes, phases or values between peaks. It can be cut (`slice`) and stored as bytes (`bytes`,
/// `init(bytes:)`), and does not depend on the block size of the input.
public struct Signature: Hashable, Sendable {
  /// Version of the algorithm. It is incremented whenever the same audio yields different landmarks. Only signatures of
  /// the same version can be compared.
  public static let version = 1

  /// Number of columns of audio that the signature covers.
  public private(set) var columnCount: Int
  public private(set) var landmarkCount: Int
  /// Landmarks in order of column, then band, encoded by `SignatureCoding`.
  private var codes: [UInt16]

  /// Duration of the audio that the signature covers, in seconds.
  public var duration: Double { Double(columnCount) / LandmarkSpectrum.columnsPerSecond }

  /// - Parameter landmarks: Landmarks in order of column, then band, all within `columnCount`.
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

  /// Landmarks in order of column, then band.
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

  /// Returns the part of the signature between two times, in seconds, as if the audio began and ended there.
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

/// The reason bytes are not a readable signature.
public enum SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
  case notASignature
  /// The signature has another version. The audio must be analyzed again.
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

  /// The signature as bytes: a magic number, version, number of columns, number of landmarks and checksum as 32-bit
  /// numbers, then the codes. Everything is little-endian.
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

  /// The codes without a header, little-endian, as stored in a catalog.
  package var bodyBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * codes.count)
    for code in codes {
      bytes.append(UInt8(truncatingIfNeeded: code))
      bytes.append(UInt8(truncatingIfNeeded: code >> 8))
    }
    return bytes
  }

  /// Decodes `bytes`.
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

  /// Decodes `bodyBytes`.
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

/// Encodes landmarks as 16-bit codes. A code below `firstSkip` contains the number of columns since the previous code
/// (0 to 28), the strength and the band. Any other code skips 1 to 1,504 columns.
package enum SignatureCoding {
  /// The number of bands times the number of strengths.
  @inlinable package static var valuesPerColumn: UInt16 { 138 * 16 }
  @inlinable package static var maxGap: Int { 28 }
  @inlinable package static var firstSkip: UInt16 { valuesPerColumn * 29 }
  static var maxSkip: Int { Int(UInt16.max - firstSkip) + 1 }

  /// Advances `column` by a code. Returns the band and strength of the landmark there, or `nil` for a skip.
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
  /// Decodes 16-bit little-endian codes until they end, a landmark is at column `end` or later, or `landmarks` is full.
  /// - Parameters:
  ///   - next: Index of the next code.
  ///   - column: Column of the previous landmark.
  /// - Returns: The number of landmarks written.
  package static func decode(
    _ codes: UnsafeRawBufferPointer, next: inout Int, column: inout Int, until end: Int,
    into landmarks: UnsafeMutableBufferPointer<PackedLandmark>
  ) -> Int {
    // Local copies help the optimizer, because writes to memory might alias the originals.
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

/// Encodes landmarks incrementally.
struct SignatureEncoder {
  private(set) var codes: [UInt16] = []
  private(set) var landmarkCount = 0
  private var column = 0

  /// Appends a landmark. Landmarks must be in order of column, then band.
  mutating func append(_ landmark: Landmark) {
    precondition(landmark.column >= column && (0..<LandmarkSpectrum.bandCount).contains(landmark.band))
    while landmark.column - column > SignatureCoding.maxGap {
      let skip = min(landmark.column - column, SignatureCoding.maxSkip)
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
