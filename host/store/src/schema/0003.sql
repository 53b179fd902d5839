-- What an item's chunks were made with. Equal keys make equal chunks of equal
-- texts.
CREATE TABLE chunk_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  chunker TEXT NOT NULL,             -- name of the component
  version TEXT NOT NULL,
  sha256 TEXT NOT NULL,              -- of the component's file
  settings TEXT NOT NULL,            -- JSON object
  tokenizer TEXT NOT NULL,           -- hash of the tokenizer's definition
  budget INTEGER NOT NULL            -- tokens
) STRICT;
-- NULL where that is not known, as in items from before this table.
ALTER TABLE items ADD COLUMN chunk_set INTEGER REFERENCES chunk_sets;

-- Chunks made with something else beside those that are searched, until all
-- that is being made is complete and takes over. An item has one such set at
-- most, and loses it when its text changes.
CREATE TABLE staged (
  item_id INTEGER PRIMARY KEY REFERENCES items ON DELETE CASCADE,
  chunk_set INTEGER NOT NULL REFERENCES chunk_sets
) STRICT;
CREATE TABLE staged_chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL REFERENCES staged ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  headings TEXT,                     -- JSON array of strings; NULL when empty
  context TEXT,
  hash BLOB NOT NULL,
  -- What the chunk will be found by, as in `terms`.
  title_terms TEXT NOT NULL,
  heading_terms TEXT NOT NULL,
  body_terms TEXT NOT NULL,
  CHECK (start >= 0 AND start < end),
  CHECK (length(hash) = 16)
) STRICT;
CREATE UNIQUE INDEX staged_chunks_item ON staged_chunks (item_id, ordinal);

-- When a person brought a deleted item back. Until the source holds it again,
-- its absence there deletes nothing.
ALTER TABLE items ADD COLUMN restored INTEGER;
-- When the source was last gone through, whether or not anything had changed.
ALTER TABLE sources ADD COLUMN looked INTEGER;
