"""Duels: two assistants' dialogues on one scenario, laid side by side before a judge."""
