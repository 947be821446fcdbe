/// Maps the names of ID3v2 frames in versions 2.2 and 2.3 to the names in 2.4 (id3.org: ID3v2.4 changes; ID3v2.2 and
/// 2.3 frames).
enum ID3v2FrameNames {
  /// Returns the name in version 2.4, which is often the same; `nil` for frames that are ignored.
  ///
  /// - Parameter id: A name of four letters, or of three as in version 2.2; iTunes writes such names even in 2.3 tags.
  static func current(_ id: String, version: Int) -> String? {
    if id.utf8.count == 3 { return dropped.contains(id) ? nil : shortNames[id] ?? id }
    guard version < 4 else { return id == "TRDC" ? "TDRC" : id }
    return dropped.contains(id) ? nil : renamed[id] ?? id
  }

  /// The frames for the file size and recording dates, and the 2.2 frames for the day and time, which are not read.
  private static let dropped: Set<String> = ["TDA", "TIM", "TSI", "TRDA", "TSIZ"]

  private static let renamed = ["TORY": "TDOR", "TYER": "TDRC"]

  /// All frames of version 2.2 that this module reads.
  private static let shortNames = [
    "COM": "COMM", "GP1": "GRP1", "IPL": "IPLS", "MVI": "MVIN", "MVN": "MVNM", "PCS": "PCST", "PIC": "APIC",
    "POP": "POPM", "SLT": "SYLT", "TAL": "TALB", "TBP": "TBPM", "TCM": "TCOM", "TCO": "TCON", "TCP": "TCMP",
    "TCR": "TCOP", "TCT": "TCAT", "TDR": "TDRL", "TDS": "TDES", "TDY": "TDLY", "TEN": "TENC", "TFT": "TFLT",
    "TID": "TGID", "TKE": "TKEY", "TLA": "TLAN", "TLE": "TLEN", "TMT": "TMED", "TOA": "TOPE", "TOF": "TOFN",
    "TOL": "TOLY", "TOR": "TDOR", "TOT": "TOAL", "TP1": "TPE1", "TP2": "TPE2", "TP3": "TPE3", "TP4": "TPE4",
    "TPA": "TPOS", "TPB": "TPUB", "TRC": "TSRC", "TRD": "TDRC", "TRK": "TRCK", "TS2": "TSO2", "TSA": "TSOA",
    "TSC": "TSOC", "TSP": "TSOP", "TSS": "TSSE", "TST": "TSOT", "TT1": "TIT1", "TT2": "TIT2", "TT3": "TIT3",
    "TXT": "TEXT", "TXX": "TXXX", "TYE": "TDRC", "UFI": "UFID", "ULT": "USLT", "WAF": "WOAF", "WAR": "WOAR",
    "WAS": "WOAS", "WCM": "WCOM", "WCP": "WCOP", "WFD": "WFED", "WPB": "WPUB", "WXX": "WXXX",
  ]
}
