package import Recognition

/// One piece of a recording that is cut into its tracks.
package struct MixPiece: Sendable {
  /// Seconds of the recording.
  package var start: Double
  package var end: Double
  /// The track; `nil` for a stretch in which nothing was recognized.
  package var cue: CueSheet.Cue?
  /// Seconds around `start` in which this track and the one before sound at once; 0 if they do not.
  package var overlap = 0.0
  /// Tracks that are heard only while this one is, such as a jingle over a song: they get no pieces of their own.
  package var alsoHeard: [CueSheet.Cue] = []

  package var duration: Double { end - start }
}

extension MixPiece {
  /// Unknown stretches that are shorter belong to a track beside them.
  package static let shortestUnknown = 10.0
  /// Overlaps that are shorter are within the error of cues.
  static let shortestOverlap = 1.0
  /// Tracks that are heard for less get no piece of their own.
  static let shortestTrack = 3.0

  /// Cuts a recording by its cues: the pieces follow each other without gaps and hold all of it.
  ///
  /// - Two tracks that sound at once are cut apart in the middle of the overlap.
  /// - Between two tracks less than `shortestUnknown` apart, the cut lies where the second one begins, if it is played
  ///   from its beginning; else where the first one is over, if it is played to its end; else in the middle. So a pause
  ///   goes with the track before it.
  /// - Other stretches in which nothing was recognized are pieces, but for short ones at the start and the end of the
  ///   recording, which go with the first and the last track.
  package static func pieces(of sheet: CueSheet) -> [MixPiece] {
    var played: [Extent] = []
    var others: [CueSheet.Cue] = []
    for extent in sheet.cues.map({ Extent($0, in: sheet.duration) }).sorted(by: { $0.start < $1.start }) {
      let isWithinAnother = played.last.map { extent.end <= $0.cue.end } ?? false
      if isWithinAnother || extent.end - extent.start < shortestTrack {
        others.append(extent.cue)
      } else {
        played.append(extent)
      }
    }
    var pieces: [MixPiece] = []
    var before: Extent?
    for extent in played {
      var piece = MixPiece(start: extent.start, end: extent.end, cue: extent.cue)
      // A track that was not heard to its end may have been cut off where the next one begins.
      before?.end(by: extent.start)
      let lastEnd = before?.end ?? 0
      if extent.start - lastEnd >= shortestUnknown {
        pieces.append(MixPiece(start: lastEnd, end: extent.start))
      } else if let before {
        piece.start = before.cut(to: extent)
        pieces[pieces.count - 1].end = piece.start
        let overlap = before.end - extent.start
        if overlap >= shortestOverlap { piece.overlap = overlap }
      } else {
        piece.start = 0
      }
      pieces.append(piece)
      before = extent
    }
    let lastEnd = before?.end ?? 0
    if pieces.isEmpty || sheet.duration - lastEnd >= shortestUnknown {
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

/// From where to where a track is played.
private struct Extent {
  var cue: CueSheet.Cue
  var start: Double
  var end: Double
  /// It is played from its beginning.
  var hasBeginning: Bool
  /// It is played to its end.
  var hasEnd: Bool

  /// Seconds: a track that is first heard so near to its beginning is taken to be played from there: it was faded in,
  /// or has a quiet beginning. The same holds for its end.
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

  /// The time at which this track is cut from the next one, which is not far from it.
  func cut(to next: Extent) -> Double {
    let middle = (end + next.start) / 2
    if end - next.start >= MixPiece.shortestOverlap { return middle }
    return next.hasBeginning ? next.start : hasEnd ? end : middle
  }
}
