"""Tables on Spark: any session, classic or Connect, by SQL and frames alone."""
