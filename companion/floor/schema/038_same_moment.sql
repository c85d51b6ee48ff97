-- A dealer who signs on in the same millisecond in which a round is decided, as programs do: the table's entries say
-- which of the two was first.

CREATE OR REPLACE VIEW floor.results AS
SELECT t.name AS table_name, r.*,
       (SELECT d.dealer FROM floor.duty d
        WHERE d.table_id = r.table_id
              AND (d.at < r.at OR d.at = r.at AND (d.seq IS NULL OR (d.epoch, d.seq) < (r.epoch, r.seq)))
        ORDER BY d.at DESC, d.id DESC LIMIT 1) AS dealer
FROM floor.result r JOIN floor.epoch own USING (table_id, epoch) JOIN floor.house_table t ON t.id = r.table_id
WHERE NOT EXISTS (
    SELECT 1 FROM floor.epoch later
    WHERE later.table_id = r.table_id AND later.epoch > r.epoch AND later.journal = own.journal AND later.fork < r.seq);
