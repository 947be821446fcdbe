"""Calls every method of tekore, a typed client of Spotify's Web API, and wants the types that it insists on.

    Checks/clients/tekore_client.py http://127.0.0.1:8642/
"""
import sys
import warnings

import httpx
import tekore
import tekore._client.base

base = sys.argv[1]
tekore._client.base.prefix = base + "v1/"
warnings.simplefilter("ignore")
token = httpx.post(base + "api/token", data={"grant_type": "client_credentials", "client_id": "a", "client_secret": "b"}).json()
client = tekore.Spotify(token["access_token"])
called, problems = set(), []

# Of the class itself, or of addresses at Spotify's own.
OWN = {"chunked", "max_limits", "token_as", "close", "send", "follow_short_link", "all_items", "all_pages", "token", "sender"}


def call(name, /, *arguments, error=None, **options):
    """What a method gives; `error`: the status that it ends with."""
    called.add(name)
    try:
        answer = getattr(client, name)(*arguments, **options)
    except tekore.HTTPError as problem:
        if problem.response.status_code != error:
            problems.append(f"{name}: {problem}"[:300])
        return None
    except Exception as problem:
        problems.append(f"{name}: {type(problem).__name__}: {problem}"[:600])
        return None
    if error:
        problems.append(f"{name} should fail with {error}")
    return answer


tracks, albums, artists, playlists = call("search", "o", types=("track", "album", "artist", "playlist"), limit=50)
found = [client.search(text, types=("track",), limit=50)[0] for text in ("a", "e", "i", "u", "single OR song NOT hit")]
tracks = list({track.id: track for page in [tracks, *found] for track in page.items}.values())
ids, album, artist = [track.id for track in tracks], albums.items[0].id, artists.items[0].id
page = call("new_releases", limit=2)
call("previous", call("next", page))
for release in client.all_items(client.new_releases(limit=50)):
    assert call("album", release.id).tracks.items, release
    assert call("album_tracks", release.id).items, release
    for one in release.artists:
        call("artist", one.id)
        assert call("artist_albums", one.id).items, one
for identifier in ids:
    call("track", identifier)
    call("track_audio_features", identifier)
    call("track_audio_analysis", identifier)
assert len(call("tracks", ids[:20])) == len(call("tracks_audio_features", ids[:20])) == len(ids[:20])
call("albums", [album])
call("artists", [artist])
call("artist_top_tracks", artist, market="US")
call("artist_related_artists", artist)
call("recommendations", track_ids=ids[:2], limit=3)
call("recommendation_genre_seeds")
call("featured_playlists")
category = call("categories").items[0].id
call("category", category)
generated = call("category_playlists", category).items + list(playlists.items)
for one in generated:
    call("playlist", one.id)
call("markets")
user = call("current_user").id
call("user", user)

playlist = call("playlist_create", user, "Mix", public=False, description="For the road").id
call("playlist_add", playlist, [f"spotify:track:{identifier}" for identifier in ids[:4]])
whole = call("playlist", playlist)
assert [item.track.id for item in whole.tracks.items] == ids[:4], whole
selected = call("playlist_items", playlist, fields="total,items(track(name,album(name)))")
assert selected["total"] == len(selected["items"]) and set(selected["items"][0]["track"]) == {"name", "album"}, selected
call("playlist_items", playlist)
call("playlist_reorder", playlist, 0, 3)
call("playlist_remove", playlist, [f"spotify:track:{ids[0]}"])
call("playlist_change_details", playlist, name="Other")
call("playlist_replace", playlist, [f"spotify:track:{ids[1]}"])
call("playlist_cover_image", playlist)
call("playlist_cover_image_upload", playlist, "", error=405)
for lists in (call("followed_playlists"), call("playlists", user)):
    assert playlist in [one.id for one in lists.items], lists
assert call("playlist_is_following", playlist, [user, "nobody"]) == [True, False]
call("playlist_follow", playlist)
call("playlist_clear", playlist)
call("playlist_unfollow", playlist)

call("saved_tracks_add", ids[:2])
assert call("saved_tracks").total == 2 and call("saved_tracks_contains", ids[:3]) == [True, True, False]
call("saved_tracks_delete", ids[:2])
call("saved_albums_add", [album])
assert call("saved_albums").items[0].album.id == album and call("saved_albums_contains", [album]) == [True]
call("saved_albums_delete", [album])
call("artists_follow", [artist])
assert call("followed_artists").items[0].id == artist and call("artists_is_following", [artist]) == [True]
call("artists_unfollow", [artist])
assert call("users_is_following", ["nobody"]) == [False]
call("users_follow", ["nobody"], error=404)
call("users_unfollow", ["nobody"])

# What a library of music files does not have.
for kind in ("show", "episode", "audiobook", "chapter"):
    call(kind, ids[0], error=404)
    # It asks for audiobooks at an address that Spotify does not have either.
    call(f"{kind}s", ids[:1], error=404 if kind == "audiobook" else None)
call("show_episodes", ids[0], error=404)
call("audiobook_chapters", ids[0], error=404)
for kind in ("shows", "episodes"):
    assert call(f"saved_{kind}").total == 0 and call(f"saved_{kind}_contains", ids[:1]) == [False]
    call(f"saved_{kind}_add", ids[:1], error=404)
    call(f"saved_{kind}_delete", ids[:1])
assert call("current_user_top_artists").items == call("current_user_top_tracks").items == []

# No device plays.
assert call("playback") is None and call("playback_currently_playing") is None and call("playback_devices") == []
assert call("playback_queue").queue == [] and call("playback_recently_played").items == []
for command in ("resume", "pause", "next", "previous"):
    call(f"playback_{command}", error=404)
for command, *arguments in (
        ("transfer", "x"), ("start_tracks", ids[:1]), ("start_context", f"spotify:album:{album}"), ("seek", 1), ("repeat", "off"),
        ("shuffle", True), ("volume", 5), ("queue_add", f"spotify:track:{ids[0]}")):
    call(f"playback_{command}", *arguments, error=404)

methods = {name for name in dir(tekore.Spotify) if name[0] != "_" and callable(getattr(tekore.Spotify, name))}
problems += [f"{name} was not called" for name in sorted(methods - called - OWN)]
if problems:
    sys.exit("\n".join(problems))
print(f"tekore {tekore.__version__}: {len(called)} methods, {len(ids)} tracks")
