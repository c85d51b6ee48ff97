-- The house's ledger: postings between two accounts, so that all balances together are always zero.

CREATE TABLE floor.account (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- bank: coins sold at the house's desk; transit: between a purse and a table; table: brought to a table by purses,
    -- by epoch; owed: what a table's journal and the house disagree on; unclaimed: sent to a purse that is not there.
    kind text NOT NULL CHECK (kind IN ('bank', 'purse', 'transit', 'table', 'owed', 'unclaimed')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    table_id integer REFERENCES floor.house_table,
    epoch integer,
    coins bigint NOT NULL DEFAULT 0,
    opened timestamptz NOT NULL DEFAULT now(),
    CHECK (kind <> 'purse' OR coins >= 0),
    CHECK (kind <> 'transit' OR coins >= 0),
    UNIQUE (kind, name)
);

CREATE TABLE floor.posting (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    payer integer NOT NULL REFERENCES floor.account,
    payee integer NOT NULL REFERENCES floor.account CHECK (payee <> payer),
    coins bigint NOT NULL CHECK (coins > 0),
    why text NOT NULL,
    transfer text,
    key text UNIQUE,
    who text NOT NULL
);
CREATE INDEX posting_transfer ON floor.posting (transfer) WHERE transfer IS NOT NULL;

CREATE TABLE floor.transfer (
    id text PRIMARY KEY CHECK (length(id) BETWEEN 8 AND 64),
    kind text NOT NULL CHECK (kind IN ('buy-in', 'cash-out')),
    table_id integer NOT NULL REFERENCES floor.house_table,
    purse integer NOT NULL REFERENCES floor.account,
    player text NOT NULL,
    coins bigint NOT NULL CHECK (coins > 0),
    -- reserved: out of the purse, not yet at the table; settled: both sides have it; cancelled: back in the purse;
    -- owed: the table lost the entry that settled it, and has to give the coins once more.
    state text NOT NULL CHECK (state IN ('reserved', 'settled', 'cancelled', 'owed')),
    epoch integer,
    seq bigint,
    asked timestamptz NOT NULL DEFAULT now(),
    changed timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX transfer_open ON floor.transfer (table_id) WHERE state IN ('reserved', 'owed');

-- The only way to a balance: nobody may update one, and the posting itself stays for ever.
CREATE FUNCTION floor.post() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = floor AS $$
BEGIN
    UPDATE account SET coins = coins - NEW.coins WHERE id = NEW.payer;
    UPDATE account SET coins = coins + NEW.coins WHERE id = NEW.payee;
    RETURN NULL;
END $$;
CREATE TRIGGER post AFTER INSERT ON floor.posting FOR EACH ROW EXECUTE FUNCTION floor.post();

INSERT INTO floor.account (kind, name) VALUES ('bank', 'bank'), ('transit', 'transit'), ('unclaimed', 'unclaimed');

GRANT SELECT ON floor.account, floor.posting, floor.transfer TO floor_app, floor_auditor;
GRANT INSERT (kind, name, table_id, epoch) ON floor.account TO floor_app;
GRANT INSERT ON floor.posting, floor.transfer TO floor_app;
GRANT UPDATE (state, epoch, seq, coins, changed) ON floor.transfer TO floor_app;
