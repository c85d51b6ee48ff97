-- Tables, their epochs and their journals' entries. Everything is appended; only a head moves.
--
-- floor_app is the floor's process, floor_table what it becomes while it writes for tables, floor_auditor reads.

DO $$ BEGIN CREATE ROLE floor_app LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE floor_table NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE floor_auditor LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT floor_table TO floor_app;
ALTER ROLE floor_auditor SET default_transaction_read_only = on;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

CREATE TABLE floor.house_table (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 40),
    added timestamptz NOT NULL DEFAULT now()
);

-- An epoch is one installation's part of a table's history: joining again begins the next one behind entry `fork` of
-- the one before. What the old one has behind that stays, and is named by an incident.
CREATE TABLE floor.epoch (
    table_id integer NOT NULL REFERENCES floor.house_table,
    epoch integer NOT NULL CHECK (epoch > 0),
    journal text NOT NULL,
    fork bigint NOT NULL CHECK (fork >= 0),
    signer text NOT NULL,
    begun timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (table_id, epoch)
);

CREATE TABLE floor.entry (
    table_id integer NOT NULL,
    epoch integer NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    at text NOT NULL,
    session bigint NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    key text,
    record text NOT NULL,
    events text NOT NULL,
    prev text NOT NULL,
    hash text NOT NULL,
    arrived timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (table_id, epoch, seq),
    FOREIGN KEY (table_id, epoch) REFERENCES floor.epoch
);

-- The highest contiguous entry of a table's current epoch.
CREATE TABLE floor.head (
    table_id integer PRIMARY KEY REFERENCES floor.house_table,
    epoch integer NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL,
    changed timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (table_id, epoch) REFERENCES floor.epoch
);

CREATE TABLE floor.countersignature (
    table_id integer NOT NULL,
    epoch integer NOT NULL,
    seq bigint NOT NULL,
    statement text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (table_id, epoch, seq),
    FOREIGN KEY (table_id, epoch) REFERENCES floor.epoch
);

CREATE TABLE floor.incident (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id integer NOT NULL REFERENCES floor.house_table,
    epoch integer NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    first bigint,
    last bigint,
    opened timestamptz NOT NULL DEFAULT now(),
    closed timestamptz,
    closed_by text
);
CREATE UNIQUE INDEX incident_open ON floor.incident (table_id, epoch, kind, coalesce(first, 0)) WHERE closed IS NULL;

-- One-time codes and the certificates that they became.
CREATE TABLE floor.invitation (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id integer NOT NULL REFERENCES floor.house_table,
    code_hash text NOT NULL UNIQUE,
    ends timestamptz NOT NULL,
    used timestamptz
);
CREATE TABLE floor.certificate (
    fingerprint text PRIMARY KEY,
    table_id integer NOT NULL REFERENCES floor.house_table,
    invitation bigint NOT NULL UNIQUE REFERENCES floor.invitation,
    epoch integer,
    given timestamptz NOT NULL DEFAULT now(),
    revoked timestamptz
);

CREATE TABLE floor.person (
    name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 40),
    role text NOT NULL CHECK (role IN ('owner', 'pit', 'dealer', 'auditor')),
    pin_hash text NOT NULL,
    added timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE floor.audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    who text NOT NULL,
    did text NOT NULL,
    about jsonb NOT NULL DEFAULT '{}'
);

-- What a table's write may touch: rows of the tables named in `floor.tables`, set for one transaction.
CREATE FUNCTION floor.is_mine(which integer) RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT which::text = ANY (string_to_array(current_setting('floor.tables', true), ',')) $$;

ALTER TABLE floor.entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE floor.head ENABLE ROW LEVEL SECURITY;
ALTER TABLE floor.countersignature ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_entries ON floor.entry FOR INSERT TO floor_table WITH CHECK (floor.is_mine(table_id));
CREATE POLICY own_head ON floor.head FOR UPDATE TO floor_table USING (floor.is_mine(table_id));
CREATE POLICY own_head_seen ON floor.head FOR SELECT TO floor_table USING (floor.is_mine(table_id));
CREATE POLICY own_signatures ON floor.countersignature FOR INSERT TO floor_table WITH CHECK (floor.is_mine(table_id));
CREATE POLICY read_entries ON floor.entry FOR SELECT TO floor_app, floor_auditor USING (true);
CREATE POLICY read_heads ON floor.head FOR SELECT TO floor_app, floor_auditor USING (true);
CREATE POLICY begin_heads ON floor.head FOR INSERT TO floor_app WITH CHECK (true);
CREATE POLICY fork_heads ON floor.head FOR UPDATE TO floor_app USING (true);
CREATE POLICY read_signatures ON floor.countersignature FOR SELECT TO floor_app, floor_auditor USING (true);

GRANT USAGE ON SCHEMA floor TO floor_app, floor_table, floor_auditor;
GRANT INSERT ON floor.entry, floor.countersignature TO floor_table;
GRANT SELECT, UPDATE (seq, hash, changed) ON floor.head TO floor_table;
GRANT SELECT ON ALL TABLES IN SCHEMA floor TO floor_app;
GRANT INSERT ON floor.house_table, floor.epoch, floor.head, floor.incident, floor.invitation, floor.certificate,
    floor.person, floor.audit TO floor_app;
GRANT UPDATE (epoch, seq, hash, changed) ON floor.head TO floor_app;
GRANT UPDATE (closed, closed_by) ON floor.incident TO floor_app;
GRANT UPDATE (used) ON floor.invitation TO floor_app;
GRANT UPDATE (epoch, revoked) ON floor.certificate TO floor_app;
GRANT UPDATE (role, pin_hash), DELETE ON floor.person TO floor_app;
GRANT SELECT ON floor.house_table, floor.epoch, floor.entry, floor.head, floor.countersignature, floor.incident,
    floor.audit TO floor_auditor;
