"""Labelling: people score transcripts, so that a judge can be compared with them."""
