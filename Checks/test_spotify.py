"""All that clients of Spotify's Web API ask of `analyze serve`: every method of spotipy and of two versions of tekore, and an app in
JavaScript."""
import subprocess
from pathlib import Path

import pytest
import python_packages
import spotipy
from server import Server
from sounds import encode
from spotipy.oauth2 import SpotifyClientCredentials

CLIENTS = Path(__file__).parent / "clients"


@pytest.fixture(scope="module")
def server(place):
    """Two albums of four songs."""
    for number in range(8):
        album = number // 4
        names = {"title": f"Song {number}", "artist": f"Band {album}" + (" feat. Guest" if number == 3 else ""),
                 "album": f"Album {album}", "album_artist": f"Band {album}", "track": f"{number % 4 + 1}/4",
                 "genre": "House", "date": f"199{album}-0{album + 1}-02", "ISRC": f"GBAAA990000{number}"}
        # Clicks, so there is a tempo.
        sound = f"aevalsrc='sin(2*PI*{220 + 30 * number}*t)*exp(-20*mod(t,60/{110 + 2 * number}))':s=44100:d=20"
        encode(sound, place.music / f"{number}.flac", **names)
    place.analyze_music()
    with Server(place) as server:
        yield server


def connect(server):
    SpotifyClientCredentials.OAUTH_TOKEN_URL = server.base + "api/token"
    credentials = SpotifyClientCredentials(client_id="any", client_secret="any", cache_handler=spotipy.cache_handler.MemoryCacheHandler())
    client = spotipy.Spotify(auth_manager=credentials, retries=0)
    client.prefix = server.base + "v1/"
    return client


@pytest.fixture(scope="module")
def client(server):
    return connect(server)


@pytest.fixture(scope="module")
def track(client):
    return client.search("isrc:GBAAA9900003", type="track")["tracks"]["items"][0]


def test_search(client):
    found = client.search("song", limit=3, type="track,album,artist,playlist")
    assert found["tracks"]["total"] == 8 and len(found["tracks"]["items"]) == 3, found["tracks"]["total"]
    titles, page = [], found["tracks"]
    while page:
        titles += [track["name"] for track in page["items"]]
        following = client.next(page)
        page = following and following["tracks"]
    assert len(set(titles)) == 8, titles
    assert client.search("artist:guest", type="track")["tracks"]["total"] == 1
    assert client.search("year:1990", type="album")["albums"]["items"][0]["name"] == "Album 0"


def test_tracks(client, track):
    assert [artist["name"] for artist in track["artists"]] == ["Band 0", "Guest"], track["artists"]
    assert track["external_ids"]["isrc"] == "GBAAA9900003" and track["duration_ms"] == 20_000
    assert client.track(track["uri"])["id"] == track["id"]
    ids = [item["id"] for item in client.search("song", limit=3, type="track")["tracks"]["items"]]
    assert [item["id"] for item in client.tracks(ids)["tracks"]] == ids


def test_albums(client, track):
    releases = client.new_releases()["albums"]["items"]
    assert {album["name"] for album in releases} == {"Album 0", "Album 1"}
    album = client.album(track["album"]["id"])
    assert album["release_date"] == "1990-01-02" and album["tracks"]["total"] == 4
    assert [item["track_number"] for item in client.album_tracks(album["id"])["items"]] == [1, 2, 3, 4]
    assert len(client.albums([item["id"] for item in releases])["albums"]) == 2


def test_artists(client, track):
    album = client.album(track["album"]["id"])
    artist = client.artist(album["artists"][0]["id"])
    assert artist["name"] == "Band 0" and artist["genres"] == ["House"]
    assert client.artist_albums(artist["id"], include_groups="album")["total"] == 1
    guest = track["artists"][1]["id"]
    assert client.artist_albums(guest, include_groups="appears_on")["items"][0]["name"] == "Album 0"
    assert len(client.artist_top_tracks(artist["id"])["tracks"]) == 4
    assert len(client.artists([artist["id"], guest])["artists"]) == 2
    client.artist_related_artists(artist["id"])


def test_features_and_analysis(client, track):
    features = client.audio_features([track["id"], "0" * 22])
    assert features[1] is None and abs(features[0]["tempo"] - 116) < 1, features[0]
    assert features[0]["valence"] == 0 and features[0]["loudness"] < 0
    assert client._get(f"audio-features/{track['id']}", nulls=1)["valence"] is None
    analysis = client.audio_analysis(track["id"])
    assert len(analysis["beats"]) > 30 and analysis["track"]["duration"] == 20


def test_recommendations_and_categories(client, track):
    wished = client.recommendations(seed_tracks=[track["id"]], limit=3, min_tempo=117)
    assert wished["tracks"] and all(item["id"] != track["id"] for item in wished["tracks"])
    assert client.recommendation_genre_seeds()["genres"] == ["house"]
    category = client.categories()["categories"]["items"][0]
    assert client.category(category["id"])["name"] == "House"
    assert client.category_playlists(category["id"])["playlists"]["items"]
    assert client.featured_playlists()["playlists"]["items"]
    assert "markets" in client.available_markets()


def test_wrong_ids(client):
    for wrong, status in (("0" * 22, 404), ("short", 400)):
        with pytest.raises(spotipy.SpotifyException) as error:
            client._get(f"tracks/{wrong}")
        assert error.value.http_status == status


def test_all_methods_of_spotipy(untidy_server):
    """Calls every method of spotipy; those for things that are not there must say so."""
    client, called = connect(untidy_server), set()

    def call(name, /, *arguments, error=None, **options):
        called.add(name)
        try:
            answer = getattr(client, name)(*arguments, **options)
        except spotipy.SpotifyException as problem:
            assert problem.http_status == error, f"{name}: {problem}"
            return None
        assert error is None, f"{name} should fail with {error}"
        return answer

    found = call("search", "o", type="track,album,artist", limit=50)
    ids = [track["id"] for track in found["tracks"]["items"]]
    uris = [f"spotify:track:{id}" for id in ids]
    album, artist = found["albums"]["items"][0]["id"], found["artists"]["items"][0]["id"]
    call("previous", call("next", client.search("o", limit=1)["tracks"])["tracks"])
    call("search_markets", "o", markets=["US"])
    for name in ("track", "audio_analysis", "audio_features"):
        call(name, ids[0])
    call("tracks", ids[:3])
    for name in ("album", "album_tracks"):
        call(name, album)
    call("albums", [album])
    for name in ("artist", "artist_albums", "artist_related_artists", "artist_top_tracks"):
        call(name, artist)
    call("artists", [artist])
    call("recommendations", seed_tracks=ids[:1])
    for name in ("recommendation_genre_seeds", "new_releases", "featured_playlists", "available_markets"):
        call(name)
    category = call("categories")["categories"]["items"][0]["id"]
    call("category", category)
    call("category_playlists", category)
    user = call("me")["id"]
    call("current_user")
    call("user", user)

    one = call("current_user_playlist_create", "One")["id"]
    call("playlist_add_items", one, uris[:4])
    call("user_playlist_add_tracks", user, one, uris[:1])
    fields = "total,items(track(name,album(!images)))"
    for name, arguments in (("playlist_items", [one]), ("playlist_tracks", [one]), ("user_playlist_tracks", [user, one])):
        page = call(name, *arguments, fields=fields)
        track = page["items"][0]["track"]
        assert page["total"] == 5 and set(page) == {"total", "items"} and set(track) == {"name", "album"}, page
        assert "images" not in track["album"] and track["album"]["name"], track
    # An id is that of a track, whatever its URI says.
    call("user_playlist_add_episodes", user, one, ids[:1])
    assert set(call("playlist", one, fields="name,tracks.total")) == {"name", "tracks"}
    call("user_playlist", user, one)
    for name, first in (("playlist_reorder_items", []), ("user_playlist_reorder_tracks", [user])):
        call(name, *first, one, 0, 2)
    for name, first in (("playlist_change_details", []), ("user_playlist_change_details", [user])):
        call(name, *first, one, name="Two")
    place = [{"uri": uris[0], "positions": [0]}]
    client.playlist_replace_items(one, uris[:2])
    # The other one still asks at an address of before 2018.
    call("user_playlist_remove_specific_occurrences_of_tracks", user, one, place, error=404)
    call("playlist_remove_specific_occurrences_of_items", one, place)
    for name, first in (("playlist_remove_all_occurrences_of_items", []),
                        ("user_playlist_remove_all_occurrences_of_tracks", [user])):
        call(name, *first, one, uris[:1])
    for name, first in (("playlist_replace_items", []), ("user_playlist_replace_tracks", [user])):
        call(name, *first, one, uris[:2])
    call("playlist_cover_image", one)
    call("playlist_upload_cover_image", one, "", error=405)
    assert client._get(f"playlists/{one}/followers/contains", ids=f"{user},nobody") == [True, False]
    call("current_user_follow_playlist", one)
    call("user_playlist_follow_playlist", user, one)
    assert call("current_user_playlists")["total"] == call("user_playlists", user)["total"] == 1
    call("user_playlist_unfollow", user, one)
    call("current_user_unfollow_playlist", call("user_playlist_create", user, "Three")["id"])

    for name, id in (("tracks", ids[0]), ("albums", album)):
        call(f"current_user_saved_{name}_add", [id])
        assert call(f"current_user_saved_{name}")["total"] == 1
        assert call(f"current_user_saved_{name}_contains", [id]) == [True]
        call(f"current_user_saved_{name}_delete", [id])
    call("current_user_saved_items", uris[:1])
    call("user_follow_artists", [artist])
    assert call("current_user_followed_artists")["artists"]["items"][0]["id"] == artist
    assert call("current_user_following_artists", [artist]) == [True]
    call("user_unfollow_artists", [artist])
    call("user_follow_users", ["nobody"], error=400)
    call("current_user_following_users", ["nobody"], error=400)
    call("user_unfollow_users", ["nobody"], error=400)

    for name in ("show", "show_episodes", "episode", "get_audiobook", "get_audiobook_chapters"):
        call(name, ids[0], error=404)
    for name in ("shows", "episodes", "get_audiobooks"):
        assert list(call(name, ids[:2]).values()) == [[None, None]]
    for name in ("shows", "episodes"):
        assert call(f"current_user_saved_{name}")["items"] == []
        assert call(f"current_user_saved_{name}_contains", ["0" * 22]) == [False]
        call(f"current_user_saved_{name}_add", ["0" * 22], error=404)
        call(f"current_user_saved_{name}_delete", ["0" * 22], error=404)

    for name in ("current_playback", "currently_playing", "current_user_playing_track"):
        assert call(name) is None
    assert call("devices") == {"devices": []} and call("queue") == {"currently_playing": None, "queue": []}
    for name in ("current_user_recently_played", "current_user_top_artists", "current_user_top_tracks"):
        assert call(name)["items"] == []
    for name, *arguments in (
            ("add_to_queue", uris[0]), ("next_track",), ("pause_playback",), ("previous_track",), ("repeat", "off"), ("seek_track", 1),
            ("shuffle", True), ("start_playback",), ("transfer_playback", "x"), ("volume", 5)):
        call(name, *arguments, error=404)

    methods = {name for name in dir(spotipy.Spotify) if name[0] != "_" and callable(getattr(spotipy.Spotify, name))}
    # The last two fail in spotipy itself.
    left = methods - called - {"set_auth", "playlist_is_following", "user_playlist_is_following"}
    assert not left, f"these methods of spotipy are not called: {sorted(left)}"


@pytest.mark.parametrize("packages", ["tekore-5", "checks"])
def test_all_methods_of_tekore(untidy_server, packages):
    run_client(python_packages.interpreter(packages), "tekore_client.py", untidy_server)


def test_app_in_javascript(server):
    run_client("node", "spotify_client.mjs", server)


def run_client(interpreter, name, server):
    done = subprocess.run([interpreter, CLIENTS / name, server.base], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
