/// Decides which files in a folder are worth opening. Only names are considered, because a scan does not open files.
///
/// The extension only makes a file a candidate; decoding determines what it contains. Files that are given as roots are
/// analyzed regardless of their names.
public struct CandidateRule: Hashable, Sendable {
  /// Extensions of files that may contain audio, in lower case and without the dot.
  public var audioExtensions: Set<String>
  /// `true` to accept files without an extension, or with one that is neither in `audioExtensions` nor known as an
  /// extension of other files or of unfinished downloads.
  public var acceptsUnknownKinds: Bool
  /// `true` to accept files and folders whose names start with a dot, except system junk.
  public var acceptsHidden: Bool

  public init(
    audioExtensions: Set<String> = Self.defaultAudioExtensions, acceptsUnknownKinds: Bool = false,
    acceptsHidden: Bool = false
  ) {
    self.audioExtensions = audioExtensions
    self.acceptsUnknownKinds = acceptsUnknownKinds
    self.acceptsHidden = acceptsHidden
  }

  /// Returns the reason to skip a file with this name; `nil` if it is a candidate.
  public func reasonToSkip(fileNamed name: some Collection<UInt8>) -> SkipReason? {
    if let reason = reasonToSkip(anyNamed: name) { return reason }
    let suffix = Self.fileExtension(of: name)
    if audioExtensions.contains(suffix) { return nil }
    if Self.unfinishedExtensions.contains(suffix) { return .unfinishedDownload }
    if Self.otherExtensions.contains(suffix) { return .notAudio }
    return acceptsUnknownKinds ? nil : .unknownKind
  }

  /// Returns the reason to skip a folder with this name; `nil` if the walk should enter it.
  public func reasonToSkip(folderNamed name: some Collection<UInt8>) -> SkipReason? {
    if let reason = reasonToSkip(anyNamed: name) { return reason }
    return Self.junkFolders.contains { $0.utf8.elementsEqual(name) } ? .systemJunk : nil
  }

  private func reasonToSkip(anyNamed name: some Collection<UInt8>) -> SkipReason? {
    guard name.first == UInt8(ascii: ".") else { return nil }
    if name.starts(with: "._".utf8) || Self.dottedJunk.contains(where: { name.starts(with: $0.utf8) }) {
      return .systemJunk
    }
    return acceptsHidden ? nil : .hidden
  }

  /// Returns the extension in lower case; empty for names without a dot, or with a dot only as the first character, and
  /// for extensions longer than 16 bytes.
  static func fileExtension(of name: some Collection<UInt8>) -> String {
    var reversed: [UInt8] = []
    for byte in name.reversed() {
      if byte == UInt8(ascii: ".") {
        return reversed.count + 1 == name.count ? "" : String(decoding: reversed.reversed(), as: UTF8.self).lowercased()
      }
      reversed.append(byte)
      if reversed.count > maxExtensionLength { return "" }
    }
    return ""
  }

  private static let maxExtensionLength = 16
}

extension CandidateRule {
  /// Common extensions of the formats that libsndfile and FFmpeg read, and of video containers that often contain only
  /// audio. The extension `id3` is included because the owner of a file should learn that only its tag is left.
  public static let defaultAudioExtensions = words(
    """
    wav wave bwf w64 rf64 aif aiff aifc caf au snd flac fla
    mp1 mp2 mp3 mpa mpga id3 ogg oga opus spx
    m4a m4b m4p m4r mp4 3ga 3gp 3g2 aac adts alac
    wma asf ape wv mpc mpp mp+ tta tak ofr ofs shn
    dsf dff dts dtshd ac3 eac3 ec3 mlp thd
    mka webm weba amr awb ra rm voc sph nist ircam sf paf gsm
    """)

  static let unfinishedExtensions = words(
    "part partial crdownload download tmp temp !qb !ut !bt bc! aria2 opdownload filepart dtapart td xltd jc! ytdl")

  /// Extensions of non-audio files that are common in music folders. They are listed so that files of unknown kinds
  /// stand out.
  static let otherExtensions = words(
    """
    jpg jpeg jpe jfif png gif bmp webp tif tiff svg heic heif avif ico psd xcf
    txt nfo md rst log cue m3u m3u8 pls xspf wpl zpl asx lrc srt sub vtt ass ssa idx
    pdf epub doc docx odt rtf xls xlsx ods htm html mht xhtml css js json jsonl ndjson xml xsl plist
    yaml yml toml ini cfg conf csv tsv url webloc desktop lnk torrent
    sfv md5 sha1 sha256 sha512 ffp st5 asc sig accurip par2 dat bak old
    zip rar 7z tar gz tgz bz2 xz zst lz4 cbz iso bin img nrg mds mdf ccd toc
    mkv avi mov m4v mpg mpeg wmv flv f4v ogv ogm vob ifo bup ts m2ts mts divx
    mid midi kar sf2 sf3 sfz gp gp3 gp4 gp5 gpx gpif mscz mscx musicxml mxl abc ly
    als alp asd flp rpp reapeaks aup aup3 cpr logicx ptx band sfk sfl pkf pek ovw
    db sqlite sqlite3 sqlite-wal sqlite-shm itl itdb itc itc2 xmp
    exe msi dll so dmg pkg apk app com bat cmd sh ps1 py swift c h cpp hpp rs go java lua pl rb
    ttf otf woff woff2
    """)

  static let junkFolders = [
    "@eaDir", "#recycle", "@Recycle", "@Recently-Snapshot", "#snapshot", "$RECYCLE.BIN", "RECYCLER",
    "System Volume Information", "lost+found", "__MACOSX", "Network Trash Folder", "Temporary Items",
  ]

  private static let dottedJunk = [
    ".DS_Store", ".Trash", ".AppleDouble", ".AppleDB", ".Spotlight-", ".fseventsd", ".TemporaryItems", ".snapshot",
    ".zfs", ".nfs", ".fuse_hidden", ".smbdelete",
  ]

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
