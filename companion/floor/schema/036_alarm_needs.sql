-- Why somebody should see to an alarm, as codes with their values: [{"need": "camera", "state": "lost"}, …]. Each reader
-- words them in its own language; `text` has them in English. NULL in rows of before: these have their text alone.

ALTER TABLE floor.alarm ADD COLUMN needs jsonb;
GRANT INSERT (needs) ON floor.alarm TO floor_app;
