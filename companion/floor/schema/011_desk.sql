-- Decks that tables have made, cards of them that lay on another table, and who was on duty. Everything is appended.

CREATE TABLE floor.deck (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id integer NOT NULL REFERENCES floor.house_table,
    deck text NOT NULL CHECK (deck ~ '^[A-Z0-9]{4}$'),
    kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 40),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    registered timestamptz NOT NULL DEFAULT now(),
    UNIQUE (table_id, deck, kind, name)
);

CREATE TABLE floor.stranger (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    table_id integer NOT NULL REFERENCES floor.house_table,
    card text NOT NULL,
    deck text NOT NULL,
    owner integer REFERENCES floor.house_table,
    -- unchecked: nobody could say; genuine, forged: the table whose deck it is has held it against its key;
    -- unknown: no table of this house has such a deck.
    worth text NOT NULL CHECK (worth IN ('unchecked', 'genuine', 'forged', 'unknown'))
);

CREATE TABLE floor.duty (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    table_id integer NOT NULL REFERENCES floor.house_table,
    -- Who is on duty from then on; nobody: NULL.
    dealer text CHECK (length(dealer) BETWEEN 1 AND 40),
    who text NOT NULL,
    epoch integer,
    seq bigint
);
CREATE UNIQUE INDEX duty_entry ON floor.duty (table_id, epoch, seq) WHERE seq IS NOT NULL;
CREATE INDEX duty_table ON floor.duty (table_id, at DESC, id DESC);

-- Each dealer's time at a table, from one change to the next; `until` is NULL while it lasts.
CREATE VIEW floor.shifts AS
SELECT d.table_id, t.name AS table_name, d.dealer, d.at AS since, d.until, d.who FROM (
    SELECT table_id, dealer, at, who, lead(at) OVER (PARTITION BY table_id ORDER BY at, id) AS until FROM floor.duty
) d JOIN floor.house_table t ON t.id = d.table_id WHERE d.dealer IS NOT NULL;

CREATE VIEW floor.decks AS
SELECT DISTINCT ON (d.table_id, d.deck) d.table_id, t.name AS table_name, d.deck, d.kind, d.name, d.registered
FROM floor.deck d JOIN floor.house_table t ON t.id = d.table_id ORDER BY d.table_id, d.deck, d.id DESC;

CREATE VIEW floor.incidents AS
SELECT i.id, t.name AS table_name, i.table_id, i.epoch, i.kind, i.text, i.first, i.last, i.opened, i.closed, i.closed_by
FROM floor.incident i JOIN floor.house_table t ON t.id = i.table_id;

CREATE VIEW floor.strangers AS
SELECT s.id, s.at, t.name AS table_name, s.table_id, s.card, s.deck, o.name AS owner_name, s.owner, s.worth
FROM floor.stranger s JOIN floor.house_table t ON t.id = s.table_id LEFT JOIN floor.house_table o ON o.id = s.owner;

GRANT SELECT, INSERT ON floor.deck, floor.stranger, floor.duty TO floor_app;
GRANT SELECT ON floor.deck, floor.stranger, floor.duty, floor.shifts, floor.decks, floor.incidents, floor.strangers
    TO floor_app, floor_auditor;
