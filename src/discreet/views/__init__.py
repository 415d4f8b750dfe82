"""From released integers to answers: values, intervals, rows. All of it is post-processing: no data is read, nothing is paid."""

__all__: list[str] = []
