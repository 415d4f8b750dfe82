"""Questions with extreme public constants, each made again from its number alone."""

from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random

EXTREME = sorted(
    {str(sign * (2**power + near)) for power in (31, 51, 53, 62, 63, 64, 95) for near in (-1, 0, 1) for sign in (-1, 1)}
    | {
        sign + number
        for sign in ("", "-")
        for number in ("1e17", "1e19", "1e25", "1e100", "1e300", "1e308", "1.7976931348623157e308")
    }
    | {sign + number for sign in ("", "-") for number in ("1e-308", "5e-324", "1e-300", "1e-100", "1e-19")}
    | {"0", "-0", "0.0"}
)
PLAIN = ("1", "2", "3", "0.1", "-1", "10", "2.5", "100", "-3", "10000")
NUMBERS = (*("x", "y", "i") * 6, "wide", "tiny", "near", "near", "long", "far", "EXTRACT(YEAR FROM d)", "EXTRACT(HOUR FROM m)")
JOINED = {"codes": ("v", "g"), "visits": ("visits.n", "visits.r")}
ON = {"codes": "JOIN codes ON t.i = codes.code", "visits": "JOIN visits ON t.who = visits.whom"}
MOST = 2**31 - 1
CHOSEN = ("MIN(", "MAX(", "MEDIAN(", "QUANTILE(", "(free)", "_PER_UNIT(")  # by its rank
CONFIDENCES = ("1e-300", "1e-9", "0.5", "0.999", "0.99999999", "0.999999999", "0.9999999999", "0.999999999999999999999")


@dataclass
class Asked:
    """A question, what is said beside it, and what it has of everything that a law should meet."""

    seed: str
    unit: str
    relation: str
    table: str
    sql: str = ""
    options: dict = field(default_factory=dict)
    met: Counter = field(default_factory=Counter)
    beside: tuple = ()  # other questions that are asked for the same price

    @property
    def budget(self):
        return "rho" if "rho" in self.options else "epsilon"

    def of(self, curator):
        """The answers of a curator."""
        if self.beside:
            return curator.ask_all([self.sql, *self.beside], **self.options)
        return [curator.ask(self.sql, **self.options)]

    def __str__(self):
        asked = repr(self.sql) if not self.beside else repr([self.sql, *self.beside])
        return f"seed {self.seed!r}, {self.unit} {self.relation} {self.table}: ask({asked}, **{self.options!r})"


class Questions:
    """Writes one question. How often a constant is extreme is a part of the seed, so that many questions are accepted."""

    def __init__(self, seed, most_terms=60, often=None):
        self.random = Random(seed)
        self.seed = seed
        self.often = often or self.random.choice((0.05, 0.15, 0.15, 0.4))
        self.most_terms = most_terms
        self.join = ""
        self.met = Counter()

    def one(self, unit, relation, table):
        """The question of this number."""
        r = self.random
        self.unit = unit
        self.join = self._any(("", "", "", "", "codes", "codes", *(("visits", "visits") if unit != "row" else ())))
        outer = "LEFT " if self.join and r.random() < 0.4 else ""
        joined = f" {outer}{ON[self.join]}" if self.join else ""
        self._meet("join", f"{outer}{self.join}")
        keys = self._keys()
        sizes = unit != "row" and not keys and r.random() < 0.3
        statistics = [self._size()] if sizes else [self._filtered(keys) for _ in range(r.choice((1, 1, 1, 2, 3)))]
        named = [f"{key} AS g{place}" for place, key in enumerate(keys)] + [
            f"{each} AS v{place}" for place, each in enumerate(statistics)
        ]
        where = f" WHERE {self.condition(2)}" if r.random() < 0.4 else ""
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        tail = self._tail(statistics) if keys else ""
        sql = f"SELECT {', '.join(named)} FROM t{joined}{where}{group}{tail}"
        return Asked(self.seed, unit, relation, table, sql, self._options(sizes, keys, sql, statistics), self.met)

    def of_units(self, unit, relation):
        """A question about what units come to: a subquery that gives one row for each, and one clamped statistic around it."""
        r, self.unit = self.random, unit
        self.join = self._any(("", "", "codes"))
        joined = f" {self._any(('', 'LEFT '))}{ON[self.join]}" if self.join else ""
        kind, only = self._any(("SUM", "SUM", "AVG", "MIN", "MAX", "COUNT")), r.random() < 0.2
        value = f"{kind}({self.value(2)}){f' FILTER (WHERE {self.condition(1)})' if only else ''}"
        where = f" WHERE {self.condition(1)}" if r.random() < 0.3 else ""
        by = self._any(("who", "who", "who", "who, c", "who, b"))
        inner = f"SELECT {by}, {value} AS s FROM t{joined}{where} GROUP BY {by}"
        low, high = sorted((self.number(), self.number(("1000", "20", "8000.5"))), key=float)
        clamped = self._any((f"CLAMP(s, {low}, {high})", f"GREATEST(LEAST(s, {high}), {low})"))
        around = f"{self._any(('SUM', 'AVG', 'VAR_POP', 'MEDIAN', 'MAX', 'COUNT', 'STDDEV'))}({clamped})"
        keyed = r.random() < 0.15
        key, by = (f"BIN({clamped}, {self.width()}) AS g, ", " GROUP BY g") if keyed else ("", "")
        outside = f" WHERE s {self._any(('>', '<='))} {self._signed()}" if r.random() < 0.3 else ""
        self._meet("statistic", f"{kind} of units")
        options = {"epsilon": self._any(("1e-300", "1e-6", "1e6", "1e100") if r.random() < self.often else ("0.1", "1"))}
        return Asked(self.seed, unit, relation, "", f"SELECT {key}{around} AS v0 FROM ({inner}){outside}{by}", options, self.met)

    def in_another_way(self, asked, way):
        """The question for a price that is written in another way, if it can be."""
        is_wish_for_values = way == "within" and (self.met["key", "unknown"] or any(word in asked.sql for word in CHOSEN))
        if is_wish_for_values or (way == "together" and asked.unit == "column"):  # the caps of several stand in the facts
            return asked
        return replace(asked, options=self._paid_otherwise(way, asked.options))

    # ---- constants

    def number(self, pool=PLAIN):
        """A constant: an ordinary one, or sometimes one at the end of what can be written."""
        extreme = self.random.random() < self.often
        self._meet("constant", "extreme" if extreme else "plain")
        return self._any(EXTREME if extreme else pool)

    def width(self):
        return self.number(("1", "2", "5", "10", "25", "0.5")).lstrip("-")

    def cap(self):
        return self._any((MOST, MOST - 1, 2**16)) if self.random.random() < self.often else self._any((1, 2, 3, 4))

    # ---- expressions

    def value(self, depth):
        """A number of a row."""
        kind = self._any(
            ("column",) * 3
            + ("shift", "scale", "minus", "clamp", "clamp", "case", "function", "curve", "coalesce", "bin", "ratio")
        )
        if depth == 0 or kind == "column":
            return self._any((*NUMBERS, *((JOINED[self.join][0],) * 4 if self.join else ())))
        inner = self.value(depth - 1)
        self._meet("expression", kind)
        match kind:
            case "shift":
                return f"({inner} {self._any('+-')} {self._signed()})"
            case "scale":
                return f"({inner} * {self._signed()})"
            case "minus":
                return f"({self._signed()} - {inner})"
            case "clamp":
                low, high = sorted((self.number(), self.number()), key=float)
                return f"GREATEST(LEAST({self._unbounded(inner)}, {high}), {self._parenthesis(low)})"
            case "case":
                return f"CASE WHEN {self.condition(1)} THEN {self._signed()} ELSE {inner} END"
            case "function":
                return self._any(
                    (
                        f"ABS({inner})",
                        f"FLOOR({inner})",
                        f"CEIL({inner})",
                        f"ROUND({inner}, {self._any((-15, 0, 2, 15))})",
                        f"-({inner})",
                    )
                )
            case "curve":
                return self._curve(inner)
            case "coalesce":
                return f"COALESCE({inner}, {self._signed()})"
            case "bin":
                return f"BIN({inner}, {self.width()}, {self.number(('0', '0', '1'))})"
            case _:
                over = self._any((self.number(), self.value(0)))
                return f"GREATEST(LEAST({inner} {self._any('/%')} {self._parenthesis(over)}, {self.number(('50',))}), -50)"

    def _curve(self, inner):
        low, exponent = self.number(), self.number(("2", "3", "0.5", "1.5", "-1", "-0.5"))
        return self._any(
            (
                f"SQRT({inner})",
                f"LN(GREATEST({inner}, {self._parenthesis(low)}))",
                f"LN(GREATEST({inner}, 1))",
                f"EXP(LEAST({inner}, {self.number(('1', '10'))}))",
                f"POWER({inner}, {exponent})",
                f"POWER(GREATEST({inner}, {self._parenthesis(low)}), {exponent})",
                f"CAST({inner} AS INTEGER)",
                "LENGTH(name)",
                "LEAST(GREATEST(CAST(name AS DOUBLE), -5), 5)",
            )
        )

    def _unbounded(self, inner):
        """Also a column without bounds, which a clamp gives some."""
        return self._any(("free", inner, inner))

    def condition(self, depth):
        """A truth about a row."""
        plain = ("number", "number", "between", "in", "text", "date", "or", "and", "not")
        kind = self._any((*plain, *(("long",) * (3 if depth == 2 else 1))))
        self._meet("condition", kind)
        match kind:
            case "between":
                return f"{self.value(1)} BETWEEN {self.number()} AND {self.number()}"
            case "in":
                return f"{self.value(0)} IN ({', '.join(self.number() for _ in range(3))})"
            case "text":
                return self._any(
                    (
                        "s = 'a'",
                        "name LIKE 'A%'",
                        "name = 'Alice'",
                        "b",
                        "NOT b",
                        "s <> 'a'",
                        "y IS NULL",
                        "c = 2",
                        "name IS NOT NULL",
                        "LOWER(name) = 'alice'",
                        "name ILIKE 'a%'",
                        f"SUBSTR(name, {self._any((1, 2, 1_000_000))}, {self._any((0, 3, 1_000_000))}) = 'Ali'",
                        "CAST(i AS TEXT) = '2'",
                        "CAST(name AS INTEGER) IS NULL",
                    )
                )
            case "date":
                return self._any(
                    (
                        "d >= DATE '2020-01-01'",
                        "m < TIMESTAMP '9999-12-31 23:59:59'",
                        "d = '0001-01-01'",
                        "EXTRACT(YEAR FROM d) = 2020",
                        "DATE_TRUNC('week', d) <= DATE '0001-01-01'",
                        "DATE_TRUNC('hour', m) >= TIMESTAMP '9999-12-31 23:00:00'",
                        "EXTRACT(ISOYEAR FROM d) = 9999",
                        "CAST(m AS DATE) = DATE '9999-12-31'",
                        "CAST(name AS DATE) < d",
                    )
                )
            case "or" | "and" if depth:
                return f"({self.condition(depth - 1)} {kind.upper()} {self.condition(depth - 1)})"
            case "not" if depth:
                return f"NOT ({self.condition(depth - 1)})"
            case "long" if depth == 2:
                return self._long()
            case _:
                sign, other = self._any(("<", "<=", "=", "<>", ">", ">=")), self._any((self.number(), self.value(0)))
                return f"{self.value(depth)} {sign} {self._parenthesis(other)}"

    def _long(self):
        """A condition of very many terms."""
        number = self._any((10, self.most_terms // 2, self.most_terms))
        kind = self._any(("terms", "values", "values", "branches"))
        self._meet("long", kind)
        match kind:
            case "terms":
                return (
                    "("
                    + " OR ".join(
                        f"{self._any(('x', 'y', 'i'))} {self._any(('<', '=', '>'))} {self.number()}" for _ in range(number)
                    )
                    + ")"
                )
            case "values":
                return f"x IN ({', '.join(self.number() for _ in range(number))})"
            case _:
                branches = " ".join(f"WHEN y > {self.number()} THEN {self._signed()}" for _ in range(number))
                return f"CASE {branches} ELSE x END > {self.number()}"

    # ---- statistics

    def _filtered(self, keys):
        statistic = self._statistic(keys)
        is_filtered = self.random.random() < 0.25 and "/" not in statistic
        self._meet("filter", str(is_filtered))
        return f"{statistic} FILTER (WHERE {self.condition(1)})" if is_filtered else statistic

    def _statistic(self, keys):
        of, another, r = self.value(2), self.value(1), self.random
        extreme = r.random() < self.often
        choices = {
            "COUNT(*)": "COUNT(*)",
            "COUNT": f"COUNT({self._any((of, 'name', 's', 'd', 'b'))})",
            "COUNT(DISTINCT)": f"COUNT(DISTINCT {self._any((of, 'c', 's', 'name', 'd', 'b', 'long'))})",
            "SUM": f"SUM({of})",
            "AVG": f"AVG({of})",
            "VAR_POP": f"VAR_POP({of})",
            "VAR_SAMP": f"VAR_SAMP({of})",
            "STDDEV": f"STDDEV({of})",
            "COVAR_POP": f"COVAR_POP({of}, {another})",
            "COVAR_SAMP": f"COVAR_SAMP({of}, {another})",
            "CORR": f"CORR({of}, {another})",
            "REGR": f"{self._any(('REGR_SLOPE', 'REGR_INTERCEPT', 'REGR_R2'))}({of}, {another})",
            "MEDIAN": f"MEDIAN({of}{self._any(('', '', ', INTERVAL'))})",
            "QUANTILE": f"QUANTILE({of}, {self._any(('0', '0.25', '0.5', '1', '1/3', '0.999', '1e-300' if extreme else '0.1'))})",
            "MODE": f"MODE({self._any(('c', 's', 'b'))})",
            "MIN": f"MIN({of})",
            "MAX": f"MAX({of})",
            "AT": self._any(("AT_BOUNDS(x)", "AT_LOWER(wide)", "AT_UPPER(long)", "AT_BOUNDS(near)")),
            "ratio": f"SUM({of}) FILTER (WHERE {self.condition(0)}) / NULLIF(COUNT(*), 0)",
            "mean of all": f"SUM({of}) / COUNT(*)",
            "share": "COUNT(*) / SUM(COUNT(*)) OVER ()",
            "after": f"{self.number()} * COUNT(*) + AVG({self.value(0)}) / {self._parenthesis(self.number())}",
        }
        if self.unit != "row":
            choices["COUNT_UNITS"] = "COUNT(DISTINCT who)"
            low, high = sorted((self.number(), self.number()), key=float)
            choices["SUM of units"] = f"SUM({of}) PER UNIT BETWEEN {low} AND {high}"
        if keys and keys[-1].startswith(("BIN", "i", "EXTRACT")):
            choices["RUNNING_COUNT"] = "RUNNING_COUNT(*)"
        if r.random() < 0.04 and not self.met["key", "unknown"]:
            choices = {"found bounds": f"{self._any(('AVG', 'SUM', 'MEDIAN'))}(free)"}
        if self.met["key", "unknown"] and not extreme:  # these go with public keys only
            choices = {name: sql for name, sql in choices.items() if name not in ("MEDIAN", "QUANTILE", "MIN", "MAX")}
        name = "RUNNING_COUNT" if "RUNNING_COUNT" in choices and r.random() < 0.2 else self._any(sorted(choices))
        self._meet("statistic", name)
        return choices[name]

    def _size(self):
        """How many rows or groups units have."""
        kind = self._any(("ROWS_PER_UNIT", "GROUPS_PER_UNIT", "GROUPS_PER_UNIT", "AT_CAPS"))
        self._meet("statistic", kind)
        if kind == "AT_CAPS":
            return f"AT_CAPS({self._key() if self._any((True, False)) else ''})"
        share = self._any(("0.5", "0.9", "1", "0"))
        return f"ROWS_PER_UNIT({share})" if kind == "ROWS_PER_UNIT" else f"GROUPS_PER_UNIT({share}, {self._key()})"

    # ---- keys

    def _keys(self):
        found = []
        for _ in range(self._any((0, 0, 1, 1, 2))):
            key = self._key()
            found += [] if key in found else [key]
        return found

    def _key(self):
        kind = self._any(
            (
                "category",
                "other",
                "boolean",
                "whole",
                "bin",
                "bin",
                "bin",
                "part",
                "computed",
                "unknown",
                *(("joined",) * 4 if self.join else ()),
            )
        )
        self._meet("key", kind)
        origin = self.number(("0", "1", "-2.5"))
        match kind:
            case "bin":
                of, width = self._any(
                    (
                        *(("x", self.width()),) * 3,
                        ("y", self.width()),
                        ("i", self.width()),
                        (self.value(1), self.width()),
                        ("long", str(2**62)),
                        ("wide", "1e299"),
                    )
                )
                return self._any((f"BIN({of}, {width})", f"BIN({of}, {width}, {origin})", f"FLOOR({of} / {width}) * {width}"))
            case "part":
                return self._any(("EXTRACT(YEAR FROM d)", "EXTRACT(HOUR FROM m)", "WEEKDAY(d)", "EXTRACT(MONTH FROM m)"))
            case "computed":
                low = self._parenthesis(self.number())
                return self._any(
                    (
                        f"CASE WHEN x > {low} THEN {self._signed()} WHEN y < {self.number()} THEN {self._signed()} END",
                        f"CASE WHEN {self.condition(1)} THEN 'a' ELSE 'b' END",
                        f"({self.condition(0)})",
                        "COALESCE(s, 'none')",
                        f"WIDTH_BUCKET(x, {low}, {self.number()}, {self._any((1, 4, 1000))})",
                        f"CAST(x / {self._signed()} AS INTEGER)",
                        "DATE_TRUNC('year', d)",
                        "DATE_TRUNC('quarter', m)",
                        "LENGTH(name)",
                        "i % 3",
                        "UPPER(s)",
                    )
                )
            case "joined":
                return JOINED[self.join][1]
            case _:
                return {
                    "category": "c",
                    "other": "s",
                    "boolean": "b",
                    "whole": "i",
                    "unknown": self._any(("name", "name", "free")),
                }[kind]

    def _tail(self, statistics):
        kind = self._any(("", "", "", "order", "having"))
        self._meet("tail", kind)
        return {"": "", "order": " ORDER BY v0 DESC", "having": f" HAVING {statistics[0]} > {self.number()} LIMIT 2"}[kind]

    # ---- what is said beside it

    def _options(self, sizes, keys, sql, statistics):
        r, options = self.random, {}
        price = self._any(("epsilon",) * 5 + ("both",))
        extreme = r.random() < self.often
        options["epsilon"] = self._any(
            ("1e-300", "1e-100", "1e-12", "1e-6", "1e-3", "1e3", "1e6", "1e12", "1e100", "1e299", "1e300")
            if extreme
            else ("0.1", "1", "1", "10")
        )
        self._meet("price", price if not extreme else f"extreme {price}")
        is_chosen = any(word in sql for word in CHOSEN)  # takes no delta
        if self.met["key", "unknown"] or (price == "both" and not is_chosen):
            options["delta"] = self._any(("1e-300", "1e-9", "0.01") if extreme else ("1e-6", "1e-9"))
        if r.random() < self.often:
            options["confidence"] = self._any(CONFIDENCES)
            self._meet("confidence", options["confidence"])
        if r.random() < 0.1:
            options["simultaneous"] = True
        if r.random() < 0.1:
            options["weights"] = {
                f"v{r.randrange(len(statistics))}": self._any(
                    ("1e-300", "1e300", "1e9") if extreme else ("1", "3", "1/3", "100")
                )
            }
            self._meet("weights", "some")
        if "found bounds" in str(self.met):
            options["bounds_share"] = self._any(("0.5", "0.5", "0.5", "0.3", "1e-9" if extreme else "0.7"))
        if self.unit == "column" and not sizes:
            options |= self._caps(keys)
        if self.unit not in ("row", "column"):
            self._meet("caps", "facts")
        return options

    def _caps(self, keys):
        form = self._any(("rows", "rows", "per group", "groups", "all")) if keys else "rows"
        form = self._any(("groups", "all")) if self.met["key", "unknown"] else form
        self._meet("caps", form)
        caps = {"max_rows": self.cap(), "max_groups": self.cap(), "max_rows_per_group": self.cap()}
        wanted = {
            "rows": ("max_rows",),
            "per group": ("max_groups", "max_rows_per_group"),
            "groups": ("max_rows", "max_groups"),
            "all": tuple(caps),
        }[form]
        return {name: caps[name] for name in wanted}

    # ---- other ways of asking

    def _paid_otherwise(self, way, options):
        """The same words, but the price: by rho, by what is to be seen, or for several questions together."""
        rest = {name: value for name, value in options.items() if name not in ("epsilon", "delta")}
        extreme = self.random.random() < self.often
        self._meet("way", way)
        match way:
            case "rho":
                price = ("1e-300", "1e-100", "1e-9", "1e3", "1e12", "1e300") if extreme else ("0.01", "0.1", "1")
                return rest | {"rho": self._any(price)}
            case "within":
                wish = ("1e-300", "1e-9", "1e9", "1e100", "1e300") if extreme else ("0.5", "5", "50", "1000")
                one = self._any(wish)
                assumed = {"assuming": self._any((1, 1000, 2**53, 10**18) if extreme else (1000, 100))}
                return {**rest, "within": self._any((one, {"v0": one})), **assumed}
            case _:
                kept = ("epsilon", "delta", "confidence", "simultaneous")
                return {name: value for name, value in options.items() if name in kept}

    # ---- small things

    def _signed(self):
        return self._parenthesis(self.number())

    @staticmethod
    def _parenthesis(text):
        return f"({text})" if text.startswith("-") else text

    def _any(self, choices):
        return self.random.choice(choices)

    def _meet(self, what, kind):
        self.met[what, kind] += 1
