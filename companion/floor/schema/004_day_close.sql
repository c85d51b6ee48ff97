-- What came to between two closes of the house, as it was signed. Only added, never changed.

CREATE TABLE floor.day_close (
    number integer PRIMARY KEY CHECK (number > 0),
    at timestamptz NOT NULL DEFAULT now(),
    who text NOT NULL,
    body text NOT NULL,
    signature text NOT NULL,
    public text NOT NULL
);

GRANT SELECT, INSERT ON floor.day_close TO floor_app;
GRANT SELECT ON floor.day_close TO floor_auditor;
