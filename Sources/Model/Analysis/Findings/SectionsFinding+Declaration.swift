extension SectionsFinding {
  public static let declaration = FindingDeclaration<SectionsFinding>(
    "sections", "Sections of the track and which are alike; null if they were not looked for.",
    fields: [
      .field("form", \.form, "Labels of the sections in order, such as A B A C; null if there are none."),
      .field("map", \.map, "The sections."),
      .column("section_count", "Number of sections.") { $0.map.count },
      .field("reason", \.reason, "Why there are no sections: too_short, silence, no_structure."),
    ],
    isOnPages: true,
    lines: { sections, _ in [FindingLine("sections", sections.text)] })

  private var text: String {
    form ?? "none (\(reason ?? "unknown reason"))"
  }
}
