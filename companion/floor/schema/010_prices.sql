-- The house's price list. Every version is kept as it was saved; rolling back saves an old one anew.

CREATE TABLE floor.price_list (
    number integer PRIMARY KEY CHECK (number > 0),
    at timestamptz NOT NULL DEFAULT now(),
    who text NOT NULL,
    what text NOT NULL,
    body text NOT NULL
);

-- Which version each table plays by is in its own chain: the entry with which its session began.
CREATE VIEW floor.prices_in_use AS
SELECT DISTINCT ON (h.table_id) h.table_id, h.table_name, h.record ->> 'game' AS game,
       (h.record ->> 'prices')::integer AS version, h.at AS since
FROM floor.history h WHERE h.kind = 'start' ORDER BY h.table_id, h.epoch DESC, h.seq DESC;
CREATE INDEX entry_start ON floor.entry (table_id, epoch, seq) WHERE kind = 'start';

GRANT SELECT, INSERT ON floor.price_list TO floor_app;
GRANT SELECT ON floor.price_list TO floor_auditor;
GRANT SELECT ON floor.prices_in_use TO floor_app, floor_auditor;
