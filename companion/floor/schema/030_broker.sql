-- Who may log in to the house's MQTT broker. The broker's file of passwords is made from these rows; only hashes are kept.

CREATE TABLE floor.broker_access (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    login text NOT NULL CHECK (login ~ '^[a-z0-9-]{1,40}$'),
    -- A table's access ends with its certificate; null: somebody who reads, such as Home Assistant.
    certificate text REFERENCES floor.certificate,
    hash text NOT NULL CHECK (hash LIKE '$7$%'),
    given timestamptz NOT NULL DEFAULT now(),
    given_by text NOT NULL,
    revoked timestamptz,
    revoked_by text,
    CHECK ((revoked IS NULL) = (revoked_by IS NULL))
);
CREATE UNIQUE INDEX broker_access_login ON floor.broker_access (login) WHERE revoked IS NULL;

GRANT SELECT ON floor.broker_access TO floor_app;
GRANT INSERT (login, certificate, hash, given_by) ON floor.broker_access TO floor_app;
GRANT UPDATE (revoked, revoked_by) ON floor.broker_access TO floor_app;
GRANT SELECT (id, login, certificate, given, given_by, revoked, revoked_by) ON floor.broker_access TO floor_auditor;
