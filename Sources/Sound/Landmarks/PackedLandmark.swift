/// A landmark in eight bytes.
package struct PackedLandmark: Equatable, Sendable {
  package var column: Int32
  package var band: Int16
  package var strength: Int16

  package init(_ landmark: Landmark) {
    column = Int32(truncatingIfNeeded: landmark.column)
    band = Int16(truncatingIfNeeded: landmark.band)
    strength = Int16(truncatingIfNeeded: landmark.strength)
  }
}
