"""The Subsonic API, and playlists, of `analyze serve`, used as players do by clients that others wrote: py-opensonic, py-sonic, spotipy."""
import json
import urllib.request
import xml.etree.ElementTree as ElementTree

import libopensonic
import libsonic
import pytest
import spotipy
from server import Server
from sounds import encode, picture

TRACKS = [
    ("Debut/01 One.flac", "One", "Björk", "Debut", 1, 1993, "Electronic"),
    ("Debut/02 Two.mp3", "Two", "Björk feat. Tricky", "Debut", 2, 1993, "Electronic"),
    ("Debut/03 Three.m4a", "Three & <more>", "Björk", "Debut", 3, 1993, "Electronic"),
    ("Amber/01 Four.ogg", "Four", "Autechre", "Amber", 1, 1994, "IDM"),
    ("Amber/02 Five.opus", "Five", "Autechre", "Amber", 2, 1994, "IDM"),
    ("loose.wav", "Loose", "Nobody", "", 1, 2001, "Noise"),
]


@pytest.fixture(scope="module")
def library(place):
    for number, (name, title, artist, album, track, year, genre) in enumerate(TRACKS):
        names = {"title": title, "artist": artist, "album": album, "track": track, "date": year, "genre": genre}
        if name.endswith(".flac"):
            names["lyrics"] = "[00:01.00]First line\n[00:02.50]Second line"
        encode(f"sine=f={220 + 110 * number}:d=4", place.music / name, **names)
    picture(place.music / "Amber/cover.png", "testsrc=size=900x900:rate=1")
    place.analyze_music()
    return place


@pytest.fixture(scope="module")
def server(library):
    with Server(library) as server:
        yield server


@pytest.fixture(scope="module")
def opensonic(server):
    return connect(server)


@pytest.fixture
def debut(opensonic):
    return opensonic.get_album(next(album.id for album in opensonic.get_album_list2("alphabeticalByName") if album.name == "Debut"))


def connect(server):
    return libopensonic.Connection("http://127.0.0.1", "me", "secret", port=server.port)


def ask(server, method, **parameters):
    query = "&".join(f"{key}={value}" for key, value in parameters.items())
    return server.read(f"rest/{method}?f=json&{query}")["subsonic-response"]


def failure(server, method, **parameters):
    answer = ask(server, method, **parameters)
    return answer["error"]["code"] if answer["status"] == "failed" else None


def test_protocol(server):
    for f, kind in (("json", "application/json"), ("xml", "application/xml"), ("jsonp&callback=got", "text/javascript")):
        for suffix in ("", ".view"):
            answer = server.get(f"rest/ping{suffix}?u=a&p=b&v=1.16.1&c=check&f={f}")
            assert answer.headers["Content-Type"].startswith(kind), f"ping as {f} is {answer.headers['Content-Type']}"
            text = answer.read().decode()
            assert '"ok"' in text, f"ping as {f}: {text}"
    posted = urllib.request.urlopen(f"{server.base}rest/ping.view", data=b"u=a&p=b&v=1.16.1&c=check&f=json", timeout=20)
    assert json.load(posted)["subsonic-response"]["openSubsonic"] is True, "a form is understood"
    script = server.get("rest/ping?f=jsonp&callback=alert(1)//").headers["Content-Type"]
    assert script.startswith("application/json"), "a callback that is no name makes no script"
    root = ElementTree.fromstring(server.get("rest/search3?query=three&v=1.16.1").read())
    song = root.find("{*}searchResult3/{*}song")
    assert song is not None and song.get("title") == "Three & <more>", "XML is escaped"
    assert failure(server, "getSong") == 10, "a missing parameter is 10"
    assert failure(server, "getSong", id="none") == 70, "what is not there is 70"
    assert failure(server, "nothing") == 70, "an unknown method is 70"
    assert failure(server, "ping", v="2.0") == 30 and failure(server, "ping", v="0.9") == 20, "versions are 20 and 30"
    assert failure(server, "ping", apiKey="x", u="y") == 43, "two ways of showing who one is are 43"
    assert failure(server, "getAlbumList2", type="nonsense") == 0, "a wrong value is 0"


def test_artists_lead_to_albums(opensonic):
    assert opensonic.ping(), "py-opensonic: ping"
    extensions = {extension.name for extension in opensonic.get_open_subsonic_extensions()}
    assert {"formPost", "apiKeyAuthentication", "songLyrics", "sonicSimilarity"} <= extensions, f"extensions: {extensions}"

    artists = [artist for index in opensonic.get_artists().index for artist in index.artist]
    assert {artist.name for artist in artists} >= {"Björk", "Autechre"}, f"artists: {artists}"
    björk = next(artist for artist in artists if artist.name == "Björk")
    albums = opensonic.get_artist(björk.id).album
    assert [album.name for album in albums] == ["Debut"], f"albums of Björk: {albums}"
    album = opensonic.get_album(albums[0].id)
    assert [song.title for song in album.song] == ["One", "Two", "Three & <more>"], "the album is in order"
    first = opensonic.get_song(album.song[0].id)
    assert first.content_type == "audio/flac" and first.duration == 4 and first.year == 1993, f"song: {first}"


def test_lists(opensonic):
    for kind in ("random", "newest", "alphabeticalByName", "alphabeticalByArtist", "starred", "recent", "frequent", "highest"):
        opensonic.get_album_list2(kind)
        opensonic.get_album_list(kind)
    assert [a.name for a in opensonic.get_album_list2("byYear", from_year=1994, to_year=1993)] == ["Amber", "Debut"], "by year"
    assert [a.name for a in opensonic.get_album_list2("byGenre", genre="idm")] == ["Amber"], "by genre"
    assert len(opensonic.get_random_songs(size=3)) == 3, "random songs"
    assert {song.title for song in opensonic.get_songs_by_genre("IDM")} == {"Four", "Five"}, "songs by genre"
    assert {genre.value for genre in opensonic.get_genres()} >= {"Electronic", "IDM"}, "genres"


def test_search(opensonic):
    everything = opensonic.search3("", song_count=500, album_count=500, artist_count=500)
    assert len(everything.song) == len(TRACKS) and len(everything.album) == 3, "an empty search lists all"
    pages = [song.id for page in range(3) for song in opensonic.search3("", song_count=2, song_offset=2 * page).song]
    assert sorted(pages) == sorted(song.id for song in everything.song), "pages are all there is, once"
    assert [song.title for song in opensonic.search3("four").song] == ["Four"], "a search finds"


def test_media(library, server, opensonic, debut):
    first = debut.song[0]
    data = (library.music / "Debut/01 One.flac").read_bytes()
    assert server.get(f"rest/stream?id={first.id}").read() == data, "the stream is the file"
    saved = server.get(f"rest/download.view?id={first.id}")
    assert saved.read() == data and "attachment" in saved.headers["Content-Disposition"], "the download is the file"
    part = server.get(f"rest/stream?id={first.id}&format=raw", Range="bytes=10-19")
    assert part.status == 206 and part.read() == data[10:20], "a part of the stream"
    amber = next(album for album in opensonic.search3("amber").album if album.name == "Amber")
    cover = server.get(f"rest/getCoverArt?id={amber.cover_art}&size=300").read()
    assert cover.startswith(b"\xff\xd8\xff"), "the cover beside the files, as JPEG"


def test_playlists(opensonic, debut):
    ids = [song.id for song in debut.song]
    opensonic.create_playlist(name="Mix", song_ids=ids[:2])
    playlist = opensonic.get_playlists()[0]
    opensonic.update_playlist(playlist.id, name="Other", song_ids_to_add=[ids[2]], song_indices_to_remove=[0])
    playlist = opensonic.get_playlist(playlist.id)
    assert (playlist.name, [song.id for song in playlist.entry]) == ("Other", ids[1:]), f"playlist: {playlist}"
    assert [p.name for p in opensonic.get_playlists()] == ["Other"], "playlists"
    opensonic.delete_playlist(playlist.id)
    assert not opensonic.get_playlists(), "the playlist is gone"


def test_stars(opensonic, debut):
    album, ids = debut, [song.id for song in debut.song]
    björk = next(artist for index in opensonic.get_artists().index for artist in index.artist if artist.name == "Björk")
    opensonic.star(sids=[ids[0]], album_ids=[album.id], artist_ids=[björk.id])
    starred = opensonic.get_starred2()
    assert ([s.id for s in starred.song], [a.id for a in starred.album], [a.id for a in starred.artist]) == ([ids[0]], [album.id], [björk.id]), (
        f"starred: {starred}")
    assert opensonic.get_song(ids[0]).starred is not None, "a song says that it is starred"
    opensonic.unstar(sids=[ids[0]], album_ids=[album.id], artist_ids=[björk.id])
    assert not opensonic.get_starred2().song, "unstarred"


def test_similar_tracks_and_lyrics(opensonic, debut):
    ids = [song.id for song in debut.song]
    matches = opensonic.get_sonic_similar_tracks(ids[0], count=3)
    assert all(0 <= match.similarity <= 1 and match.entry.id != ids[0] for match in matches), f"similar: {matches}"
    lyrics = opensonic.get_lyrics_by_song_id(ids[0])
    assert [line.value for line in lyrics[0].line] == ["First line", "Second line"] and lyrics[0].line[1].start == 2500, f"lyrics: {lyrics}"
    opensonic.scrobble(ids[0])
    opensonic.get_scan_status()
    opensonic.get_user("me")
    opensonic.get_now_playing()


def walk(server, count):
    """Players browse by artists, by folders and by lists of albums; each way leads to all tracks."""
    client = connect(server)
    songs = {song.id for song in client.search3("", song_count=5000).song}
    assert len(songs) == count, f"{count} tracks are in the library: {len(songs)}"

    by_artist = set()
    for artist in (artist for index in client.get_artists().index for artist in index.artist):
        albums = client.get_artist(artist.id).album
        assert len(albums) == artist.album_count or artist.name == "Unknown artist", f"{artist.name} has {artist.album_count} albums"
        for album in albums:
            by_artist |= {song.id for song in client.get_album(album.id).song}
    assert by_artist == songs, f"by artist {len(by_artist)} of {len(songs)} tracks are reached"

    indexes = ask(server, "getIndexes")["indexes"]
    by_folder = {song["id"] for song in indexes.get("child", [])}
    folders = [folder["id"] for index in indexes["index"] for folder in index["artist"]]
    while folders:
        for child in ask(server, "getMusicDirectory", id=folders.pop())["directory"].get("child", []):
            if child["isDir"]:
                folders.append(child["id"])
            else:
                by_folder.add(child["id"])
    assert by_folder == songs, f"by folder {len(by_folder)} of {len(songs)} tracks are reached"

    for kind in ("alphabeticalByName", "alphabeticalByArtist", "newest"):
        by_album, offset = set(), 0
        while albums := client.get_album_list2(kind, size=7, offset=offset):
            for album in albums:
                found = client.get_album(album.id).song
                assert len(found) == album.song_count, f"{album.name} has {album.song_count} tracks: {len(found)}"
                by_album |= {song.id for song in found}
            offset += 7
        assert by_album == songs, f"by albums ({kind}) {len(by_album)} of {len(songs)} tracks are reached"


def test_every_way_leads_to_all_tracks(server):
    walk(server, len(TRACKS))


def test_every_way_leads_to_all_untidy_tracks(untidy, untidy_server):
    walk(untidy_server, sum(file.status != "failed" for file in untidy.files))


def test_pysonic(server):
    client = libsonic.Connection("http://127.0.0.1", "me", "secret", port=server.port, appName="check")
    assert client.ping(), "py-sonic: ping"
    assert client.getLicense()["license"]["valid"], "py-sonic: license"
    folders = client.getMusicFolders()["musicFolders"]["musicFolder"]
    assert len(folders) == 1, "py-sonic: one folder"
    indexes = client.getIndexes()["indexes"]
    names = {folder["name"]: folder["id"] for index in indexes["index"] for folder in index["artist"]}
    assert set(names) == {"Amber", "Debut"}, f"py-sonic: folders are those of the disk: {names}"
    assert [song["title"] for song in indexes["child"]] == ["Loose"], "py-sonic: songs in no folder"
    songs = client.getMusicDirectory(names["Amber"])["directory"]["child"]
    assert [song["title"] for song in songs] == ["Four", "Five"], "py-sonic: folders lead to songs"
    album = client.getAlbumList("alphabeticalByName")["albumList"]["album"][0]
    children = client.getMusicDirectory(album["id"])["directory"]["child"]
    assert [song["title"] for song in children] == ["Four", "Five"], "py-sonic: albums are folders, too"
    assert client.getSong(songs[0]["id"])["song"]["contentType"] == "audio/ogg", "py-sonic: song"
    assert client.search2("amber")["searchResult2"]["album"], "py-sonic: search2"
    assert client.stream(songs[0]["id"]).read()[:4] == b"OggS", "py-sonic: stream"
    client.getSimilarSongs2(songs[0]["id"])
    client.getTopSongs("Autechre")


def test_spotipy(server):
    """Playlists and saved tracks, which are the same for all APIs."""
    client = spotipy.Spotify(auth="none needed here", requests_timeout=20, retries=0)
    client.prefix = f"{server.base}v1/"
    user = client.me()["id"]
    one, two, four = (client.search(title, type="track")["tracks"]["items"][0]["id"] for title in ("One", "Two", "Four"))
    playlist = client.user_playlist_create(user, "Mix", public=False, description="For the road")["id"]

    def check_names(expected, what):
        names = [item["track"]["name"] for item in client.playlist_items(playlist)["items"]]
        assert names == expected, f"spotipy: {what}: {names}"

    seen = client.playlist_add_items(playlist, [f"spotify:track:{id}" for id in (one, two, four)])["snapshot_id"]
    client.playlist_add_items(playlist, [four], position=0)
    check_names(["Four", "One", "Two", "Four"], "tracks are added in their places")
    client.playlist_reorder_items(playlist, range_start=0, insert_before=4)
    check_names(["One", "Two", "Four", "Four"], "tracks are moved")
    client.playlist_remove_specific_occurrences_of_items(playlist, [{"uri": four, "positions": [2]}])
    check_names(["One", "Two", "Four"], "one of two is removed")
    client.playlist_remove_specific_occurrences_of_items(playlist, [{"uri": two, "positions": [1]}], snapshot_id=seen)
    check_names(["One", "Four"], "positions are those of the snapshot")
    client.playlist_remove_all_occurrences_of_items(playlist, [four])
    client.playlist_replace_items(playlist, [two, one])
    check_names(["Two", "One"], "tracks are replaced")
    client.playlist_change_details(playlist, name="Other", description="x", public=True)
    full = client.playlist(playlist)
    assert (full["name"], full["tracks"]["total"], full["owner"]["id"]) == ("Other", 2, user), f"spotipy: {full}"
    assert client.playlist_cover_image(playlist), "spotipy: a playlist has the picture of its first track"
    assert [item["name"] for item in client.current_user_playlists()["items"]] == ["Other"], "spotipy: playlists"
    lines = server.get(f"v1/playlists/{playlist}/m3u8").read().decode().splitlines()
    names = [line.rsplit("/", 1)[-1] for line in lines if not line.startswith("#")]
    assert lines[0] == "#EXTM3U" and names == ["02 Two.mp3", "01 One.flac"], f"the playlist as a file: {lines}"

    client.current_user_saved_tracks_add([one, two])
    assert client.current_user_saved_tracks_contains([one, four]) == [True, False], "spotipy: saved tracks"
    client.current_user_saved_tracks_delete([one])
    assert [item["track"]["id"] for item in client.current_user_saved_tracks()["items"]] == [two], "spotipy: one is saved"
    client.current_user_unfollow_playlist(playlist)
    assert client.current_user_playlists()["total"] == 0, "spotipy: the playlist is gone"
