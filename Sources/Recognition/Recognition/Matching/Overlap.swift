internal import Landmarks

/// The agreement between a query and a track at a placement.
struct Overlap {
  /// Share of the query's strongest peaks that are landmarks of the track, within one column and one band.
  var explained: Float
  /// Share of the track's landmarks that stand out in the query's spectrum.
  var present: Float

  /// Number of the strongest peaks that are compared in each second of each third of the bands.
  static let rankLimit = 3

  init(
    _ query: RecognitionQuery, _ filter: MatchedFilter, _ points: [MatchedFilter.Point],
    _ placement: MatchedFilter.Placement
  ) {
    let bandCount = LandmarkSpectrum.bandCount
    var isNear = [Bool](repeating: false, count: query.columnCount * bandCount)
    var count = 0
    var standing = 0
    for point in points {
      let place = filter.place(of: point, placement)
      guard (0..<query.columnCount).contains(place.column), (0..<bandCount).contains(place.band) else { continue }
      count += 1
      if filter.value(column: place.column, band: place.band) > FilterRows.steps / 2 { standing += 1 }
      for column in max(0, place.column - 1)...min(query.columnCount - 1, place.column + 1) {
        for band in max(0, place.band - 1)...min(bandCount - 1, place.band + 1) {
          isNear[column * bandCount + band] = true
        }
      }
    }
    var strongest = 0
    var near = 0
    for peak in query.peaks.peaks where peak.rank < Self.rankLimit {
      strongest += 1
      let column = min(max(Int(peak.column.rounded()), 0), query.columnCount - 1)
      let band = min(max(Int(peak.band.rounded()), 0), bandCount - 1)
      if isNear[column * bandCount + band] { near += 1 }
    }
    explained = Float(near) / Float(max(1, strongest))
    present = Float(standing) / Float(max(1, count))
  }
}
