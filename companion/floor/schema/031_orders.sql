-- What the pit asks of a table: to hold, or to go on. Kept for ever, with who asked and what came of it.

CREATE TABLE floor.table_order (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id integer NOT NULL REFERENCES floor.house_table,
    command text NOT NULL CHECK (command IN ('hold', 'release')),
    who text NOT NULL,
    asked timestamptz NOT NULL DEFAULT now(),
    -- null: the table has not answered; an order that is a minute old is not sent any more.
    answered timestamptz,
    refused text,
    CHECK (refused IS NULL OR answered IS NOT NULL)
);

GRANT SELECT ON floor.table_order TO floor_app, floor_auditor;
GRANT INSERT (table_id, command, who) ON floor.table_order TO floor_app;
GRANT UPDATE (answered, refused) ON floor.table_order TO floor_app;
