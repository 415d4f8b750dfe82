"""Whether a statement can fail: a reading of its text that knows which functions, operators and casts are total, and on what.

Nothing here knows the SQL writer. What differs between engines is in their rules. A stored column has every value of its type;
literals, CASE, LEAST, GREATEST and arithmetic give ranges. WHERE and FILTER do not, since an engine may work a value out before
it tests the row; the branches of a CASE do.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import exp
from tests.engines.sql_values import ROWS, NotTotal, Rules, Value

Columns = Mapping[str, Value]

CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "distinct", "kind"}
ONE = {exp.Neg: "neg", exp.Abs: "abs", exp.Floor: "floor", exp.Ceil: "ceil"}
TWO = {exp.Add: "add", exp.Sub: "sub", exp.Mul: "mul", exp.Div: "div", exp.IntDiv: "quotient", exp.Mod: "mod"}
BITS = {exp.BitwiseAnd: "and", exp.BitwiseOr: "or", exp.BitwiseLeftShift: "left", exp.BitwiseRightShift: "right"}
CHOICES = {exp.Least: "least", exp.Greatest: "greatest", exp.Coalesce: "coalesce"}
NUMBERED = (exp.RowNumber, exp.DenseRank)
CURVES = {exp.Sqrt: ("sqrt", 0.0, math.inf), exp.Ln: ("log", sys.float_info.min, math.inf), exp.Exp: ("exp", -700.0, 700.0)}

@dataclass
class Scope:
    """The columns that a SELECT can name, and what the branch of a CASE knows beside that."""

    tables: dict[str, Columns] = field(default_factory=dict)
    narrowed: dict[str, Value] = field(default_factory=dict)
    rules: Rules = None

    def column(self, name, table):
        """The value of a column."""
        for alias, columns in self.tables.items():
            if name in columns and table in ("", alias):
                return columns[name]
        raise NotTotal(f"there is no column {name}")

    def known(self, name):
        """The value of a column, if there is one of this name."""
        return next((columns[name] for columns in self.tables.values() if name in columns), None)

    def knowing(self, more):
        """The same in a branch."""
        return Scope(self.tables, {**self.narrowed, **more}, self.rules)

    @property
    def anywhere(self):
        """The same outside of all branches."""
        return Scope(self.tables, {}, self.rules)


def check(sql, tables, rules):
    """The columns that a statement gives. Raises NotTotal if it can fail."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        parsed = sqlglot.parse_one(sql, read=rules.name)
        return _select(parsed.expression if isinstance(parsed, exp.Create) else parsed, tables, rules)
    finally:
        sys.setrecursionlimit(before)  # other tests rely on it


# ---- rows


def _select(node, tables, rules):
    if isinstance(node, exp.Subquery | exp.Paren):
        return _select(node.this, tables, rules)
    if not isinstance(node, exp.Select):
        raise NotTotal(f"{type(node).__name__} is no SELECT")
    if unlisted := {name for name, part in node.args.items() if part} - CLAUSES - rules.clauses:
        raise NotTotal(f"clauses that are not on the list: {unlisted}")
    joins = node.args.get("joins") or []
    sources = [*([node.args["from_"].this] if node.args.get("from_") else []), *(join.this for join in joins)]
    scope = Scope({part.alias_or_name: _rows(part, tables, rules) for part in sources}, rules=rules)
    outputs = {}
    for each in node.expressions:
        outputs |= _columns(each, scope)
    outputs = {name: _still_told(value, outputs, scope) for name, value in outputs.items()}
    if joins:  # a row may be there more than once from here on
        outputs = {name: replace(value, form="") if value.form == "rows" else value for name, value in outputs.items()}
    conditions = [join.args["on"] for join in joins]
    conditions += [node.args[name].this for name in ("where", "having") if node.args.get(name)]
    for condition in conditions:
        truth_of(condition, scope)
    for key in node.args["group"].expressions if node.args.get("group") else []:
        if not isinstance(key, exp.Literal):
            value_of(key, Scope({"outputs": outputs, **scope.tables}, rules=rules))
    return outputs


def _columns(node, scope):
    if not node.is_star:
        found = value_of(node.unalias(), scope)
        if not isinstance(node.unalias(), exp.Column) and _is_constant(node, scope):
            found = replace(found, constant=True)
        if found.kind == "BOOLEAN":
            found = replace(found, told=tuple(_told(node.unalias(), scope, is_true=True).items()))
        return {node.alias_or_name: found}
    table = node.table if isinstance(node, exp.Column) else ""
    return {name: value for alias, columns in scope.tables.items() if table in ("", alias) for name, value in columns.items()}


def _still_told(value, outputs, scope):
    """A truth value that tells of nothing but columns which leave the SELECT as they came in."""
    if not value.told:
        return value
    same = [name for name, each in outputs.items() if each is scope.known(name)]
    texts = {exp.column(name, quoted=quoted).sql() for name in same for quoted in (False, True)}
    return replace(value, told=tuple((text, told) for text, told in value.told if text in texts))


def _rows(node, tables, rules):
    match node:
        case exp.Table(this=exp.Identifier()) if node.name in tables:
            return tables[node.name]
        case exp.Subquery():
            return _select(node.this, tables, rules)
        case exp.Values():
            names = [each.name for each in node.args["alias"].columns]
            rows = [[value_of(part, Scope(rules=rules)) for part in row.expressions] for row in node.expressions]
            found = [replace(rules.merged(list(column)), null=True) for column in zip(*rows, strict=True)]
            return dict(zip(names, found, strict=True))
    if (found := rules.rows(node)) is not None:
        return found
    raise NotTotal(f"rows of {node.sql()[:60]}")


# ---- values


def truth_of(node, scope):
    """Refuses what is no truth value, or can fail."""
    if (found := value_of(node, scope)).kind not in ("BOOLEAN", "NULL"):
        raise NotTotal(f"{found.kind} as a condition")


def value_of(node, scope):
    """What is known of an expression. Raises NotTotal if it can fail."""
    if scope.narrowed and (known := scope.narrowed.get(_text(node))) is not None:
        return known
    try:
        found = _operation(node, scope)
    except NotTotal as error:
        raise error if " in: " in str(error) else NotTotal(f"{error} in: {node.sql(dialect=scope.rules.name)[:200]}") from None
    if found is not None:
        return found
    match node:
        case exp.Column():
            return scope.column(node.name, node.table)
        case exp.Literal() | exp.Boolean() | exp.Null():
            return scope.rules.literal(node)
        case exp.Case() if (operands := scope.rules.remainder_of(node)) is not None:
            return scope.rules.remainder(*(value_of(each, scope) for each in operands))
        case exp.Case():
            return _case(node, scope)
        case exp.Paren():
            return value_of(node.this, scope)
        case exp.AggFunc() | exp.Explode() | exp.Distinct() | exp.Filter() | exp.Window():
            return _aggregate(node, scope.anywhere)  # of all rows, whatever branch it stands in
        case _:
            return _truth_or_function(node, scope)


def _operation(node, scope):
    """The value of an operation on numbers, a choice or a cast; None for all else."""
    kind = type(node)
    if kind in ONE:
        return scope.rules.one(ONE[kind], value_of(node.this, scope))
    if kind in TWO:
        return scope.rules.two(TWO[kind], value_of(node.this, scope), value_of(node.expression, scope))
    if kind in BITS:
        return scope.rules.bits(BITS[kind], value_of(node.this, scope), value_of(node.expression, scope))
    if kind in CHOICES:
        return scope.rules.choice(CHOICES[kind], [value_of(part, scope) for part in (node.this, *node.expressions)])
    if kind in CURVES:
        return scope.rules.curve(*CURVES[kind], value_of(node.this, scope))
    if kind is exp.Pow:
        return scope.rules.power(value_of(node.this, scope), value_of(node.expression, scope))
    if kind in NUMBERED:
        return scope.rules.whole(1, ROWS, null=False)
    if isinstance(node, exp.Cast):
        return scope.rules.cast(value_of(node.this, scope), scope.rules.type_of(node.to), safely=scope.rules.is_tried(node))
    return None


def _case(node, scope):
    found = []
    for branch in node.args["ifs"]:
        truth_of(branch.this, scope)
        told = _told(branch.this, scope, is_true=True)
        value = value_of(branch.args["true"], scope.knowing(told))
        found += [] if any(each.never for each in told.values()) else [value]
        scope = scope.knowing(_told(branch.this, scope, is_true=False))  # of a value that is not NULL
    found.append(value_of(node.args["default"], scope) if node.args.get("default") else Value("NULL"))
    return scope.rules.merged(found)


def _aggregate(node, scope):
    match node:
        case exp.Sum() | exp.BitwiseOrAgg():
            folded = scope.rules.total if isinstance(node, exp.Sum) else scope.rules.any_bit
            return folded(value_of(node.this, scope))
        case exp.Count():
            if not isinstance(node.this, exp.Star):
                value_of(node.this, scope)
            return scope.rules.whole(0, ROWS, null=False, form="rows")
        case exp.Min() | exp.Max():
            if any(not isinstance(most, exp.Literal) or not 1 <= int(most.name) <= 10**6 for most in node.expressions):
                raise NotTotal("a list of the least values that is not short")
            return replace(value_of(node.this, scope), null=True, literal=False)
        case exp.LogicalAnd():
            truth_of(node.this, scope)
            return Value("BOOLEAN")
        case exp.ArrayAgg() | exp.Explode():  # a list, and a row for each of its values
            return replace(value_of(node.this, scope), null=True)
        case exp.Distinct():
            (inner,) = node.expressions
            return value_of(inner, scope)
        case exp.Filter():
            truth_of(node.expression.this, scope)
            found = value_of(node.this, scope)
            return found if isinstance(node.this, exp.Count) else replace(found, null=True)
        case exp.AggFunc():
            raise NotTotal(f"not on the list: {node.sql()[:60]}")
    for part in [
        *(node.args.get("partition_by") or []),
        *(each.this for each in getattr(node.args.get("order"), "expressions", [])),
    ]:
        value_of(part, scope)
    found = value_of(node.this, scope)
    return replace(found, low=1, form="") if isinstance(node.this, exp.Count) else found  # the row itself is there


def _truth_or_function(node, scope):
    parts = [value_of(part, scope) for part in node.iter_expressions() if not isinstance(part, exp.Var | exp.DataType)]
    match node:
        case exp.And() | exp.Or() | exp.Not():
            if {part.kind for part in parts} <= {"BOOLEAN", "NULL"}:
                return Value("BOOLEAN")
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.Between() | exp.In():
            scope.rules.merged(parts)
            return Value("BOOLEAN")
        case exp.Is(expression=exp.Null()):
            return Value("BOOLEAN", null=False)
    if (found := scope.rules.called(node, parts)) is not None:
        return found
    kinds = [part.kind for part in parts]
    raise NotTotal(f"not on the list: {type(node).__name__} of {kinds}: {node.sql(dialect=scope.rules.name)[:200]}")


# ---- what a condition tells of the values in it


def _told(node, scope, *, is_true):
    match node:
        case exp.Paren():
            return _told(node.this, scope, is_true=is_true)
        case exp.Not():
            return _told(node.this, scope, is_true=not is_true)
        case exp.Between() if is_true and _tells(scope, node.args["low"], node.args["high"]):
            low, high = value_of(node.args["low"], scope), value_of(node.args["high"], scope)
            return _known(node.this, scope, low.low, high.high, nan=False if not high.nan else None)
        case exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.EQ() | exp.NEQ():
            return _compared(node, scope, is_true=is_true)
        case exp.Column() if is_true:
            return dict(value_of(node, scope).told)
        case exp.Anonymous() if is_true and (valid := scope.rules.found_valid(node)) and not _is_constant(node, scope):
            known = value_of(node.expressions[0], scope)
            return {_text(node.expressions[0]): replace(known, valid=known.valid | {valid})}
    if (isinstance(node, exp.And) and is_true) or (isinstance(node, exp.Or) and not is_true):
        left = _told(node.this, scope, is_true=is_true)
        return {**left, **_told(node.expression, scope.knowing(left), is_true=is_true)}
    return {}


def _is_constant(node, scope):
    """Whether it is the same on every row: an engine may then work it out before it looks at any."""
    if node.find(exp.AggFunc, exp.Window):
        return False
    return all(scope.column(each.name, each.table).constant for each in node.find_all(exp.Column))


def _tells(scope, *ends):
    """Whether a comparison with these ends tells anything: an engine that works out constants while it plans does so anywhere."""
    return not scope.rules.folds or not any(end.find(exp.Column) for end in ends)


def _compared(node, scope, *, is_true):
    if not _tells(scope, node.expression):
        return {}
    other, kind = value_of(node.expression, scope), type(node)
    if kind in (exp.EQ, exp.NEQ):
        equal = (kind is exp.EQ) == is_true
        return _known(node.this, scope, other.low, other.high, nan=None if other.nan else False) if equal else {}
    if (kind in (exp.LT, exp.LTE)) == is_true:  # below: so is no NaN
        return _known(node.this, scope, None, other.high, nan=None if other.nan else False)
    return _known(node.this, scope, other.low, None)


def _known(node, scope, low, high, nan=None):
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(low, str) or isinstance(high, str):
        return {}  # a text tells nothing
    told = {_text(node): scope.rules.within(value_of(node, scope), low, high, nan=nan)}
    if isinstance(node, exp.Abs) and low is not None and high is not None and 0 < low <= high:
        inside = scope.rules.within(value_of(node.this, scope), -high, high, nan=nan)
        told[_text(node.this)] = replace(inside, near=max(low, inside.near))
    return told


def _text(node):
    return node.sql() if not isinstance(node, exp.Paren) else _text(node.this)
