/// Files of the same recordings, as the page shows them.
public struct PageDuplicates: Sendable {
  public struct File: Sendable {
    /// What may be done with it: `Keep`, `Spare`, `Listen first`.
    public var advice: String
    public var path: String
    /// What it is, and how it differs.
    public var text: String

    public init(advice: String, path: String, text: String) {
      self.advice = advice
      self.path = path
      self.text = text
    }
  }

  public struct Group: Sendable {
    public var name: String
    /// What could be freed; `nil` for nothing.
    public var spare: String?
    /// The one to keep first.
    public var files: [File]
    /// Others of the group, which the page does not list.
    public var unlistedCount: Int

    public init(name: String, spare: String?, files: [File], unlistedCount: Int) {
      self.name = name
      self.spare = spare
      self.files = files
      self.unlistedCount = unlistedCount
    }
  }

  /// How many there are, and what could be freed.
  public var summary: String
  /// What the page does not show, and how to see it.
  public var note: String
  /// Most bytes to spare first.
  public var groups: [Group]

  public init(summary: String, note: String, groups: [Group]) {
    self.summary = summary
    self.note = note
    self.groups = groups
  }

  /// The values of the page's template.
  var templateValues: [String: Any] {
    [
      "summary": summary, "note": note,
      "groups": groups.map { group in
        var values: [String: Any] = [
          "name": group.name, "count": PageWords.counted(group.files.count + group.unlistedCount, "file"),
          "files": group.files.map { ["advice": $0.advice, "path": $0.path, "text": $0.text] },
        ]
        values["spare"] = group.spare
        if group.unlistedCount > 0 { values["unlisted"] = PageWords.counted(group.unlistedCount, "more file") }
        return values
      },
    ]
  }
}
