"""Who the simulated users are: profiles, their history, and where both are read from."""
