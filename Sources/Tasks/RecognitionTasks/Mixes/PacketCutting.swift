internal import Analysis
internal import AudioDecoding

/// Splits a recording by copying its packets.
struct PacketCutting {
  private let writing: PieceWriting

  init(_ writing: PieceWriting) {
    self.writing = writing
  }

  /// Writes the pieces, assigning each packet to the piece that contains the middle of the packet.
  func write(_ files: [MixSplit.File], into outcome: inout MixSplit.Outcome) throws(MixSplitError) {
    var packets: PacketSource
    do throws(DecodeError) {
      packets = try PacketSource(path: writing.source)
    } catch {
      throw .cannotRead(writing.source, reason: error.message)
    }
    var rest = files[...]
    var current: MixSplit.File?
    var output: PieceFile?
    var end = 0.0
    var longest = 0.0
    while let packet = packets.next() {
      guard writing.shouldContinue(packet.start) else { throw .cancelled }
      let middle = packet.start + packet.duration / 2
      if let next = rest.first, current == nil || middle >= next.piece.start {
        try complete(&current, &output, at: packet.start, into: &outcome)
        rest.removeFirst()
        current = next
        current?.piece.start = max(0, packet.start)
        output = try writing.begin(next, with: packets, isContinuation: next.number > 1)
      }
      try output?.write(packets)
      end = packet.start + packet.duration
      longest = max(longest, packet.duration)
    }
    try complete(&current, &output, at: end, into: &outcome)
    outcome.precision = longest / 2
    outcome.damage = packets.fault?.message
  }

  private func complete(
    _ current: inout MixSplit.File?, _ output: inout PieceFile?, at end: Double, into outcome: inout MixSplit.Outcome
  ) throws(MixSplitError) {
    guard var file = current.take(), let written = output.take() else { return }
    try written.finish()
    file.piece.end = end
    outcome.files.append(file)
  }
}
