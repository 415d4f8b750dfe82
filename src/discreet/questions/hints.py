"""What people write that is not in the language, and the nearest thing that works."""

from difflib import get_close_matches

__all__ = ["RESERVED", "SYMBOLS", "function_hint", "word_refusal"]

RESERVED = frozenset(  # words that are never a name unless quoted
    """ALL AND ANY AS ASC BETWEEN BY CASE CROSS DESC DISTINCT ELSE END EXCEPT EXISTS FETCH FILTER FROM FULL GLOB GROUP HAVING
    ILIKE IN INNER INTERSECT INTO IS ISNULL JOIN LATERAL LEFT LIKE LIMIT NATURAL NOT NOTNULL NULL NULLS OFFSET ON OR ORDER OVER
    QUALIFY REGEXP RIGHT RLIKE SELECT SIMILAR SOME TABLESAMPLE THEN TRUE FALSE UNION USING VALUES WHEN WHERE WINDOW WITH WITHIN
    """.split()  # noqa: SIM905
)

SYMBOLS = {
    "==": ("== is not in the language", "write ="),
    "||": ("texts cannot be joined", "compare them with =, IN or LIKE"),
    "*": ("* stands for rows, and rows are never shown", "ask for statistics, such as COUNT(*) or AVG(x)"),
}

_ONE_SELECT = ("only one SELECT over one table is in the language",
               "move conditions into WHERE, CASE or FILTER (WHERE …); a share of all is COUNT(*) / SUM(COUNT(*)) OVER ()")
_JOIN = ("joins stand behind FROM",
         "write FROM t JOIN zips ON t.zip = zips.code, a lookup and its key as the facts declare them")
_SETS = ("set operations are not in the language", "write what differs as COUNT(*) FILTER (WHERE …), as a key, or ask twice")
_WINDOW = ("window functions are not in the language", "GROUP BY the partition columns; SUM(COUNT(*)) OVER () is a total")
_MATCH = ("this kind of matching is not in the language", "write LIKE or ILIKE with % and _")
_PAGE = ("only LIMIT n is in the language", "write ORDER BY … LIMIT n")
_READ_ONLY = ("only SELECT is in the language", "write SELECT … FROM the table")
_GROUPS = ("grouping sets are not in the language", "write GROUP BY a, b; the total of all groups is SUM(COUNT(*)) OVER ()")
_SAMPLE = ("sampling is not in the language", "ask about all rows, or those that meet a WHERE")

_WORDS = {
    "ALL": ("ALL is not in the language", "leave it out"),
    "ANY": ("ANY is not in the language", "write IN ('a', 'b')"),
    "COLLATE": ("COLLATE is not in the language", "texts are compared character by character"),
    "CUBE": _GROUPS,
    "DISTINCT": ("DISTINCT is allowed only inside COUNT", "write COUNT(DISTINCT x), or GROUP BY with COUNT(*)"),
    "ESCAPE": ("ESCAPE is not in the language", "LIKE knows % and _ only"),
    "EXISTS": _ONE_SELECT,
    "FETCH": _PAGE,
    "FILTER": ("FILTER belongs directly behind an aggregate", "write COUNT(*) FILTER (WHERE …)"),
    "GROUPING": _GROUPS,
    "INTERVAL": ("INTERVAL is not in the language", "write the date itself, such as DATE '2020-01-31'"),
    "INTO": _READ_ONLY,
    "ISNULL": ("ISNULL is not in the language", "write IS NULL"),
    "LATERAL": _ONE_SELECT,
    "NOTNULL": ("NOTNULL is not in the language", "write IS NOT NULL"),
    "OFFSET": _PAGE,
    "QUALIFY": _WINDOW,
    "ROLLUP": _GROUPS,
    "SELECT": _ONE_SELECT,
    "SOME": ("SOME is not in the language", "write IN ('a', 'b')"),
    "TOP": _PAGE,
    "VALUES": _ONE_SELECT,
    "WITH": ("WITH is not in the language", "write one SELECT over the table itself"),
    "WITHIN": ("WITHIN GROUP belongs behind PERCENTILE_CONT only", "write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)"),
    **dict.fromkeys(("CROSS", "FULL", "INNER", "JOIN", "LEFT", "NATURAL", "ON", "RIGHT", "USING"), _JOIN),
    **dict.fromkeys(("EXCEPT", "INTERSECT", "UNION"), _SETS),
    **dict.fromkeys(("OVER", "PARTITION", "WINDOW"), _WINDOW),
    **dict.fromkeys(("GLOB", "REGEXP", "RLIKE", "SIMILAR"), _MATCH),
    **dict.fromkeys(("SAMPLE", "TABLESAMPLE"), _SAMPLE),
}

_INSTEAD = {
    "PERCENTILE": "write QUANTILE(x, 0.25)",
    "APPROX_COUNT_DISTINCT": "write COUNT(DISTINCT x)",
    "IFF": "write IF(condition, x, y)",
    "LOG": "write LN(x), or LN(x) / LN(10)",
    "LOG10": "write LN(x) / LN(10)",
    "LOG2": "write LN(x) / LN(2)",
    "MAD": "ask for MEDIAN(x) first, then for MEDIAN(ABS(x - 20)) with what it told in place of 20",
    "TRIM": "write LIKE '%abc%'",
    **dict.fromkeys(("ROW_NUMBER", "RANK", "DENSE_RANK", "LAG", "LEAD", "NTILE"), "GROUP BY, and then ORDER BY … LIMIT n"),
    **dict.fromkeys(("ARRAY_AGG", "LIST", "STRING_AGG", "GROUP_CONCAT"), "write COUNT(DISTINCT x) or MODE(x)"),
    **dict.fromkeys(("ANY_VALUE", "FIRST", "LAST", "ARG_MAX", "ARG_MIN"), "rows are never shown: write MEDIAN(x) or MODE(x)"),
    **dict.fromkeys(("BOOL_OR", "BOOL_AND", "EVERY", "ANY"), "write COUNT_IF(condition), and compare it"),
    **dict.fromkeys(("NOW", "CURRENT_DATE", "CURRENT_TIMESTAMP", "TODAY"), "write the date itself, such as DATE '2020-01-31'"),
    **dict.fromkeys(("DATE_DIFF", "DATEDIFF", "AGE"), "write EXTRACT(year FROM x) and subtract; or compare dates"),
    **dict.fromkeys(("CONTAINS", "STRPOS", "INSTR", "REGEXP_MATCHES"), "write LIKE '%abc%' or ILIKE"),
    "WIDTH_BUCKET": "write BIN(x, width)",
    "DAYNAME": "write EXTRACT(ISODOW FROM x): 1 is Monday, 7 is Sunday",
    "MONTHNAME": "write EXTRACT(MONTH FROM x), from 1 to 12",
    **dict.fromkeys(("TO_DATE", "STRFTIME", "TO_CHAR", "FORMAT_DATE"), "write DATE_TRUNC('day', x), or EXTRACT(MONTH FROM x)"),
}


def word_refusal(word: str) -> tuple[str, str] | None:
    """Message and hint for a word that the grammar has no place for, if we know one."""
    return _WORDS.get(word)


def function_hint(name: str, known: tuple[str, ...]) -> tuple[str, str]:
    """Message and hint for a function that is not among those ``known``."""
    if name in _INSTEAD:
        return f"{name} is not in the language", _INSTEAD[name]
    near = get_close_matches(name, known, n=1)
    return f"function {name} is not in the language", f"write {near[0]}" if near else f"there are: {', '.join(known)}"
