public enum ExportFormats {
  /// All formats, in the order of `analyze export --list`.
  public static let all: [any ExportFormat] = [
    RekordboxExport(), TraktorExport(), MixxxExport(),
    MeilisearchExport(), TypesenseExport(), OpenSearchExport(), ParquetExport(),
    JAMSExport(), LabExport(), AnnotationCSVExport(),
    M3U8Export(), NavidromeExport(), MPDExport(), AcoustIDExport(),
    ChecksumExport(), BagItExport(),
  ]

  public static func named(_ name: String) -> (any ExportFormat)? { all.first { $0.name == name } }
}
