-- Turns the entries of the table "about" of format 1 into those of format 2.
UPDATE about SET name = 'shared' WHERE name = 'population';
UPDATE about SET name = 'source_accuracy',
    value = CAST(replace(CAST(value AS TEXT), '"lent":', '"by_pool_model":') AS BLOB)
    WHERE name = 'heard';
UPDATE about SET
    value = CAST(replace(CAST(value AS TEXT), '"aside":', '"quarantined":') AS BLOB)
    WHERE name = 'stream';
