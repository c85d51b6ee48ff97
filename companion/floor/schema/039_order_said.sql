-- Why a table refused what the pit asked of it, as one of the program's sentences with its values: {"say": …, "with": {…}}.
-- Each reader has it in their own language; `refused` has it in English. NULL in rows of before, and for other texts.

ALTER TABLE floor.table_order ADD COLUMN said jsonb;
GRANT UPDATE (said) ON floor.table_order TO floor_app;
