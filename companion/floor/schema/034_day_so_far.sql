-- What a table's bets came to since a day close, as the pit's board shows it: kept beside the mark up to which they are
-- worked out, so that nobody has to add a day's rounds up every few seconds. `day` is JSON, `day_close` its close.

ALTER TABLE floor.reckoned ADD COLUMN day_close integer NOT NULL DEFAULT -1, ADD COLUMN day text NOT NULL DEFAULT '';
GRANT UPDATE (day_close, day) ON floor.reckoned TO floor_app;
