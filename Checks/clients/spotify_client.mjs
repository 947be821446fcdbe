// What a music app in JavaScript does with Spotify's Web API: home, search as you type, album, playlist, library. Every answer is
// checked against the types on which typed clients insist (https://developer.spotify.com/documentation/web-api/reference).
//
//   node Checks/clients/spotify_client.mjs http://127.0.0.1:8642/
import assert from "node:assert/strict";

const base = process.argv[2];

// Types: a name of typeof; [type] is a list; an object has at least these members; either(…) is one of them.
const either = (...types) => ({ either: types });
const orNull = (type) => either("null", type);
const url = (value) => typeof value === "string" && Boolean(new URL(value));

function check(value, type, place) {
  if (typeof type === "function") return assert.ok(type(value), `${place}: ${value}`);
  if (typeof type === "string") {
    const found = value === null ? "null" : Number.isInteger(value) && type === "integer" ? "integer" : typeof value;
    return assert.equal(found, type, `${place} is ${JSON.stringify(value)}`);
  }
  if (Array.isArray(type)) {
    assert.ok(Array.isArray(value), `${place} is no list`);
    return value.forEach((item, index) => check(item, type[0], `${place}[${index}]`));
  }
  if (type.either) {
    const problems = type.either.map((one) => {
      try {
        check(value, one, place);
      } catch (problem) {
        return problem;
      }
    });
    if (problems.every(Boolean)) throw problems.at(-1);
    return;
  }
  assert.equal(typeof value, "object", `${place} is ${JSON.stringify(value)}`);
  for (const [name, member] of Object.entries(type)) {
    assert.ok(name in value, `${place}.${name} is missing`);
    check(value[name], member, `${place}.${name}`);
  }
}

const image = { url, width: "integer", height: "integer" };
const links = { external_urls: { spotify: url }, href: url, id: "string", uri: "string", type: "string" };
const smallArtist = { ...links, name: "string" };
const artist = { ...smallArtist, genres: ["string"], followers: { total: "integer" }, images: [image], popularity: "integer" };
const smallAlbum = {
  ...links, name: "string", album_type: "string", artists: [smallArtist], images: [image], release_date: "string",
  release_date_precision: "string", total_tracks: "integer", available_markets: ["string"],
};
const smallTrack = {
  ...links, name: "string", artists: [smallArtist], duration_ms: "integer", explicit: "boolean", track_number: "integer",
  disc_number: "integer", preview_url: orNull("string"), is_local: "boolean",
};
const track = { ...smallTrack, album: smallAlbum, popularity: "integer", external_ids: {} };
const page = (item) => ({
  href: url, items: [item], limit: "integer", offset: "integer", total: "integer", next: orNull("string"), previous: orNull("string"),
});
const album = { ...smallAlbum, tracks: page(smallTrack), genres: ["string"], label: orNull("string"), popularity: "integer" };
const owner = { id: "string", uri: "string", display_name: orNull("string") };
const smallPlaylist = {
  ...links, name: "string", description: orNull("string"), owner, public: orNull("boolean"), collaborative: "boolean",
  snapshot_id: "string", images: [image], tracks: { href: url, total: "integer" },
};
const playlist = { ...smallPlaylist, tracks: page({ added_at: orNull("string"), track: orNull(track) }) };
const features = { id: "string", tempo: orNull("number"), key: "integer", mode: orNull("integer"), loudness: orNull("number") };

const granted = await fetch(new URL("api/token", base), {
  method: "POST", body: new URLSearchParams({ grant_type: "client_credentials" }),
  headers: { Authorization: `Basic ${btoa("any:any")}` },
});
const token = await granted.json();
check(token, { access_token: "string", token_type: "string", expires_in: "integer" }, "token");

async function ask(path, type, method = "GET", body = undefined) {
  const answer = await fetch(new URL(path, `${base}v1/`), {
    method, headers: { Authorization: `Bearer ${token.access_token}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  if (type === undefined) return answer.status;
  const value = await answer.json();
  check(value, type, path);
  return value;
}

// Home.
const user = await ask("me", { id: "string", uri: "string", display_name: orNull("string"), images: [image] });
const releases = await ask("browse/new-releases?limit=10", { albums: page(smallAlbum) });
await ask("browse/featured-playlists", { message: "string", playlists: page(smallPlaylist) });
await ask("browse/categories", { categories: page({ id: "string", name: "string", icons: [{ url }], href: url }) });

// Search in sections, to the last page.
const sections = { tracks: page(track), albums: page(smallAlbum), artists: page(artist), playlists: page(smallPlaylist) };
for (const words of ["s", "so", "son", "song"]) await ask(`search?q=${words}&type=track,album,artist,playlist&limit=5`, sections);
const found = [];
for (let next = "search?q=song&type=track&limit=3"; next;) {
  const { tracks } = await ask(next, { tracks: page(track) });
  found.push(...tracks.items);
  next = tracks.next;
}
assert.equal(new Set(found.map((item) => item.id)).size, 8);

// An album, its artist, and what goes with them.
const shown = await ask(`albums/${releases.albums.items[0].id}`, album);
await ask(`artists/${shown.artists[0].id}`, artist);
await ask(`artists/${shown.artists[0].id}/top-tracks?market=from_token`, { tracks: [track] });
await ask(`artists/${shown.artists[0].id}/related-artists`, { artists: [artist] });
const seeds = shown.tracks.items.slice(0, 2).map((item) => item.id);
await ask(`recommendations?seed_tracks=${seeds}&limit=5`, { seeds: [{ id: "string", type: "string" }], tracks: [track] });
await ask(`audio-features?ids=${seeds}`, { audio_features: [features] });
const interval = { start: "number", duration: "number", confidence: orNull("number") };
await ask(`audio-analysis/${seeds[0]}`, { bars: [interval], beats: [interval], tatums: [interval], sections: [{}], track: {} });

// A playlist is made, filled, put in order, emptied and given up.
const made = await ask(`users/${user.id}/playlists`, playlist, "POST", { name: "Für später", public: false });
const changed = { snapshot_id: "string" };
const order = async () => (await ask(`playlists/${made.id}`, playlist)).tracks.items.map((item) => item.track.name);
await ask(`playlists/${made.id}/tracks`, changed, "POST", { uris: found.slice(0, 4).map((item) => item.uri) });
const names = found.slice(0, 4).map((item) => item.name);
assert.deepEqual(await order(), names);
const { snapshot_id } = await ask(`playlists/${made.id}/tracks`, changed, "PUT", { range_start: 3, insert_before: 0 });
assert.deepEqual(await order(), [names[3], ...names.slice(0, 3)]);
await ask(`playlists/${made.id}/tracks`, changed, "DELETE", { tracks: [{ uri: found[0].uri }], snapshot_id });
assert.deepEqual(await order(), [names[3], names[1], names[2]]);
const all = await ask("me/playlists", page(smallPlaylist));
assert.ok(all.items.some((item) => item.name === "Für später" && item.tracks.total === 3));
await ask(`playlists/${made.id}/followers`, undefined, "DELETE");

// The library.
await ask("me/tracks", undefined, "PUT", { ids: seeds });
assert.deepEqual(await ask(`me/tracks/contains?ids=${[...seeds, found[7].id]}`, ["boolean"]), [true, true, seeds.includes(found[7].id)]);
await ask("me/tracks?limit=50", page({ added_at: "string", track }));
await ask(`me/tracks?ids=${seeds}`, undefined, "DELETE");
assert.equal((await ask("me/tracks", page({ added_at: "string", track }))).total, 0);

// A mistake has the shape of a mistake.
const wrong = await fetch(new URL("v1/tracks/0000000000000000000000", base));
check(await wrong.json(), { error: { status: "integer", message: "string" } }, "error");
