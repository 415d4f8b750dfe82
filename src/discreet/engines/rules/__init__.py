"""What stored values, questions and units mean, in plain Python: what every engine computes."""
