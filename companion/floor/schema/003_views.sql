-- For reports and SQL clients; docs/floor.md describes each. Names and columns stay what they are.

CREATE FUNCTION floor.as_json(text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN $1::jsonb;
EXCEPTION WHEN others THEN  -- such as \u0000 in a note, which jsonb cannot hold
    RETURN NULL;
END $$;

-- Every table's history as it counts now: each epoch up to the entry behind which the next one of its journal begins.
CREATE VIEW floor.history AS
SELECT t.name AS table_name, e.table_id, e.epoch, e.seq, e.at::timestamptz AS at, e.session, e.kind, e.source,
       e.key, floor.as_json(e.record) AS record, floor.as_json(e.events) AS events, e.hash, e.arrived
FROM floor.entry e JOIN floor.epoch own USING (table_id, epoch) JOIN floor.house_table t ON t.id = e.table_id
WHERE NOT EXISTS (
    SELECT 1 FROM floor.epoch later
    WHERE later.table_id = e.table_id AND later.epoch > e.epoch AND later.journal = own.journal AND later.fork < e.seq);

-- What a table lost when a later epoch of the same journal began before it.
CREATE VIEW floor.lost AS
SELECT t.name AS table_name, e.table_id, e.epoch, e.seq, e.at::timestamptz AS at, e.kind, e.source,
       floor.as_json(e.record) AS record, e.hash, e.arrived
FROM floor.entry e JOIN floor.epoch own USING (table_id, epoch) JOIN floor.house_table t ON t.id = e.table_id
WHERE EXISTS (
    SELECT 1 FROM floor.epoch later
    WHERE later.table_id = e.table_id AND later.epoch > e.epoch AND later.journal = own.journal AND later.fork < e.seq);

CREATE VIEW floor.tables AS
SELECT t.id AS table_id, t.name AS table_name, h.epoch, h.seq, h.hash, h.changed AS latest_arrival,
       (SELECT count(*) FROM floor.incident i WHERE i.table_id = t.id AND i.closed IS NULL) AS open_incidents
FROM floor.house_table t LEFT JOIN floor.head h ON h.table_id = t.id;

CREATE VIEW floor.purses AS
SELECT id AS account, name AS player, coins, opened FROM floor.account WHERE kind = 'purse';

CREATE VIEW floor.balances AS
SELECT kind, count(*) AS accounts, sum(coins)::bigint AS coins FROM floor.account GROUP BY kind;

CREATE VIEW floor.movements AS
SELECT p.id, p.at, payer.kind AS from_kind, payer.name AS from_name, payee.kind AS to_kind, payee.name AS to_name,
       p.coins, p.why, p.transfer, p.who
FROM floor.posting p JOIN floor.account payer ON payer.id = p.payer JOIN floor.account payee ON payee.id = p.payee;

GRANT EXECUTE ON FUNCTION floor.as_json(text) TO floor_auditor, floor_app;
GRANT SELECT ON floor.history, floor.lost, floor.tables, floor.purses, floor.balances, floor.movements
    TO floor_auditor, floor_app;
