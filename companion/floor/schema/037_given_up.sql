-- A buy-in whose dealer was told that it never will be, at a table that could not write that down, as on a full disk. It
-- moves no coin: only the table's journal does. It tells the table, should it be started anew before it could write.

ALTER TABLE floor.transfer ADD COLUMN given_up timestamptz;
GRANT UPDATE (given_up) ON floor.transfer TO floor_app;
