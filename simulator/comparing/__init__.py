"""The parts of a comparison: pairs, differences, ladders of several assistants, and groups of users."""
