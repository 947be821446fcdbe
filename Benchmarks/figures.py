"""Tables of figures with their floors, as the accuracy scripts print them."""
import os, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANALYZE = os.path.join(ROOT, '.build/release/analyze')


def run(*command, text=None):
    """The output of a program; `text` is its input. Failed files are no reason to stop."""
    result = subprocess.run([str(part) for part in command], input=text, stdout=subprocess.PIPE, text=True)
    if result.returncode not in (0, 3): raise SystemExit('%s ended with status %d' % (command[0], result.returncode))
    return result.stdout


def download(packages, folder):
    """Unpacks Debian packages, each to a folder of its name, unless the folder exists. Installs nothing."""
    os.makedirs(folder, exist_ok=True)
    for package in packages:
        target = os.path.join(folder, package)
        if os.path.isdir(target): continue
        print('fetching', package, file=sys.stderr)
        subprocess.run(['apt-get', '-o', 'APT::Sandbox::User=root', 'download', '-qq', package], cwd=folder, check=True)
        archive = next(name for name in os.listdir(folder) if name.startswith(package + '_') and name.endswith('.deb'))
        subprocess.run(['dpkg-deb', '-x', os.path.join(folder, archive), target + '.part'], check=True)
        os.remove(os.path.join(folder, archive))
        os.rename(target + '.part', target)


def report(title, rows):
    """Prints rows of (name, count, {column: (figure, floor or None)}) and ends the program: with 1 if a figure is below its floor."""
    columns = list(dict.fromkeys(column for _, _, figures in rows for column in figures))
    print('%-28s %5s' % (title, 'n'), *('%16s' % column for column in columns))
    low = 0
    for name, count, figures in rows:
        cells = []
        for column in columns:
            figure, floor = figures.get(column, (None, None))
            below = floor is not None and figure < floor
            low += below
            cells.append('' if figure is None else '%.1f%s' % (figure, '' if floor is None else ' (%s%.0f)' % ('BELOW ' if below else '', floor)))
        print('%-28s %5d' % (name, count), *('%16s' % cell for cell in cells))
    print('In brackets: floors. ' + ('All figures reach theirs.' if not low else 'Figures below theirs: %d.' % low))
    sys.exit(1 if low else 0)
