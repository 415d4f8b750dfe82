"""From exact integers to released ones: the only room that opens ``Private``, and the one at whose door the noise stands."""

__all__: list[str] = []
