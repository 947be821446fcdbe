package import Analysis

extension FileAnalysis {
  package mutating func noteChange() {
    note(
      code: "changed_while_reading", "The file changed while it was being read; the next run analyzes it again.")
  }

  /// Says that the file did not stay as it was, which matters more than whatever else was wrong with it.
  package mutating func note(code: String, _ message: String) {
    if status == .ok { status = .partial }
    problem = Problem(stage: .decode, code: code, message: message)
    // What was hashed need not be what was decoded: nobody else may take these findings for his own.
    contentID = nil
    decodingID = nil
    reusesKnownAudio = false
  }
}
