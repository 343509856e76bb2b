"""The ledger: load that is written down, a nemesis that does its worst, and a checker that compares."""
