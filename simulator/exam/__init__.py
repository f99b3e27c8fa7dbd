"""The exam: transcripts with known faults, to see what a judge finds."""
