-- Which tables' rows may be added or moved now: ",3,17,". Looked for as text, as a list would be taken apart for each row.

CREATE OR REPLACE FUNCTION floor.is_mine(which integer) RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT strpos(current_setting('floor.tables', true), ',' || which || ',') > 0 $$;
