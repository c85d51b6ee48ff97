"""The printed price tables, one TOML file per deck; read by `companion.games.roche.paytable`."""
