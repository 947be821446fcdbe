import Analysis
import AnalysisTesting
import Testing

@testable import TagReading

/// Names of MusicBrainz Picard's table of tag mappings in each format.
@Suite(.bounded) struct CanonicalNameTests {
  @Test func id3v2() throws {
    let people = Bytes("\u{3}arranger\0A\0producer\0P\0engineer\0E\0mix\0M\0DJ-mix\0D\0producer\0Q\0make-up\0X".utf8)
    let finding = try read(
      ID3.tag(
        4, ID3.frame("TIPL", 4, people), ID3.frame("TMCL", 4, Bytes("\u{3}guitar\0One\0\0Two\0guitar\0Three".utf8)),
        ID3.text("TPE3", 4, "conductor"), ID3.text("TPE4", 4, "r1\0r2"), ID3.text("TEXT", 4, "lyricist"),
        ID3.text("TSOP", 4, "artistsort"), ID3.text("TSO2", 4, "albumartistsort"), ID3.text("TSOA", 4, "albumsort"),
        ID3.text("TSOT", 4, "titlesort"), ID3.text("TSOC", 4, "composersort"), ID3.text("TIT1", 4, "group"),
        ID3.text("TIT3", 4, "subtitle"), ID3.text("TSST", 4, "discsubtitle"), ID3.text("TMOO", 4, "mood"),
        ID3.text("TMED", 4, "CD"), ID3.text("TCOP", 4, "copyright"), ID3.text("TENC", 4, "encodedby"),
        ID3.text("TSSE", 4, "encodersettings"), ID3.text("TOFN", 4, "name"), ID3.text("TOAL", 4, "originalalbum"),
        ID3.text("TOPE", 4, "originalartist"), ID3.text("MVNM", 4, "movement"), ID3.text("MVIN", 4, "2/4"),
        ID3.frame("WCOP", 4, Bytes("http://license".utf8)), ID3.frame("WOAR", 4, Bytes("http://site".utf8)),
        ID3.text("TXXX", 4, "WORK\0work"), ID3.text("TXXX", 4, "Writer\0writer"), ID3.text("TXXX", 4, "ASIN\0B00"),
        ID3.text("TXXX", 4, "MusicBrainz Album Type\0album\0live"), ID3.text("TXXX", 4, "originalyear\01977"),
        ID3.text("TXXX", 4, "MusicBrainz Album Status\0official"), ID3.text("TXXX", 4, "SHOWMOVEMENT\01"),
        ID3.text("TXXX", 4, "MusicBrainz Album Release Country\0GB"), ID3.text("TXXX", 4, "MusicBrainz Work Id\0w"),
        ID3.text("TXXX", 4, "replaygain_reference_loudness\089.0 dB"),
        ID3.frame("POPM", 4, Bytes("no@email\0".utf8) + [118, 0, 0, 0, 9])))
    #expect(
      finding.fields == [
        "arranger": ["A"], "producer": ["P", "Q"], "engineer": ["E"], "mixer": ["M"], "djmixer": ["D"],
        "other:TIPL:make-up": ["X"], "performer": ["One (guitar)", "Two", "Three (guitar)"],
        "conductor": ["conductor"], "remixer": ["r1", "r2"], "lyricist": ["lyricist"], "artistsort": ["artistsort"],
        "albumartistsort": ["albumartistsort"], "albumsort": ["albumsort"], "titlesort": ["titlesort"],
        "composersort": ["composersort"], "grouping": ["group"], "subtitle": ["subtitle"],
        "discsubtitle": ["discsubtitle"], "mood": ["mood"], "media": ["CD"], "copyright": ["copyright"],
        "encodedby": ["encodedby"], "encodersettings": ["encodersettings"], "originalfilename": ["name"],
        "originalalbum": ["originalalbum"], "originalartist": ["originalartist"], "movement": ["movement"],
        "movementnumber": ["2"], "movementtotal": ["4"], "license": ["http://license"], "website": ["http://site"],
        "work": ["work"], "writer": ["writer"], "asin": ["B00"], "releasetype": ["album", "live"],
        "releasestatus": ["official"], "releasecountry": ["GB"], "originalyear": ["1977"], "originaldate": ["1977"],
        "showmovement": ["1"], "musicbrainz_workid": ["w"], "replaygain_reference_loudness": ["89.0 dB"],
        "rating": ["2.5"],
      ])
    #expect(finding.remarks == [])
  }

  /// In 2.3 and 2.2, a single frame has all of them.
  @Test(arguments: [2, 3]) func peopleOfOlderTags(version: Int) throws {
    let texts = ["producer", "P", "violin", "V"].flatMap { text -> Bytes in wide(text) + [0, 0] }
    let people: Bytes = [1] + texts
    let finding = try read(
      ID3.tag(version, ID3.frame(version == 2 ? "IPL" : "IPLS", version, people)))
    #expect(finding.fields == ["producer": ["P"], "performer": ["V (violin)"]])
  }

  @Test func sortNamesOfTrial() throws {
    let finding = try read(
      ID3.tag(3, ID3.text("XSOP", 3, "One, A"), ID3.text("XSOT", 3, "t"), ID3.text("XSOA", 3, "a")))
    #expect(finding.fields == ["artistsort": ["One, A"], "titlesort": ["t"], "albumsort": ["a"]])
  }

  @Test func iTunesGrouping() throws {
    let both = try read(ID3.tag(3, ID3.text("TIT1", 3, "work"), ID3.text("GRP1", 3, "group")))
    #expect(both.fields == ["work": ["work"], "grouping": ["group"]])
    #expect(try read(ID3.tag(3, ID3.text("TIT1", 3, "group"))).fields == ["grouping": ["group"]])
  }

  @Test func vorbis() throws {
    let finding = try read(
      Xiph.flac([
        (
          4,
          Xiph.comment(
            "PERFORMER=One (guitar)", "PERFORMER=Two", "ARTISTSORT=a", "CONDUCTOR=c", "MOVEMENTNAME=m", "MOVEMENT=2",
            "MOVEMENTTOTAL=3", "RELEASECOUNTRY=DE", "RELEASETYPE=album", "RELEASESTATUS=official", "BARCODE=0123",
            "ASIN=B", "SCRIPT=Latn", "MEDIA=Vinyl", "LICENSE=l1", "license=l2", "R128_TRACK_GAIN=-0512",
            "R128_ALBUM_GAIN=loud", "MUSICBRAINZ_DISCID=d", "MUSICIP_PUID=p", "FINGERPRINT=MusicMagic Fingerprint f",
            "ORIGINALDATE=1977-05-06", "ORIGINALYEAR=1977", "RATING:a@b.c=0.8", "ENCODEDBY=e", "WEBSITE=http://w",
            "GROUPING=g", "WORK=w", "DIRECTOR=d", "ORIGINALFILENAME=o.wav")
        )
      ]))
    #expect(
      finding.fields == [
        "performer": ["One (guitar)", "Two"], "artistsort": ["a"], "conductor": ["c"], "movement": ["m"],
        "movementnumber": ["2"], "movementtotal": ["3"], "releasecountry": ["DE"], "releasetype": ["album"],
        "releasestatus": ["official"], "barcode": ["0123"], "asin": ["B"], "script": ["Latn"], "media": ["Vinyl"],
        "license": ["l1", "l2"], "r128_track_gain": ["-512"], "other:R128_ALBUM_GAIN": ["loud"],
        "musicbrainz_discid": ["d"], "musicip_puid": ["p"], "musicip_fingerprint": ["f"],
        "originaldate": ["1977-05-06"], "originalyear": ["1977"], "rating": ["4"], "encodedby": ["e"],
        "website": ["http://w"], "grouping": ["g"], "work": ["w"], "director": ["d"], "originalfilename": ["o.wav"],
      ])
  }

  @Test func mp4() throws {
    func flag(_ name: String) -> Bytes { MP4.atom(name, MP4.data(21, [1])) }
    let finding = try read(
      MP4.file(
        MP4.text("soaa", "1"), MP4.text("soal", "2"), MP4.text("soar", "3"), MP4.text("soco", "4"),
        MP4.text("sonm", "5"), MP4.text("sosn", "6"), MP4.text("cprt", "7"), MP4.text("©too", "8"),
        MP4.text("©grp", "9"), MP4.text("©wrk", "10"), MP4.text("©mvn", "11"),
        MP4.atom("©mvi", MP4.data(21, [0, 2])), MP4.atom("©mvc", MP4.data(21, [0, 3])), flag("shwm"), flag("pgap"),
        flag("pcst"), MP4.text("purl", "12"), MP4.text("tvsh", "13"), MP4.text("©dir", "14"),
        MP4.free("CONDUCTOR", "15"), MP4.free("MusicBrainz Album Release Country", "16"), MP4.free("BARCODE", "17"),
        MP4.free("fingerprint", "18"), MP4.text("rate", "90")))
    #expect(
      finding.fields == [
        "albumartistsort": ["1"], "albumsort": ["2"], "artistsort": ["3"], "composersort": ["4"], "titlesort": ["5"],
        "showsort": ["6"], "copyright": ["7"], "encodedby": ["8"], "grouping": ["9"], "work": ["10"],
        "movement": ["11"], "movementnumber": ["2"], "movementtotal": ["3"], "showmovement": ["1"], "gapless": ["1"],
        "podcast": ["1"], "podcasturl": ["12"], "show": ["13"], "director": ["14"], "conductor": ["15"],
        "releasecountry": ["16"], "barcode": ["17"], "musicip_fingerprint": ["18"], "rating": ["4.5"],
      ])
  }

  @Test func apev2AndASF() throws {
    let ape = try read(
      audio
        + APE.tag(
          APE.item("MixArtist", Bytes("r".utf8)), APE.item("Weblink", Bytes("http://w".utf8)),
          APE.item("Original Artist", Bytes("o".utf8)), APE.item("MUSICBRAINZ_ALBUMTYPE", Bytes("ep".utf8)),
          APE.item("DiscSubtitle", Bytes("d".utf8)), APE.item("Performer", Bytes("p (x)\0q (y)".utf8)),
          APE.item("Rating", Bytes("3,5".utf8))))
    #expect(
      ape.fields == [
        "remixer": ["r"], "website": ["http://w"], "originalartist": ["o"], "releasetype": ["ep"],
        "discsubtitle": ["d"], "performer": ["p (x)", "q (y)"], "rating": ["3.5"],
      ])
    func text(_ text: String) -> Bytes { utf16(text) + [0, 0] }
    let asf = try read(
      ASF.file(
        ASF.extended([
          ("WM/Writer", 0, text("l")), ("WM/ModifiedBy", 0, text("r")), ("WM/SetSubTitle", 0, text("d")),
          ("WM/AuthorURL", 0, text("http://w")), ("MusicBrainz/Album Status", 0, text("official")),
          ("MusicIP/PUID", 0, text("p")), ("WM/OriginalReleaseYear", 0, text("1977")),
          ("WM/SharedUserRating", 3, little(75, 4)), ("WM/ContentGroupDescription", 0, text("g")),
        ])))
    #expect(
      asf.fields == [
        "lyricist": ["l"], "remixer": ["r"], "discsubtitle": ["d"], "website": ["http://w"],
        "releasestatus": ["official"], "musicip_puid": ["p"], "originalyear": ["1977"], "originaldate": ["1977"],
        "rating": ["4"], "grouping": ["g"],
      ])
  }

  @Test func riffInfo() throws {
    let finding = try read(
      Chunks.wav(Chunks.info([("ICOP", "c"), ("IENG", "e"), ("ISFT", "s"), ("IMED", "m"), ("ICNT", "FR")])))
    #expect(
      finding.fields == [
        "copyright": ["c"], "engineer": ["e"], "encodersettings": ["s"], "media": ["m"], "releasecountry": ["FR"],
      ])
  }

  @Test(
    arguments: [
      ("POPM:x", KeySpace.id3v2, "1", "1"), ("POPM:x", .id3v2, "64", "2"), ("POPM:x", .id3v2, "128", "3"),
      ("POPM:x", .id3v2, "196", "4"), ("POPM:x", .id3v2, "255", "5"), ("POPM:x", .id3v2, "13", "0.5"),
      ("POPM:x", .id3v2, "0", nil), ("POPM:users@musicbrainz.org", .id3v2, "51", "1"),
      ("POPM:users@musicbrainz.org", .id3v2, "204", "4"), ("RATING", .vorbis, "100", "5"),
      ("RATING", .vorbis, "30", "1.5"),
      ("RATING", .vorbis, "4", "4"), ("RATING", .vorbis, "0.8", "4"), ("RATING", .vorbis, "PG", nil),
      ("RATING", .vorbis, "255", nil), ("FMPS_RATING", .vorbis, "0.9", "4.5"), ("TXXX:FMPS_Rating", .id3v2, "1.0", "5"),
      ("rate", .mp4, "10", "0.5"), ("WM/SharedUserRating", .asf, "1", "1"), ("WM/SharedUserRating", .asf, "99", "5"),
      ("WM/SharedUserRating", .asf, "79", "4"), ("SDB/Rating", .asf, "70", "3.5"), ("RATING", .vorbis, "-1", nil),
      ("RATING", .vorbis, "nan", nil),
    ] as [(String, KeySpace, String, String?)])
  func ratings(key: String, space: KeySpace, value: String, stars: String?) {
    #expect(TagRating.stars(value, key: key, in: space) == stars)
  }
}
