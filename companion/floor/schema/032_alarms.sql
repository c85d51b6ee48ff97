-- What somebody in the pit should see to, from when to when, and whether phones were told so.

CREATE TABLE floor.alarm (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id integer NOT NULL REFERENCES floor.house_table,
    kind text NOT NULL CHECK (kind IN ('dispute', 'incident', 'hold', 'question', 'offline', 'machine')),
    text text NOT NULL,
    raised timestamptz NOT NULL DEFAULT now(),
    cleared timestamptz,
    told_raised timestamptz,
    told_cleared timestamptz
);
CREATE UNIQUE INDEX alarm_open ON floor.alarm (table_id, kind) WHERE cleared IS NULL;
CREATE INDEX alarm_untold ON floor.alarm (id)
    WHERE told_raised IS NULL OR (cleared IS NOT NULL AND told_cleared IS NULL);

-- Which alarms a person's phones are told; without a row those that the role has from the start.
CREATE TABLE floor.alarm_choice (
    person text PRIMARY KEY REFERENCES floor.person ON DELETE CASCADE,
    kinds text[] NOT NULL
);

GRANT SELECT ON floor.alarm, floor.alarm_choice TO floor_app, floor_auditor;
GRANT INSERT (table_id, kind, text) ON floor.alarm TO floor_app;
GRANT UPDATE (cleared, told_raised, told_cleared) ON floor.alarm TO floor_app;
GRANT INSERT, UPDATE (kinds) ON floor.alarm_choice TO floor_app;
