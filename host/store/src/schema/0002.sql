-- The word index holds terms as the analyzer makes them, not words as they are
-- written. It is empty after this step; the engine fills it from the texts.
DROP TABLE terms;
CREATE VIRTUAL TABLE terms USING fts5 (
  title, headings, body,
  content = '', contentless_delete = 1,
  -- Splits at spaces alone, as terms are parted by them: whatever else is in
  -- ASCII belongs to a term, and so does everything beyond.
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
-- Every occurrence of a term, and how many chunks hold one.
CREATE VIRTUAL TABLE occurrences USING fts5vocab (terms, instance);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (terms, row);
-- What the terms were made with; see Store::terms_made_by.
INSERT INTO meta (key, value) VALUES ('analyzer', 0);
