-- For each format, the statements that convert a store from the preceding format.

-- format 1
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, begun TEXT NOT NULL, ended TEXT, status TEXT NOT NULL,
    title TEXT NOT NULL, command TEXT NOT NULL, machine TEXT NOT NULL
);
CREATE TABLE cells (
    key TEXT PRIMARY KEY, description TEXT NOT NULL, status TEXT NOT NULL, begun TEXT, ended TEXT,
    wall REAL, cpu REAL, error TEXT, machine TEXT, summary TEXT, histories BLOB
) WITHOUT ROWID;
CREATE TABLE run_cells (
    run INTEGER NOT NULL REFERENCES runs (id), place INTEGER NOT NULL,
    stream TEXT NOT NULL, learner TEXT NOT NULL, seed INTEGER NOT NULL, cell TEXT NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE TABLE chunks (
    cell TEXT NOT NULL, chunk INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    learnt INTEGER NOT NULL, accuracy REAL, log_loss REAL, fit_seconds REAL, predict_seconds REAL,
    members REAL, nbytes REAL, classes TEXT NOT NULL, confusion TEXT NOT NULL,
    PRIMARY KEY (cell, chunk)
) WITHOUT ROWID;

-- format 2: checksums
ALTER TABLE runs ADD COLUMN cells INTEGER;
ALTER TABLE runs ADD COLUMN seal TEXT;
ALTER TABLE cells ADD COLUMN chunks INTEGER;
ALTER TABLE cells ADD COLUMN seal TEXT;
ALTER TABLE run_cells ADD COLUMN seal TEXT;
ALTER TABLE chunks ADD COLUMN seal TEXT;

-- format 3: metrics of probabilities
ALTER TABLE chunks ADD COLUMN unchanged REAL;
ALTER TABLE chunks ADD COLUMN brier REAL;
ALTER TABLE chunks ADD COLUMN auc REAL;
ALTER TABLE chunks ADD COLUMN calibration TEXT;
