-- What each entry brought, worked out from the chains: an undone command is a row of its own that takes it back again,
-- so that sums up to any entry are what counted there. Only added; it can be worked out anew at any time.

CREATE TABLE floor.result (
    table_id integer NOT NULL REFERENCES floor.house_table,
    epoch integer NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    game text NOT NULL,
    bought bigint NOT NULL,
    from_purses bigint NOT NULL,
    cashed bigint NOT NULL,
    to_purses bigint NOT NULL,
    recounted bigint NOT NULL,
    win bigint NOT NULL,
    -- Of decided bets whose exact odds are known: their number, stakes, what the house won by them, what it wins by such
    -- bets on average, and the variance of that; and the number of bets without known odds.
    rounds integer NOT NULL,
    bets integer NOT NULL,
    staked bigint NOT NULL,
    won bigint NOT NULL,
    expected numeric NOT NULL,
    variance double precision NOT NULL,
    unknown integer NOT NULL,
    PRIMARY KEY (table_id, epoch, seq),
    FOREIGN KEY (table_id, epoch, seq) REFERENCES floor.entry
);

-- Up to where each table's chain is worked out.
CREATE TABLE floor.reckoned (
    table_id integer PRIMARY KEY REFERENCES floor.house_table,
    epoch integer NOT NULL,
    seq bigint NOT NULL
);

CREATE VIEW floor.results AS
SELECT t.name AS table_name, r.*,
       (SELECT d.dealer FROM floor.duty d WHERE d.table_id = r.table_id AND d.at <= r.at ORDER BY d.at DESC, d.id DESC LIMIT 1)
           AS dealer
FROM floor.result r JOIN floor.epoch own USING (table_id, epoch) JOIN floor.house_table t ON t.id = r.table_id
WHERE NOT EXISTS (
    SELECT 1 FROM floor.epoch later
    WHERE later.table_id = r.table_id AND later.epoch > r.epoch AND later.journal = own.journal AND later.fork < r.seq);

-- By table, game, day (of the database's time zone) and dealer on duty.
CREATE VIEW floor.takings AS
SELECT table_name, table_id, game, at::date AS day, dealer, sum(bought)::bigint AS bought,
       sum(from_purses)::bigint AS from_purses, sum(cashed)::bigint AS cashed, sum(to_purses)::bigint AS to_purses,
       sum(recounted)::bigint AS recounted, sum(win)::bigint AS win, sum(rounds)::bigint AS rounds,
       sum(bets)::bigint AS bets, sum(staked)::bigint AS staked, sum(won)::bigint AS won_on_known_odds,
       round(sum(expected), 2) AS expected, round(sqrt(greatest(sum(variance), 0))::numeric, 2) AS deviation,
       sum(unknown)::bigint AS bets_without_odds
FROM floor.results GROUP BY table_name, table_id, game, at::date, dealer;

GRANT SELECT, INSERT ON floor.result, floor.reckoned TO floor_app;
GRANT UPDATE (epoch, seq) ON floor.reckoned TO floor_app;
GRANT SELECT ON floor.result, floor.reckoned TO floor_auditor;
GRANT SELECT ON floor.results, floor.takings TO floor_app, floor_auditor;
