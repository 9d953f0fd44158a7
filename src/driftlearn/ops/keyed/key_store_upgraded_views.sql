-- Temporary tables that show a store of format 1, which is only read, as one of format 2.
CREATE TEMP VIEW quarantine AS SELECT number, at, file, row, key, why AS reason FROM main.aside;
CREATE TEMP VIEW states AS SELECT key, place, seen, rows, tested, right,
    lately_tested AS recent_tested, lately_right AS recent_right, changes, changed, state
    FROM main.states;
CREATE TEMP TABLE about AS SELECT * FROM main.about;
