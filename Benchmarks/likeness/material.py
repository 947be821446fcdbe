#!/usr/bin/env python3
"""Lists the music that the projection of sounds is fitted to and measured on: Debian packages of free games.

  material.py WORK_DIRECTORY [--download]

--download fetches the packages (some 5 GB) with apt-get and unpacks their music to WORK_DIRECTORY/music. Then it writes
WORK_DIRECTORY/tracks.tsv: id, split (fit or test), package, artist, title, path. A track is 30 s to 20 min long. All of a package
is in one split, and nobody who is named as an artist in the test split is in the other.
Needs ffprobe, apt-get, dpkg-deb.
"""
import argparse, hashlib, json, os, re, subprocess, zipfile
from concurrent.futures import ThreadPoolExecutor

TEST = """asc-music drascula-music hyperrogue-music singularity-music wesnoth-1.16-music warzone2100-music nexuiz-music
fretsonfire-songs-sectoid extremetuxracer-data lincity-ng-data xmoto-data widelands-data ufoai-music colobot-common-sounds
ardentryst planetblupi-music-ogg flare-game pushover-data""".split()
FIT = """0ad-data adonthell-data alienblaster-data amoebax-data angrydd atanks-data berusky2-data boswars-data brainparty-data
btanks-data caveexpress-data cube2-data dreamchess-data endless-sky-data fillets-ng-data foobillardplus-data freecol
freedroidrpg-data freeorion-data fretsonfire-songs-muldjord frozen-bubble-data gamine-data gigalomania-data glob2-data
gunroar-data hedgewars-data hex-a-hop-data holotz-castle-data krank lordsawar-data lugaru-data marsshooter-data megaglest-data
miceamaze mu-cade-data naev-data nexuiz-data noiz2sa-data openarena-data openclonk-data parsec47-data pathological
pax-britannica-data pink-pony-data plee-the-bear-data raincat-data redeclipse-data renpy-demo scorched3d-data starfighter-data
supertux-data supertuxkart-data titanion-data torus-trooper-data trackballs-data trigger-rally-data trophy-data
tumiki-fighters-data tuxfootball unknown-horizons warmux-data wizznic-data wordwarvi-sound zaz-data
fb-music-high pekka-kana-2-data pingus-data ri-li-data tomatoes-data ballz-data bb biniax2-data bomberclone-data ceferino-data
circuslinux-data cuyo-data dodgindiamond2 flobopuyo gemdropx gl-117-data gweled heroes-sound-tracks ironseed-data
madbomber-data njam-data open-invaders-data pachi-data penguin-command rafkill-data rockdodger solarwolf tecnoballz-data
tuxmath-data vectoroids vodovod vor""".split()
# Of a package in the fit split.
MOST = 25
MODULES = ('.xm', '.mod', '.s3m', '.it')
MUSIC = ('.ogg', '.oga', '.mp3', '.flac', '.opus', '.wav', '.m4a') + MODULES
ARCHIVES = ('.zip', '.pk3', '.dat')
NOT_MUSIC = re.compile(r'/ambient/|/sfx/|/interface/|/speech|/wav/|/units/|/library/|/sound/misc/|/sounds?/effects|/guitar\.ogg$'
                       r'|/data/tracks/|/toon/|/video/|/dayscape/', re.I)


def unpack(package, work):
    """The music of a package, archives within it included."""
    folder = os.path.join(work, 'music', package)
    if os.path.exists(folder): return
    debs, part = os.path.join(work, 'debs'), folder + '.part'
    deb = next((name for name in sorted(os.listdir(debs)) if name.startswith(package + '_')), None)
    if deb is None: return
    os.makedirs(part)
    archive = subprocess.Popen(['dpkg-deb', '--fsys-tarfile', os.path.join(debs, deb)], stdout=subprocess.PIPE)
    subprocess.run(['tar', '-x', '-C', part, '--wildcards', '--no-anchored', '--ignore-case', *('*' + end for end in MUSIC + ARCHIVES)],
                   stdin=archive.stdout, stderr=subprocess.DEVNULL)
    for root, _, names in os.walk(part):
        for name in names:
            path = os.path.join(root, name)
            if os.path.islink(path) or name.lower().endswith(ARCHIVES):
                if not os.path.islink(path) and zipfile.is_zipfile(path):
                    with zipfile.ZipFile(path) as entries:
                        for entry in entries.namelist():
                            if entry.lower().endswith(MUSIC) and '..' not in entry: entries.extract(entry, path + '.d')
                os.unlink(path)
    os.rename(part, folder)
    os.unlink(os.path.join(debs, deb))


def describe(path):
    """Seconds, artist and title; None for what is no audio."""
    answer = subprocess.run(['ffprobe', '-v', 'error', '-select_streams', 'a:0', '-show_entries',
                             'format=duration:format_tags:stream_tags', '-of', 'json', path], capture_output=True, text=True)
    try:
        found = json.loads(answer.stdout)
        tags = {name.lower(): value for part in (*found.get('streams', []), found['format'])
                for name, value in part.get('tags', {}).items()}
        return float(found['format']['duration']), tags.get('artist', ''), tags.get('title', '')
    except (ValueError, KeyError):
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    parser.add_argument('--download', action='store_true')
    arguments = parser.parse_args()
    work = arguments.work
    if arguments.download:
        os.makedirs(os.path.join(work, 'debs'), exist_ok=True)
        for package in TEST + FIT:
            if not os.path.exists(os.path.join(work, 'music', package)):
                subprocess.run(['apt-get', 'download', package], cwd=os.path.join(work, 'debs'))
                unpack(package, work)
    tracks, seen = [], set()
    for split, packages in (('test', TEST), ('fit', FIT)):
        for package in packages:
            paths = [os.path.join(root, name) for root, _, names in os.walk(os.path.join(work, 'music', package)) for name in names]
            paths = [path for path in sorted(paths) if path.lower().endswith(MUSIC) and not NOT_MUSIC.search(path)
                     and (os.path.getsize(path) > 100_000 or path.lower().endswith(MODULES))]
            with ThreadPoolExecutor() as pool: facts = list(pool.map(describe, paths))
            count = 0
            for path, fact in zip(paths, facts):
                if split == 'fit' and count == MOST: break
                if fact is None or not 30 <= fact[0] <= 1200: continue
                digest = hashlib.sha256(open(path, 'rb').read()).hexdigest()[:10]
                title = re.sub(r'\W+', ' ', fact[2].lower()).strip()
                if digest in seen or (title and (fact[1].lower(), title, round(fact[0])) in seen): continue
                seen |= {digest, (fact[1].lower(), title, round(fact[0]))}
                count += 1
                tracks.append([digest, split, package, ' '.join(fact[1].lower().split()), ' '.join(fact[2].split()), path])
    known = {track[3] for track in tracks if track[1] == 'test' and track[3]}
    with open(os.path.join(work, 'tracks.tsv'), 'w') as file:
        for track in tracks:
            if track[1] == 'test' or track[3] not in known: file.write('\t'.join(track) + '\n')


if __name__ == '__main__': main()
