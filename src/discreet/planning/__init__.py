"""Question to plan: what is wanted of the engine, which noise it gets, what that costs and how good it will be."""

__all__: list[str] = []
