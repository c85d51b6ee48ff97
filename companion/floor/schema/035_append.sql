-- All that one transaction of the ingest adds, in one call, so that the program waits for the database once. It becomes
-- the role that may touch rows of these tables only, and is the caller's again afterwards. `moves` has for each table:
-- id, epoch, seq and hash of the head as it is known, seq and hash of the new one; `entries` has rows of `floor.entry`,
-- `signed` rows of `floor.countersignature`; `news` is what those who LISTEN are told. Rows come as JSON: lists of columns
-- take forty times as long.

CREATE FUNCTION floor.append(tables text, moves jsonb, entries jsonb, signed jsonb, news text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    moved integer;
BEGIN
    PERFORM set_config('role', 'floor_table', true), set_config('floor.tables', tables, true);
    UPDATE floor.head h SET seq = (m->>4)::bigint, hash = m->>5, changed = now() FROM jsonb_array_elements(moves) AS m
    WHERE h.table_id = (m->>0)::int AND h.epoch = (m->>1)::int AND h.seq = (m->>2)::bigint AND h.hash = m->>3;
    GET DIAGNOSTICS moved = ROW_COUNT;
    IF moved <> jsonb_array_length(moves) THEN
        RAISE serialization_failure USING MESSAGE = 'another floor writes here';
    END IF;
    INSERT INTO floor.entry (table_id, epoch, seq, at, session, kind, source, key, record, events, prev, hash)
    SELECT (e->>0)::int, (e->>1)::int, (e->>2)::bigint, e->>3, (e->>4)::bigint, e->>5, e->>6, e->>7, e->>8, e->>9,
        e->>10, e->>11 FROM jsonb_array_elements(entries) AS e;
    INSERT INTO floor.countersignature (table_id, epoch, seq, statement)
    SELECT (s->>0)::int, (s->>1)::int, (s->>2)::bigint, s->>3 FROM jsonb_array_elements(signed) AS s
    ON CONFLICT DO NOTHING;
    PERFORM set_config('role', 'none', true);
    IF news IS NOT NULL THEN
        PERFORM pg_notify('floor', news);
    END IF;
END
$$;
