-- The first layout of a pkb database. A layout that was ever released is never
-- edited: changes go into the next file.
--
-- Times are milliseconds since 1970-01-01T00:00:00Z, spans are bytes.

-- `generation` grows with every transaction that changes anything.
-- `current_model` is the models.id that searches use.
CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value) VALUES ('generation', 1);

CREATE TABLE sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  location TEXT NOT NULL,
  settings TEXT NOT NULL,            -- JSON object
  chunker TEXT,
  chunker_settings TEXT,             -- JSON object
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE cursors (
  source_id INTEGER PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
  cursor TEXT NOT NULL,
  updated INTEGER NOT NULL
) STRICT;

CREATE TABLE items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  external_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  url TEXT,
  author TEXT,
  language TEXT,
  created INTEGER,
  modified INTEGER,
  published INTEGER,
  ingested INTEGER NOT NULL,
  duration REAL,                     -- seconds
  views INTEGER,
  size INTEGER NOT NULL,             -- bytes of the original
  content_hash BLOB NOT NULL,        -- of the original's bytes
  status INTEGER NOT NULL,           -- 0 indexed, 1 stale, 2 deleted
  deleted INTEGER,
  deleted_from TEXT,
  UNIQUE (source_id, external_id),
  CHECK (length(content_hash) = 32),
  CHECK (status BETWEEN 0 AND 2),
  CHECK ((status = 2) = (deleted IS NOT NULL)),
  CHECK ((status = 2) = (deleted_from IS NOT NULL))
) STRICT;
-- Small, as few items are deleted at any time; tells at once that none is.
CREATE INDEX items_deleted ON items (deleted) WHERE deleted IS NOT NULL;

-- Apart from the items, so that going through items does not read texts.
CREATE TABLE texts (
  item_id INTEGER PRIMARY KEY REFERENCES items ON DELETE CASCADE,
  text TEXT NOT NULL,
  marks BLOB                         -- packed; NULL when there are none
) STRICT;

-- The text of a chunk is a slice of its item's text. The hash says what is
-- embedded; a chunk never changes its hash, so that an index in memory can
-- trust what it knows of an id.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  headings TEXT,                     -- JSON array of strings; NULL when empty
  context TEXT,
  hash BLOB NOT NULL,
  CHECK (start >= 0 AND start < end),
  CHECK (length(hash) = 16)
) STRICT;
CREATE INDEX chunks_item ON chunks (item_id);

-- rowid is chunks.id. Contentless: the words come from title and aliases,
-- headings and tags, and the slice of the text.
CREATE VIRTUAL TABLE terms USING fts5 (
  title, headings, body,
  content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
-- However a chunk goes, by replacement or by cascade, its terms go with it.
CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN
  DELETE FROM terms WHERE rowid = old.id;
END;

CREATE TABLE models (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  fingerprint TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0)
) STRICT;

-- One scale (IEEE 754 single precision, little-endian), then one signed byte a
-- number: a number is its byte times the scale. A rowid table, as rows this long
-- pack badly into an index ordered by hash.
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model_id INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
  hash BLOB NOT NULL CHECK (length(hash) = 16),
  vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vectors_hash ON vectors (model_id, hash);

CREATE TABLE categories (
  item_id INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  category TEXT NOT NULL COLLATE NOCASE,
  PRIMARY KEY (item_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  item_id INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  tag TEXT NOT NULL COLLATE NOCASE,
  PRIMARY KEY (item_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_tag ON tags (tag);

CREATE TABLE aliases (
  item_id INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  alias TEXT NOT NULL,
  PRIMARY KEY (item_id, seq)
) STRICT, WITHOUT ROWID;

-- seq is -1 for a single value and counts from 0 in a list; an empty list is
-- one row of type 4.
CREATE TABLE properties (
  item_id INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
  name TEXT NOT NULL,
  seq INTEGER NOT NULL,
  type INTEGER NOT NULL,             -- 0 text, 1 number, 2 boolean, 3 timestamp, 4 empty list
  value ANY,
  PRIMARY KEY (item_id, name, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX properties_value ON properties (name, value);

CREATE TABLE links (
  item_id INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  kind INTEGER NOT NULL,             -- 0 wikilink, 1 embed, 2 hyperlink, 3 image
  target TEXT NOT NULL,
  heading TEXT,
  block TEXT,
  label TEXT,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  PRIMARY KEY (item_id, seq)
) STRICT, WITHOUT ROWID;

-- Strings that many ledger rows share.
CREATE TABLE shared (
  id INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

-- One row for everything ever seen. Its item, where there is one, is the one
-- with the same source and external id.
CREATE TABLE ledger (
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  external_id TEXT NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2), -- 0 indexed, 1 skipped, 2 failed
  reason TEXT,
  message TEXT,
  warnings TEXT,                     -- JSON array of strings; NULL when empty
  component INTEGER REFERENCES shared,
  stamp TEXT NOT NULL,
  pipeline INTEGER NOT NULL REFERENCES shared,
  updated INTEGER NOT NULL,
  PRIMARY KEY (source_id, external_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  started INTEGER NOT NULL,
  finished INTEGER,
  outcome TEXT,
  counts TEXT NOT NULL               -- JSON object
) STRICT;
CREATE INDEX sync_runs_source ON sync_runs (source_id, id);
