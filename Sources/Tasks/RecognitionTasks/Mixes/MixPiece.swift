package import Recognition

/// A piece of a recording that is cut into tracks and unrecognized stretches.
package struct MixPiece: Sendable {
  /// The start in the recording, in seconds.
  package var start: Double
  package var end: Double
  /// The track; `nil` for a stretch that was not recognized.
  package var cue: CueSheet.Cue?
  /// Number of seconds around `start` in which this track overlaps the previous one; 0 if they do not overlap.
  package var overlap = 0.0
  /// Tracks without pieces of their own, because they are heard only during this piece or very briefly, such as a
  /// jingle over a song.
  package var alsoHeard: [CueSheet.Cue] = []

  package var duration: Double { end - start }
}

extension MixPiece {
  /// Minimum duration of an unrecognized piece, in seconds. Shorter stretches belong to an adjacent track.
  package static let minUnknownDuration = 10.0
  /// Minimum overlap, in seconds. Shorter overlaps are within the error of cues.
  static let minOverlap = 1.0
  /// Minimum duration of a track, in seconds. Tracks that are heard for a shorter time do not get a piece of their own.
  static let minTrackDuration = 3.0

  /// Cuts a recording according to its cues into pieces that cover all of it without gaps.
  ///
  /// - Tracks that overlap are cut in the middle of the overlap.
  /// - If two tracks are less than `minUnknownDuration` apart, the cut is where the second one starts, provided it is
  ///   played from its beginning; otherwise, where the first one ends, provided it is played to its end; otherwise, in
  ///   the middle. A pause therefore belongs to the track before it.
  /// - Other unrecognized stretches become pieces. Short ones at the start and end of the recording belong to the first
  ///   and last track instead.
  package static func pieces(of sheet: CueSheet) -> [MixPiece] {
    var played: [Extent] = []
    var others: [CueSheet.Cue] = []
    for extent in sheet.cues.map({ Extent($0, in: sheet.duration) }).sorted(by: { $0.start < $1.start }) {
      let isWithinAnother = played.last.map { extent.end <= $0.cue.end } ?? false
      if isWithinAnother || extent.end - extent.start < minTrackDuration {
        others.append(extent.cue)
      } else {
        played.append(extent)
      }
    }
    var pieces: [MixPiece] = []
    var before: Extent?
    for extent in played {
      var piece = MixPiece(start: extent.start, end: extent.end, cue: extent.cue)
      // If a track is not heard to its end, it may have been cut off where the next one starts.
      before?.end(by: extent.start)
      let lastEnd = before?.end ?? 0
      if extent.start - lastEnd >= minUnknownDuration {
        pieces.append(MixPiece(start: lastEnd, end: extent.start))
      } else if let before {
        piece.start = before.cut(to: extent)
        pieces[pieces.count - 1].end = piece.start
        let overlap = before.end - extent.start
        if overlap >= minOverlap { piece.overlap = overlap }
      } else {
        piece.start = 0
      }
      pieces.append(piece)
      before = extent
    }
    let lastEnd = before?.end ?? 0
    if pieces.isEmpty || sheet.duration - lastEnd >= minUnknownDuration {
      pieces.append(MixPiece(start: lastEnd, end: sheet.duration))
    } else {
      pieces[pieces.count - 1].end = sheet.duration
    }
    for cue in others {
      let middle = (cue.start + cue.end) / 2
      if let index = pieces.lastIndex(where: { $0.start <= middle }) { pieces[index].alsoHeard.append(cue) }
    }
    return pieces
  }
}

/// The stretch of the recording in which a track is played.
private struct Extent {
  var cue: CueSheet.Cue
  var start: Double
  var end: Double
  /// `true` if the track is played from its beginning.
  var hasBeginning: Bool
  /// `true` if the track is played to its end.
  var hasEnd: Bool

  /// Maximum time, in seconds, from the beginning of a track to its first recognition. Within this limit, the track
  /// counts as played from the beginning, because it may have been faded in or may start quietly. The same applies to
  /// its end.
  private static let reach = 8.0

  init(_ cue: CueSheet.Cue, in duration: Double) {
    self.cue = cue
    let speed = cue.speed > 0 ? cue.speed : 1
    let before = cue.match.matchOffset / speed
    let after = (cue.match.referenceDuration - cue.match.matchOffset) / speed - (cue.end - cue.start)
    hasBeginning = before <= Self.reach
    hasEnd = after <= Self.reach
    start = max(0, hasBeginning ? cue.start - max(0, before) : cue.start)
    end = min(duration, hasEnd ? cue.end + max(0, after) : cue.end)
  }

  mutating func end(by nextStart: Double) { end = max(cue.end, min(end, nextStart)) }

  /// Returns the time of the cut between this track and the next one, if they are close to each other.
  func cut(to next: Extent) -> Double {
    let middle = (end + next.start) / 2
    if end - next.start >= MixPiece.minOverlap { return middle }
    return next.hasBeginning ? next.start : hasEnd ? end : middle
  }
}
