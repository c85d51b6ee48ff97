-- Cards that seat their player. A card is known by its number and the floor's signature over it; what is printed can be
-- revoked, and nothing of it is ever deleted.

CREATE TABLE floor.player_card (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    purse integer NOT NULL REFERENCES floor.account,
    printed timestamptz NOT NULL DEFAULT now(),
    printed_by text NOT NULL,
    revoked timestamptz,
    revoked_by text,
    CHECK ((revoked IS NULL) = (revoked_by IS NULL))
);
CREATE INDEX player_card_purse ON floor.player_card (purse);

GRANT SELECT ON floor.player_card TO floor_app, floor_auditor;
GRANT INSERT (purse, printed_by) ON floor.player_card TO floor_app;
GRANT UPDATE (revoked, revoked_by) ON floor.player_card TO floor_app;
