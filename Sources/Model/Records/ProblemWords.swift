internal import Analysis

/// The texts for a kind of problem: its name, its meaning for one file or for many, and advice.
public struct ProblemWords: Hashable, Sendable {
  /// The area in which the cause of the problem lies.
  public enum Cause: Hashable, Sendable {
    case file
    /// The system could not open or read the file or folder.
    case access
    /// A worker process crashed, gave no answer, got stuck, or took too long.
    case worker
    case other
  }

  public let cause: Cause
  /// A short name, such as `Cut off`.
  public let name: String
  private let noun: String
  private let singular: String
  private let plural: String
  private let adviceForOne: String
  private let adviceForMany: String

  private init(
    _ cause: Cause, _ name: String, _ singular: String, _ plural: String, _ adviceForOne: String,
    many adviceForMany: String? = nil, noun: String = "file"
  ) {
    self.cause = cause
    self.name = name
    self.noun = noun
    self.singular = singular
    self.plural = plural
    self.adviceForOne = adviceForOne
    self.adviceForMany = adviceForMany ?? adviceForOne
  }

  /// Returns a sentence such as `1 file is cut off.`
  /// - Parameter number: The formatted count.
  public func sentence(count: Int, number: String) -> String {
    count == 1 ? "1 \(noun) \(singular)." : "\(number) \(noun)s \(plural)."
  }

  /// A sentence such as `This file is cut off.`
  public var sentence: String { "This \(noun) \(singular)." }

  /// Returns one or two sentences of advice.
  public func advice(count: Int = 1) -> String { count == 1 ? adviceForOne : adviceForMany }

  /// - Parameter code: The code of a `Problem`. For an unknown code, the texts are derived from the code.
  public init(code: String) {
    if let words = Self.known[code] {
      self = words
      return
    }
    let name = code.replacing("_", with: " ")
    self.init(
      .other, name.prefix(1).uppercased() + name.dropFirst(), "was not analyzed (\(name))",
      "were not analyzed (\(name))", "For details, run analyze show --why.")
  }

  private static let getItAgain = "Copy or download it again."
  private static let getThemAgain = "Copy or download them again."
  private static let known: [String: ProblemWords] = [
    "empty": ProblemWords(
      .file, "Empty", "is empty", "are empty", "The copy or download never finished. Get it again.",
      many: "The copies or downloads never finished. Get them again."),
    "unknown_format": ProblemWords(
      .file, "Unrecognized format", "has an unrecognized format", "have an unrecognized format",
      "Check that it is an audio file, or delete it.", many: "Check that they are audio files, or delete them."),
    "no_audio": ProblemWords(
      .file, "No audio", "contains no audio", "contain no audio",
      "Delete it, or leave it out with a line in a .nocturneignore file.",
      many: "Delete them, or leave them out with a line in a .nocturneignore file."),
    "unsupported_codec": ProblemWords(
      .file, "Unsupported codec", "cannot be decoded", "cannot be decoded",
      "The codec is unknown here, or the audio is encrypted. Convert it to another format.",
      many: "The codec is unknown here, or the audio is encrypted. Convert them to another format."),
    "absurd_header": ProblemWords(
      .file, "Impossible header", "claims an impossible format", "claim an impossible format", getItAgain,
      many: getThemAgain),
    "truncated": ProblemWords(
      .file, "Cut off", "is cut off", "are cut off", getItAgain, many: getThemAgain),
    "corrupt": ProblemWords(
      .file, "Damaged", "is damaged", "are damaged", getItAgain, many: getThemAgain),
    "checksum_mismatch": ProblemWords(
      .file, "Wrong checksum", "does not match its own checksum", "do not match their own checksums",
      "The audio differs from what was originally encoded. Copy or download it again.",
      many: "The audio differs from what was originally encoded. Copy or download them again."),
    "changed_silently": ProblemWords(
      .file, "Changed silently", "has different bytes, but the same size and times",
      "have different bytes, but the same size and times",
      "Put a backup in its place, and check the disk. If the change is right, run analyze verify --accept on it.",
      many: "Put backups in their places, and check the disk. Where a change is right, run analyze verify --accept."),
    "unreadable": ProblemWords(
      .access, "Unreadable", "could not be opened", "could not be opened", "Check its permissions.",
      many: "Check their permissions."),
    "read_error": ProblemWords(
      .access, "Read error", "could not be read to the end", "could not be read to the end",
      "The disk or the network failed. Check the disk; the next run tries again."),
    "unreadable_folder": ProblemWords(
      .access, "Unreadable folder", "could not be read", "could not be read",
      "Check its permissions and the disk. Known results of its files are kept.",
      many: "Check their permissions and the disk. Known results of their files are kept.", noun: "folder"),
    "unreadable_entry": ProblemWords(
      .access, "Unreadable", "could not be examined", "could not be examined",
      "Check its permissions and the disk.", many: "Check their permissions and the disk."),
    "worker_crashed": ProblemWords(
      .worker, "Crashed", "crashed the decoder", "crashed the decoder",
      "Other files are not affected. It is set aside for a while; it may need a higher --memory-limit.",
      many: "Other files are not affected. They are set aside for a while; they may need a higher --memory-limit."),
    "worker_failed": ProblemWords(
      .worker, "No answer", "got no answer from the analysis", "got no answer from the analysis",
      "The next run tries again."),
    Problem.timeLimit: ProblemWords(
      .worker, "Took too long", "took too long", "took too long", "Allow more time with --timeout."),
    Problem.noProgress: ProblemWords(
      .worker, "Stuck", "got stuck", "got stuck", "Check the disk, or allow more time with --timeout."),
    "changed_while_reading": ProblemWords(
      .other, "Changed meanwhile", "changed while being read", "changed while being read",
      "The next run reads it again.", many: "The next run reads them again."),
    "vanished_while_reading": ProblemWords(
      .other, "Gone meanwhile", "disappeared while being read", "disappeared while being read",
      "The next run looks again."),
    "still_changing": ProblemWords(
      .other, "Being written", "was still being written", "were still being written", "The next run takes it.",
      many: "The next run takes them."),
    "unfinished_download": ProblemWords(
      .other, "Unfinished download", "is an unfinished download", "are unfinished downloads",
      "Finish the download, or delete it.", many: "Finish the downloads, or delete them."),
    "already_scanned": ProblemWords(
      .other, "Known by another path", "was reached by another path", "were reached by another path",
      "Nothing to do: it is analyzed there.", many: "Nothing to do: they are analyzed there."),
    // Only pages use this code, for vanished files.
    "vanished": ProblemWords(
      .other, "Gone", "is gone", "are gone", "Known results are kept until you run analyze prune."),
    "dangling_link": ProblemWords(
      .other, "Broken link", "is a broken link", "are broken links", "Delete the link, or restore what it points to.",
      many: "Delete the links, or restore what they point to."),
  ]
}
