// The report's script: charts, table and panel. The headline, causes and new folders are HTML and are painted before.

/* Data. Columns arrive packed; one is unpacked when it is first asked for. */

function takeJSON(id) {
  const node = document.getElementById(id), value = JSON.parse(node.textContent);
  node.remove(); // its text would otherwise stay in memory
  return value;
}

/** Little-endian integers; all bits one is NaN, for "not known". */
function unpacked({ bytes: width, scale = 1, offset = 0, data }) {
  const bytes = bytesOf(data), count = bytes.length / width, missing = 256 ** width - 1,
    values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let raw = 0;
    for (let k = width - 1; k >= 0; k--) raw = raw * 256 + bytes[i * width + k];
    values[i] = raw === missing ? NaN : (raw + offset) / scale;
  }
  return values;
}

let library, table, trackCount = 0;
const unpackedColumns = new Map();

const hasColumn = name => name in table.columns;
/** Numbers of all tracks; all NaN if the report does not have the column. */
function column(name) {
  if (!unpackedColumns.has(name)) {
    unpackedColumns.set(name, hasColumn(name) ? unpacked(table.columns[name]) : new Float64Array(trackCount).fill(NaN));
    if (hasColumn(name)) table.columns[name] = null;
  }
  return unpackedColumns.get(name);
}
const dictionary = name => table.dictionaries[name] || [];
/** The text of a dictionary column, or null. */
const entry = (name, track) => { const index = column(name)[track];
  return known(index) ? dictionary(name)[index] : null; };

const FLAGS = { isNew: 1, corrected: 2, steady: 4, changing: 8, lossless: 16, lossy: 32, estimated: 64, remarks: 128 };
const OK = 0, DAMAGED = 1, FAILED = 2;
const hasFlag = (track, flag) => (column('flags')[track] & flag) !== 0;
/** The title in the tags, null if there is nothing to see in it. */
const tagTitle = track => { const title = rawTitle(track); return title && title.trim() ? title : null; };
const rawTitle = track => table.columns.title ? table.columns.title[track] : null;
/** The file name; a slash in it stands for the title. */
const fileName = track => {
  const name = table.columns.file[track];
  return name.includes('/') ? name.replace('/', () => rawTitle(track) || '') : name;
};
const stem = name => name.replace(/(.)\.[^.]*$/, '$1');
const trackName = track => tagTitle(track) || stem(fileName(track));
const folderPath = track => (table.root + (entry('folder', track) || '')).replace(/(.)\/$/, '$1');
const path = track => `${folderPath(track).replace(/\/$/, '')}/${fileName(track)}`;
const lastFolder = track => `${folderPath(track).split('/').pop()}/`;
const problem = track => library.problems[column('problem')[track]] || null;
