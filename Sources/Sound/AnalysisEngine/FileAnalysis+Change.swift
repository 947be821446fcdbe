package import Analysis

extension FileAnalysis {
  package mutating func noteChange() {
    note(
      code: "changed_while_reading", "The file changed while it was being read; the next run analyzes it again.")
  }

  /// Records that the file changed or vanished while it was being read. This problem replaces any other problem.
  package mutating func note(code: String, _ message: String) {
    if status == .ok { status = .partial }
    problem = Problem(stage: .decode, code: code, message: message)
    // The hash may not match the decoded bytes, so these findings must not be reused for other files.
    contentID = nil
    decodingID = nil
    reusesKnownAudio = false
    checksum = nil
  }
}
