-- Tables of a store of keys, format 2.
CREATE TABLE about (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE states (
    key TEXT PRIMARY KEY, place INTEGER NOT NULL, seen INTEGER,
    rows INTEGER NOT NULL, tested INTEGER NOT NULL, right INTEGER NOT NULL,
    recent_tested INTEGER NOT NULL, recent_right INTEGER NOT NULL,
    changes INTEGER NOT NULL, changed INTEGER, state BLOB NOT NULL
);
CREATE INDEX by_place ON states (place, key);
CREATE INDEX by_seen ON states (seen);
CREATE TABLE positions (path TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE quarantine (
    number INTEGER PRIMARY KEY, at INTEGER NOT NULL, file TEXT, row INTEGER, key TEXT,
    reason TEXT NOT NULL
);
CREATE TABLE expired (at INTEGER PRIMARY KEY, n INTEGER NOT NULL);
