"""The same as SQL, written from nodes; whatever engines spell differently is asked of a dialect."""
