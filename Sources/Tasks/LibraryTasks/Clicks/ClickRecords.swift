package import AudioEncoding
package import SystemPackage

/// The destination of audio with clicks: a file or a player.
package struct ClickDestination: Hashable, Sendable {
  /// The file; `nil` if the audio was only played.
  package var output: FilePath?
  package var format: AudioFileFormat?
  /// The program that played the audio.
  package var player: String?

  package init(output: FilePath? = nil, format: AudioFileFormat? = nil, player: String? = nil) {
    self.output = output
    self.format = format
    self.player = player
  }
}

/// The result of `click`.
package struct ClickRecord: Sendable {
  package var track: ClickedTrack
  package var outcome: ClickedTrack.Outcome
  package var destination: ClickDestination

  package init(_ track: ClickedTrack, _ outcome: ClickedTrack.Outcome, _ destination: ClickDestination) {
    self.track = track
    self.outcome = outcome
    self.destination = destination
  }
}

/// The result of `metronome`.
package struct MetronomeRecord: Sendable {
  package var metronome: Metronome
  package var outcome: Metronome.Outcome
  package var destination: ClickDestination

  package init(_ metronome: Metronome, _ outcome: Metronome.Outcome, _ destination: ClickDestination) {
    self.metronome = metronome
    self.outcome = outcome
    self.destination = destination
  }
}
