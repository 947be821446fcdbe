import Chromaprint
import Duplicates
import Foundation
import Landmarks

/// Made sounds of tracks of four minutes: pieces of real ones at other pitches and speeds, so that
/// keys are as often and as seldom as in real libraries.
struct MadeLibrary {
  private let sounds: [Sound]
  private var random = SystemRandomNumberGenerator()

  private static let seconds = 240.0
  private static let pieceCount = 4
  private static let fingerprintItems = 948

  init(of sounds: [Sound]) { self.sounds = sounds.filter { $0.signature != nil && $0.fingerprint != nil && $0.duration > 55 } }

  /// Fingerprint as text, and signature as bytes.
  mutating func next() -> (fingerprint: String, signature: [UInt8]) {
    (fingerprint(), signature())
  }

  private mutating func signature() -> [UInt8] {
    var landmarks: [Landmark] = []
    let shift = Int.random(in: 1...20, using: &random) * (Bool.random(using: &random) ? 1 : -1)
    let stretch = Double.random(in: 0.85...1.18, using: &random)
    // Bands that lag behind others by other steps share no keys with another made sound.
    let lags = (0..<138).map { _ in Int.random(in: 0...12, using: &random) }
    let columns = Int(Self.seconds * 31.25)
    var start = 0.0
    for _ in 0..<Self.pieceCount {
      guard let signature = sounds.randomElement(using: &random)?.signature else { continue }
      for landmark in signature.landmarks {
        let column = Int(start + Double(landmark.column) * stretch) + lags[landmark.band]
        let band = landmark.band + shift
        if column < columns, (0..<138).contains(band) {
          landmarks.append(Landmark(column: column, band: band, strength: landmark.strength))
        }
      }
      start += Double(signature.columnCount) * stretch + 1
    }
    landmarks.sort { ($0.column, $0.band) < ($1.column, $1.band) }
    return Signature(landmarks: landmarks, columnCount: columns).bytes
  }

  private mutating func fingerprint() -> String {
    var mask: UInt32 = 0
    for _ in 0..<Int.random(in: 1...6, using: &random) { mask |= 1 << UInt32.random(in: 0..<32, using: &random) }
    var items: [UInt32] = []
    while items.count < Self.fingerprintItems {
      items += sounds.randomElement(using: &random)?.fingerprint?.items.map { $0 ^ mask } ?? []
    }
    let chosen = Array(items.prefix(Self.fingerprintItems))
    let text = FingerprintText.text(of: chosen)
    precondition(Fingerprint(text)?.items == chosen)
    return text
  }
}

/// A fingerprint as libchromaprint writes it: which bits of an item differ from those of the item before, as distances of
/// three bits each, larger ones with five more bits behind all others.
enum FingerprintText {
  static func text(of items: [UInt32]) -> String {
    var (normal, rest): ([UInt8], [UInt8]) = ([], [])
    var last: UInt32 = 0
    for item in items {
      var difference = item ^ last
      last = item
      var (bit, lastBit) = (1, 0)
      while difference != 0 {
        if difference & 1 == 1 {
          let distance = bit - lastBit
          normal.append(UInt8(min(distance, 7)))
          if distance >= 7 { rest.append(UInt8(distance - 7)) }
          lastBit = bit
        }
        difference >>= 1
        bit += 1
      }
      normal.append(0)
    }
    let header = [1, UInt8(items.count >> 16 & 0xFF), UInt8(items.count >> 8 & 0xFF), UInt8(items.count & 0xFF)]
    let data = Data(header + packed(normal, bits: 3) + packed(rest, bits: 5))
    return data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func packed(_ values: [UInt8], bits: Int) -> [UInt8] {
    var (bytes, buffer, count): ([UInt8], UInt32, Int) = ([], 0, 0)
    for value in values {
      buffer |= UInt32(value) << UInt32(count)
      count += bits
      while count >= 8 {
        bytes.append(UInt8(buffer & 0xFF))
        buffer >>= 8
        count -= 8
      }
    }
    if count > 0 { bytes.append(UInt8(buffer & 0xFF)) }
    return bytes
  }
}
