/// The files that contain the same recordings, as the page shows them.
public struct PageDuplicates: Sendable {
  public struct File: Sendable {
    /// The recommended action: `Keep`, `Spare`, `Listen first`.
    public var advice: String
    public var path: String
    /// A description of the file and of how it differs from the other files in the group.
    public var text: String

    public init(advice: String, path: String, text: String) {
      self.advice = advice
      self.path = path
      self.text = text
    }
  }

  public struct Group: Sendable {
    public var name: String
    /// The space that could be freed; `nil` if there is none.
    public var spare: String?
    /// The files, starting with the one to keep.
    public var files: [File]
    /// Number of files in the group that the page does not list.
    public var unlistedCount: Int

    public init(name: String, spare: String?, files: [File], unlistedCount: Int) {
      self.name = name
      self.spare = spare
      self.files = files
      self.unlistedCount = unlistedCount
    }
  }

  /// Number of duplicates, and the space that could be freed.
  public var summary: String
  /// A note about duplicates that the page does not show, and about how to see them.
  public var note: String
  /// The groups, starting with those where the most bytes could be freed.
  public var groups: [Group]

  public init(summary: String, note: String, groups: [Group]) {
    self.summary = summary
    self.note = note
    self.groups = groups
  }

  var templateValues: [String: Any] {
    [
      "summary": summary, "note": note,
      "groups": groups.map { group in
        var values: [String: Any] = [
          "name": group.name, "count": PageFormatter.counted(group.files.count + group.unlistedCount, "file"),
          "files": group.files.map { ["advice": $0.advice, "path": $0.path, "text": $0.text] },
        ]
        values["spare"] = group.spare
        if group.unlistedCount > 0 { values["unlisted"] = PageFormatter.counted(group.unlistedCount, "more file") }
        return values
      },
    ]
  }
}
