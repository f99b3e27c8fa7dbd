"""Outside transcripts: dialogues that were held elsewhere, brought in to be judged."""
