"""What simulated users want: domains, tasks, situations."""
