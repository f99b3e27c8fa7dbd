"""The state judge: success, outcomes and routes read from the world's records, the calls and the ledger."""
