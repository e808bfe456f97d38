/**
 * Tables of the knowledge database. Everything in it is derived from files, git, the journal and
 * imported notes, so a database of another version is thrown away and built again (imports are kept
 * in the journal's folder as files).
 */
import { CODE_TYPES } from "../graph/node-types.ts";
import { CHOICES } from "../../protocol/index.ts";

export const SCHEMA_VERSION = 15;

const listOf = (types: readonly string[]): string => types.map((type) => `'${type}'`).join(", ");

export const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE nodes (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  domain TEXT NOT NULL CHECK (domain IN ('code', 'history', 'academic')),
  node_type TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT, language TEXT, line_start INTEGER, line_end INTEGER, signature TEXT, doc TEXT,
  session_id TEXT, timestamp TEXT, category TEXT, author TEXT,
  url TEXT, source TEXT, published_at TEXT,
  content TEXT, content_hash TEXT, metadata TEXT,
  verified INTEGER NOT NULL DEFAULT 0,
  verification_type TEXT NOT NULL DEFAULT 'none' CHECK (verification_type IN ('none', 'against_code', 'against_history', 'by_user', 'from_source')),
  confidence REAL NOT NULL DEFAULT 0.5,
  trust_level INTEGER NOT NULL DEFAULT 20,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, expires_at TEXT,
  superseded_by INTEGER REFERENCES nodes(key) ON DELETE SET NULL,
  owner INTEGER REFERENCES nodes(key) ON DELETE CASCADE,
  /* Whatever happened may be of any kind that is neither code's nor a document's. */
  CHECK ((domain = 'code') = (node_type IN (${listOf(CODE_TYPES)}))),
  CHECK ((domain = 'academic') = (node_type IN (${listOf(CHOICES.documentType)})))
);
CREATE INDEX nodes_type ON nodes(domain, node_type);
CREATE INDEX nodes_path ON nodes(path) WHERE path IS NOT NULL;
CREATE INDEX nodes_name ON nodes(name COLLATE NOCASE);
CREATE INDEX nodes_session ON nodes(session_id) WHERE session_id IS NOT NULL;
CREATE INDEX nodes_owner ON nodes(owner) WHERE owner IS NOT NULL;
CREATE INDEX nodes_content ON nodes(content_hash) WHERE domain = 'history' AND content_hash IS NOT NULL;
CREATE INDEX nodes_superseded ON nodes(superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE edges (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  target INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  edge_type TEXT NOT NULL,
  weight REAL NOT NULL DEFAULT 1,
  metadata TEXT,
  UNIQUE (source, target, edge_type)
);
CREATE INDEX edges_target ON edges(target, edge_type);

/* Edges between domains, by id: they outlive the re-reading of a file, and point to what is gone by its name. */
CREATE TABLE links (
  source TEXT NOT NULL, target TEXT NOT NULL, edge_type TEXT NOT NULL,
  weight REAL NOT NULL DEFAULT 1, metadata TEXT,
  PRIMARY KEY (source, target, edge_type)
) WITHOUT ROWID;
CREATE INDEX links_target ON links(target, edge_type);

CREATE TABLE provenance (
  id INTEGER PRIMARY KEY,
  node INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  source_type TEXT NOT NULL CHECK (source_type IN ('code', 'history', 'academic', 'inference', 'user')),
  source_node INTEGER REFERENCES nodes(key) ON DELETE SET NULL,
  source_path TEXT, source_url TEXT,
  confidence REAL NOT NULL,
  verified_at TEXT
);
CREATE INDEX provenance_node ON provenance(node);
CREATE INDEX provenance_source ON provenance(source_node) WHERE source_node IS NOT NULL;

CREATE TABLE conflicts (
  id INTEGER PRIMARY KEY,
  conflict_type TEXT NOT NULL CHECK (conflict_type IN ('temporal', 'source_mismatch', 'semantic')),
  subject TEXT NOT NULL,
  node_a INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  node_b INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'warning')),
  description TEXT NOT NULL, suggestion TEXT NOT NULL, content_hash TEXT NOT NULL,
  resolution TEXT, detected_at TEXT NOT NULL, resolved_at TEXT,
  UNIQUE (conflict_type, subject, node_a, node_b)
);

/* Contradictions that someone settled, by id: they may be settled before they are found again. */
CREATE TABLE settled (
  conflict_type TEXT NOT NULL, subject TEXT NOT NULL, node_a TEXT NOT NULL, node_b TEXT NOT NULL, content_hash TEXT NOT NULL,
  resolution TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (conflict_type, subject, node_a, node_b)
) WITHOUT ROWID;

/* One row per project file; the node of the same key is its file node. */
CREATE TABLE files (
  key INTEGER PRIMARY KEY REFERENCES nodes(key) ON DELETE CASCADE,
  path TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL, size INTEGER NOT NULL, mtime_ms REAL NOT NULL,
  kind TEXT NOT NULL, lines INTEGER NOT NULL, test INTEGER NOT NULL,
  broken INTEGER NOT NULL DEFAULT 0,
  changes REAL NOT NULL DEFAULT 0, changed_at INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE chunks (
  key INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  node INTEGER REFERENCES nodes(key) ON DELETE SET NULL,
  line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  text TEXT,
  /* Its words as a bag, how many, and its vector of the table that ships with Sylk. */
  length INTEGER NOT NULL, words BLOB NOT NULL, vector BLOB
);
CREATE INDEX chunks_file ON chunks(file, length);
CREATE INDEX chunks_hash ON chunks(hash);
/* Without it the deletion of one symbol would look at every piece. */
CREATE INDEX chunks_node ON chunks(node);

/* What a file's symbols mention, by name; resolved when asked, so that re-indexing one file breaks no other. */
CREATE TABLE mentions (
  file INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  node INTEGER REFERENCES nodes(key) ON DELETE CASCADE,
  name TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL, count INTEGER NOT NULL
);
CREATE INDEX mentions_file ON mentions(file);
CREATE INDEX mentions_node ON mentions(node);
CREATE INDEX mentions_name ON mentions(name, kind);

CREATE TABLE commits (
  key INTEGER PRIMARY KEY REFERENCES nodes(key) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, author TEXT NOT NULL, files INTEGER NOT NULL,
  length INTEGER NOT NULL, words BLOB NOT NULL, vector BLOB
);
CREATE TABLE commit_files (
  commit_key INTEGER NOT NULL REFERENCES commits(key) ON DELETE CASCADE,
  path TEXT NOT NULL, change TEXT NOT NULL,
  PRIMARY KEY (commit_key, path)
) WITHOUT ROWID;
CREATE INDEX commit_files_path ON commit_files(path, commit_key);

/* Entries of conversations, notes and journal entries; the node of the same key carries the text. */
CREATE TABLE turns (
  key INTEGER PRIMARY KEY REFERENCES nodes(key) ON DELETE CASCADE,
  external_id TEXT, thread TEXT NOT NULL, author TEXT NOT NULL, at INTEGER,
  place INTEGER NOT NULL, session INTEGER NOT NULL, length INTEGER NOT NULL, kind TEXT NOT NULL,
  vector BLOB
);
CREATE INDEX turns_at ON turns(at);
CREATE INDEX turns_author ON turns(author, at);
CREATE INDEX turns_thread ON turns(thread, place);

/* What has a vector of a provider's model, by its content; the vectors themselves stand in a table made for their length. */
CREATE TABLE embedded (id INTEGER PRIMARY KEY, domain TEXT NOT NULL CHECK (domain IN ('code', 'history')), hash TEXT NOT NULL, UNIQUE (domain, hash));

CREATE VIRTUAL TABLE file_fts USING fts5(path, symbols, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE chunk_fts USING fts5(body, detail=none, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE commit_fts USING fts5(body, detail=none, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE turn_fts USING fts5(text, author, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE name_fts USING fts5(name, content='', contentless_delete=1, tokenize='trigram');
CREATE VIRTUAL TABLE file_terms USING fts5vocab(file_fts, 'row');
CREATE VIRTUAL TABLE chunk_terms USING fts5vocab(chunk_fts, 'row');
CREATE VIRTUAL TABLE commit_terms USING fts5vocab(commit_fts, 'row');
CREATE VIRTUAL TABLE turn_terms USING fts5vocab(turn_fts, 'row');
`;

/** The signs alone are searched, quickly; the numbers beside the text then put the nearest in order. */
export const SIGN_TABLES = `
CREATE VIRTUAL TABLE piece_signs USING vec0(key INTEGER PRIMARY KEY, signs BIT[256]);
CREATE VIRTUAL TABLE saying_signs USING vec0(key INTEGER PRIMARY KEY, kind TEXT PARTITION KEY, signs BIT[256]);
`;
