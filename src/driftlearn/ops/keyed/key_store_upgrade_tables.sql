-- Turns the tables of a store of format 1 into those of format 2.
ALTER TABLE aside RENAME TO quarantine;
ALTER TABLE quarantine RENAME COLUMN why TO reason;
ALTER TABLE states RENAME COLUMN lately_tested TO recent_tested;
ALTER TABLE states RENAME COLUMN lately_right TO recent_right;
