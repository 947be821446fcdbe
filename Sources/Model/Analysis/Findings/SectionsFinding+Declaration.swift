extension SectionsFinding {
  public static let declaration = FindingDeclaration<SectionsFinding>(
    "sections", "Sections of the track, with equal labels for similar ones; null if not analyzed.",
    fields: [
      .field("form", \.form, "Labels of the sections in order, such as A B A C; null if there are no sections."),
      .field("map", \.map, "The sections, in order of time; null if there are none."),
      .column("section_count", "Number of sections.") { $0.map.count },
      .field("reason", \.reason, "Why there are no sections: too_short, silence or no_structure; null otherwise."),
    ],
    isOnPages: true,
    lines: { sections, _ in [FindingLine("sections", sections.text)] })

  private var text: String {
    form ?? "none (\(reason ?? "unknown reason"))"
  }
}
