"""What is not in the language is refused with its place and the nearest thing that works. ¦ marks the place."""

import time

import pytest

from discreet.errors import QuestionError, Refused
from discreet.questions.sql import read_condition, read_key, read_sql, read_value

WHERE = "SELECT COUNT(*) FROM people WHERE "

REFUSED = [
    # other statements
    ("¦", "empty", "SELECT COUNT(*)"),
    ("-- nothing¦", "empty", "SELECT COUNT(*)"),
    ("¦ATTACH 'x.db' AS x", "only SELECT", "SELECT"),
    ("¦PRAGMA version", "only SELECT", "SELECT"),
    ("¦DROP TABLE people", "only SELECT", "SELECT"),
    ("¦COPY people TO 'x.csv'", "only SELECT", "SELECT"),
    ("¦INSTALL httpfs", "only SELECT", "SELECT"),
    ("¦EXPLAIN SELECT COUNT(*) FROM people", "only SELECT", "SELECT"),
    ("¦FROM people SELECT COUNT(*)", "only SELECT", "SELECT"),
    ("¦(SELECT COUNT(*) FROM people)", "only SELECT", "SELECT"),
    ("WITH a AS (SELECT 1¦) SELECT COUNT(*) FROM a", "expected FROM", "write FROM"),
    ("SELECT COUNT(*) FROM people; ¦DROP TABLE people", "second statement", "one question at a time"),
    ("SELECT COUNT(*) FROM people;¦;", "second statement", "one question at a time"),
    ("SELECT COUNT(*) FROM people ¦SELECT 1", "second statement", "one question at a time"),
    # other tables
    ("SELECT COUNT(*) FROM (SELECT ¦* FROM people)", "rows are never shown", "ask for statistics"),
    ("SELECT COUNT(*) FROM ¦read_csv('people.csv')", "read_csv is a function", "FROM the table itself"),
    ("SELECT COUNT(*) FROM ¦'people.csv'", "the text 'people.csv'", '"name"'),
    ("SELECT COUNT(*) FROM ¦main.people", "no schema", "its name alone"),
    ("SELECT COUNT(*) FROM ¦person", "no table person", "FROM people"),
    ("SELECT COUNT(*) FROM people¦, other", "side by side", "write JOIN"),
    ("SELECT COUNT(*) FROM people JOIN ¦other ON 1 = 1", "no lookup other", "[join.zips]"),
    ("SELECT COUNT(*) FROM people ¦NATURAL JOIN other", "joins", "LEFT JOIN"),
    ("SELECT COUNT(*) FROM people ¦UNION SELECT 1", "set operations", "FILTER (WHERE …)"),
    ("SELECT COUNT(*) FROM people ¦TABLESAMPLE 1", "sampling", "all rows"),
    ("SELECT COUNT(*)¦", "expected FROM", "FROM"),
    ("SELECT COUNT(*) FROM people p WHERE ¦people.Age > 3", "no table people", "write p"),
    # the clauses
    ("SELECT ¦DISTINCT Race FROM people", "DISTINCT", "GROUP BY"),
    ("SELECT ¦TOP 5 COUNT(*) FROM people", "LIMIT", "LIMIT n"),
    ("SELECT ¦* FROM people", "rows are never shown", "COUNT(*)"),
    ("SELECT COUNT(*) FROM people LIMIT 5 ¦OFFSET 2", "LIMIT", "ORDER BY"),
    ("SELECT COUNT(*) FROM people LIMIT ¦0", "how many rows", "LIMIT 10"),
    ("SELECT COUNT(*) FROM people LIMIT ¦1.5", "how many rows", "LIMIT 10"),
    ("SELECT COUNT(*) FROM people LIMIT ¦-1", "how many rows", "LIMIT 10"),
    ("SELECT COUNT(*) FROM people LIMIT 5 ¦WHERE Age > 3", "comes too late", "WHERE, GROUP BY"),
    ("SELECT COUNT(*) FROM people GROUP BY ¦ROLLUP (Race)", "grouping sets", "GROUP BY a, b"),
    ("SELECT ¦ALL COUNT(*) FROM people", "ALL", "leave it out"),
    ("SELECT COUNT(*) FROM people ORDER BY 1 NULLS ¦MIDDLE", "FIRST or LAST", "FIRST or LAST"),
    ("SELECT COUNT(*) AS ¦'n' FROM people", "the text 'n'", '"name"'),
    ("SELECT COUNT(*) AS ¦\"\" FROM people", "cannot be printed", "printable"),
    ("SELECT COUNT(*) n, ¦SUM(Age) AS N FROM people", "two outputs", "its own name"),
    ("SELECT COUNT(*) FROM people ORDER BY ¦2", "no output 2", "from 1 to 1"),
    ("SELECT COUNT(*) FROM people GROUP BY ¦0.5", "no output 1/2", "from 1 to 1"),
    # functions
    ("SELECT COUNT(*) ¦OVER (PARTITION BY Race) FROM people", "window functions", "GROUP BY"),
    ("SELECT ¦ROW_NUMBER() OVER () FROM people", "ROW_NUMBER", "GROUP BY"),
    ("SELECT SUM(¦DISTINCT Age) FROM people", "DISTINCT is allowed only inside COUNT", "COUNT(DISTINCT x)"),
    ("SELECT ¦MODE(Age) FROM people", "MODE chooses among declared values", "BIN"),
    ("SELECT QUANTILE(Age¦) FROM people", "lacks the share", "QUANTILE(x, 0.25)"),
    ("SELECT QUANTILE(Age, ¦1.01) FROM people", "not between 0 and 1", "QUANTILE(x, 0.25)"),
    ("SELECT QUANTILE(Age, ¦-0.5) FROM people", "not between 0 and 1", "QUANTILE(x, 0.25)"),
    ("SELECT QUANTILE(Age, ¦Income) FROM people", "not a constant", "QUANTILE(x, 0.25)"),
    ("SELECT QUANTILE(Age, ¦0.12345678) FROM people", "too many digits", "six decimals"),
    ("SELECT PERCENTILE_CONT(0.5) ¦FROM people", "does not say of what", "WITHIN GROUP (ORDER BY x)"),
    ("SELECT PERCENTILE_CONT(¦Age) FROM people", "not a constant", "QUANTILE(x, 0.25)"),
    ("SELECT AVG(Age) ¦WITHIN GROUP (ORDER BY Age) FROM people", "WITHIN GROUP belongs", "PERCENTILE_CONT(0.5)"),
    ("SELECT ¦MEDIAN(Debt) FROM people", "cannot be ranked without public bounds", "declare lower and upper"),
    ("SELECT ¦MAX(Name) FROM people", "needs a number", "COUNT(x)"),
    ("SELECT CORR(Age¦) FROM people", "CORR takes two numbers", "write CORR(x, y)"),
    ("SELECT COVAR_SAMP(Age¦) FROM people", "COVAR_SAMP takes two numbers", "write COVAR_SAMP(x, y)"),
    ("SELECT MEDIAN(Age, ¦INTERVALS) FROM people", "expected INTERVAL, found INTERVALS", "write INTERVAL as the last"),
    ("SELECT QUANTILE(Age, 0.1, ¦intervall) FROM people", "expected INTERVAL", "write INTERVAL as the last argument of QUANTILE"),
    ("SELECT MEDIAN(Age¦, Income) FROM people", "expected ), found ,", ""),
    ("SELECT AVG(Debt) FROM people BOUNDS SHARE 0.2 ¦PER UNIT 5 ROWS", "PER UNIT comes too late", "the order is WHERE, GROUP BY"),
    ("SELECT COUNT(*) FROM people WHERE Sex = ¦male", "male is not declared", "value of Sex write 'male' in single quotes"),
    ("SELECT COUNT(*) FROM people WHERE Sex = ¦\"male\"", "column male is not declared", "write 'male' in single quotes"),
    ("SELECT COUNT(*) FROM people WHERE Sex = ¦Female", "column Female is not declared", "write 'female' in single quotes"),
    ("SELECT ¦COVAR_POP(Age, Name) FROM people", "needs a number", "two numbers"),
    ("SELECT ¦COVAR(Age, 3) FROM people", "reads no column", "COUNT(*)"),
    ("SELECT ¦error('x') FROM people", "function ERROR", "there are: ABS"),
    ("SELECT ¦SUMM(Age) FROM people", "function SUMM", "write SUM"),
    (WHERE + "¦my_udf(Age) > 3", "function MY_UDF", "there are"),
    (WHERE + "¦pg_sleep(10) > 3", "function PG_SLEEP", "there are"),
    (WHERE + "¦IFF(Married, 1, 0) = 1", "IFF is not", "IF("),
    (WHERE + "¦ROUND(Age, 1, 2) = 1", "ROUND has 3 arguments", "1 to 2"),
    (WHERE + "¦ABS() = 1", "ABS has 0 arguments", "write 1"),
    (WHERE + "ROUND(Age, ¦Age) = 1", "places of ROUND", "a number"),
    (WHERE + "ROUND(Age, ¦99) = 1", "-15 to 15", "ROUND(x, 2)"),
    (WHERE + "BIN(Age, ¦0) = 1", "not above 0", "BIN(x, 10)"),
    (WHERE + "EXTRACT(¦EPOCH FROM Born) = 1", "no part EPOCH", "YEAR"),
    (WHERE + "¦CAST(Born AS INT) = 3", "a date cannot be cast to a number", "EXTRACT"),
    (WHERE + "¦CAST(Income AS TEXT) = '1'", "only whole numbers", "ROUND"),
    (WHERE + "CAST(¦'yesterday' AS DATE) = Born", "is no date", "'2020-01-31'"),
    (WHERE + "Age::¦blob = 3", "no type", "INTEGER"),
    ("SELECT AVG(¦LN(Income)) FROM people", "no end near 0", "LN(GREATEST(Income, 1))"),
    ("SELECT AVG(¦EXP(Income)) FROM people", "too large", "EXP(LEAST(Income, 10))"),
    ("SELECT AVG(¦POWER(Age, -1)) FROM people", "no end near 0", "POWER(GREATEST(Age, 1), -1)"),
    ("SELECT AVG(POWER(Age, ¦Age)) FROM people", "not a number", "such as 10"),
    ("SELECT AVG(POWER(Age, ¦99)) FROM people", "from -32 to 32", "POWER(x, 2)"),
    (WHERE + "SUBSTR(Name, ¦0) = 'a'", "not a whole number from 1", "a whole number"),
    (WHERE + "DATE_TRUNC(¦'decade', Born) = Born", "no period 'decade'", "'month'"),
    (WHERE + "¦DATE_TRUNC('hour', Born) = Born", "a date has no hour", "day"),
    (WHERE + "¦LOWER(Age) = 'a'", "needs a text", "texts"),
    ("SELECT ¦SQRT(AVG(Age)) FROM people", "only arithmetic", "AVG(SQRT(x))"),
    ("SELECT COUNT(*) / SUM(COUNT(*)) OVER (¦PARTITION BY Race) FROM people GROUP BY Race", "over all groups", "OVER ()"),
    ("SELECT ¦SUM(AVG(Age)) OVER () FROM people GROUP BY Race", "only counts and sums", "SUM(COUNT(*)) OVER ()"),
    ("SELECT Race, ¦SUM(COUNT(*)) OVER () FROM people GROUP BY Race HAVING COUNT(*) > 5", "HAVING", "LIMIT"),
    ("SELECT SUM(SQRT(¦Debt)) FROM people", "no public bounds", "clamp"),
    # expressions
    (WHERE + "Age IN (¦SELECT 1)", "one SELECT", "WHERE"),
    (WHERE + "¦EXISTS (SELECT 1)", "one SELECT", "WHERE"),
    (WHERE + "Age IN (¦Children)", "a constant", "a constant"),
    (WHERE + "Age IN (1, ¦NULL)", "NULL equals nothing", "IS NULL"),
    (WHERE + "Age IN (¦)", "a constant", "a constant"),
    (WHERE + "Age = ¦NULL", "NULL", "IS NULL"),
    (WHERE + "Age IS ¦TRUE", "expected NULL", "IS NULL"),
    (WHERE + "Age < 3 ¦< Income", "chain", "AND"),
    (WHERE + "Name ¦SIMILAR TO 'a%'", "matching", "ILIKE"),
    (WHERE + "Name LIKE ¦Name", "a pattern", "LIKE 'abc%'"),
    (WHERE + "Name LIKE 'a' ¦ESCAPE '!'", "ESCAPE", "% and _"),
    (WHERE + "Name ¦|| 'a' = 'b'", "joined", "LIKE"),
    (WHERE + "Age ¦== 3", "==", "write ="),
    (WHERE + "1 + ¦NOT Married", "NOT", "parentheses"),
    (WHERE + "(Age¦, Race) = (1, 2)", "lists", "one value at a time"),
    (WHERE + "¦INTERVAL '1 day' = 3", "INTERVAL", "DATE"),
    (WHERE + "Born = DATE ¦'2020-02-30'", "is not a date", "DATE '2020-01-31'"),
    (WHERE + "Born = ¦'next week'", "is not a date", "'2020-01-31'"),
    (WHERE + "Seen > ¦'2020-01-01 12:00+02'", "is not a timestamp", "12:00:00"),
    (WHERE + "Age > ¦1e400", "too large", "1.8e308"),
    (WHERE + "Age > ¦1e-400", "too large", "1.8e308"),
    (WHERE + "Age > 1¦_000", "after a number", "1000"),
    (WHERE + "Age > 0¦x1F", "after a number", "1000"),
    (WHERE + "Name = x¦'41'", "found '41'", "operator"),
    (WHERE + "Name = ¦'abc", "not closed", "'"),
    (WHERE + "¦\"Name = 3", "not closed", '"'),
    (WHERE + "Age > 3 ¦/* open", "not closed", "*/"),
    (WHERE + "Age > ¦$1", "parameters", "the value itself"),
    (WHERE + "Age > ¦?", "parameters", "the value itself"),
    (WHERE + "¦`Age` > 3", "`", '"name"'),
    (WHERE + "Age > 3 ¦\\ 4", "not in the language", "words, numbers"),
    (WHERE + "Age > 3 ¦\x00", "not in the language", "words, numbers"),
    (WHERE + "Name = '¦\ud800'", "Unicode", "words, numbers"),
    (WHERE + "CASE Age ¦END = 3", "expected WHEN", '"END"'),
    (WHERE + "(Age > 3¦", "expected ), found the end", "write )"),
    (WHERE + "¦Group = 'x'", "expected an expression", '"Group"'),
    (WHERE + "¦", "expected an expression, found the end", "expression"),
    # names
    (WHERE + "¦Agee > 3", "column Agee is not declared", "write Age"),
    (WHERE + "¦zzz > 3", "column zzz is not declared", "there are: Age"),
    (WHERE + "Age > 3 AND\n  ¦homeTown = 'x'", "homeTown", '"Home Town"'),
    ("SELECT ¦Age FROM people", "Age is not a key", "aggregate it or put it in GROUP BY"),
    ("SELECT Race, ¦Age, COUNT(*) FROM people GROUP BY Race", "Age is not a key", "aggregate it or put it in GROUP BY"),
    ("SELECT ¦BIN(Age, 5), COUNT(*) FROM people GROUP BY BIN(Age, 10)", "neither a key", "GROUP BY"),
    ("SELECT COUNT(*) FROM people ORDER BY ¦Age", "Age is not a key", "aggregate it"),
    ("SELECT COUNT(*) AS n, ¦n + 1 FROM people", "column n is not declared", "there are"),
    ("SELECT COUNT(*) AS n FROM people WHERE ¦n > 3", "column n is not declared", "there are"),
    ("SELECT BIN(Age, 10) AS Age, COUNT(*) FROM people GROUP BY ¦Age", "another output", "another name"),
    ("SELECT Race AS r, ¦COUNT(*) AS Race FROM people GROUP BY 1", "and so is a key", "another name"),
    ("SELECT ¦COUNT(*) AS race FROM people GROUP BY Race", "and so is a key", "another name"),
    # statistics
    ("SELECT ¦1 FROM people", "no statistic", "COUNT(*)"),
    ("SELECT ¦Race FROM people GROUP BY Race", "no statistic", "COUNT(*)"),
    ("SELECT ¦SUM(1) FROM people", "reads no column", "COUNT(*)"),
    ("SELECT ¦COUNT(NULL) FROM people", "NULL", "COUNT(*)"),
    ("SELECT SUM(¦SUM(Age)) FROM people", "an aggregate stands", "SELECT, HAVING"),
    (WHERE + "¦COUNT(*) > 3", "an aggregate stands", "HAVING"),
    ("SELECT ¦COUNT(*) FROM people GROUP BY 1", "an aggregate cannot be a key", "BIN"),
    ("SELECT COUNT(*) ¦> 3 FROM people", "only arithmetic", "HAVING"),
    ("SELECT ¦CASE WHEN COUNT(*) > 3 THEN 1 ELSE 0 END FROM people", "only arithmetic", "FILTER"),
    ("SELECT ¦'a' AS x, COUNT(*) FROM people", "a key or a number", "aggregate"),
    ("SELECT COUNT(*) FROM people HAVING ¦COUNT(*)", "not a condition", "COUNT(*) > 100"),
    ("SELECT COUNT(*) FILTER ¦Age > 3 FROM people", "expected (", "write ("),
    ("SELECT ABS(COUNT(*)) ¦FILTER (WHERE Age > 3) FROM people", "FILTER", "COUNT(*) FILTER"),
    # types
    ("SELECT ¦SUM(Name) FROM people", "Name (a text)", "COUNT(x)"),
    ("SELECT ¦SUM(Race) FROM people", "Race (a category)", "CAST(x AS INTEGER)"),
    ("SELECT ¦STDDEV(Married) FROM people", "Married (true or false)", "AVG(condition)"),
    ("SELECT ¦SUM(Born) FROM people", "Born (a date)", "COUNT(x)"),
    ("SELECT ¦COUNT(*) FILTER (WHERE Age) FROM people", "FILTER needs true or false", "WHERE x > 0"),
    ("SELECT Race ¦+ 1, COUNT(*) FROM people GROUP BY Race", "category", "INTEGER"),
    (WHERE + "¦Age", "not a condition", "x > 0"),
    (WHERE + "Age ¦AND Married", "AND needs true or false, not Age", "a condition"),
    (WHERE + "Name ¦= 3", "Name (a text) and a number", "as the column is declared"),
    (WHERE + "Age ¦= '3'", "Age (a number) and a text", "as the column is declared"),
    (WHERE + "Age ¦= Born", "Age (a number) and Born (a date)", "DATE"),
    (WHERE + "Born ¦= Seen", "Born (a date) and Seen (a timestamp)", "DATE"),
    (WHERE + "Married ¦= 1", "Married (true or false) and a number", "TRUE"),
    (WHERE + "Age ¦IN (1, 'a')", "a number", "declared"),
    (WHERE + "Name ¦< 'M'", "an order", "LIKE"),
    (WHERE + "¦GREATEST(Name, 'a') = 'a'", "GREATEST", "="),
    (WHERE + "Age ¦LIKE '3%'", "LIKE needs a text", "BETWEEN"),
    (WHERE + "Born ¦+ 1 > Born", "arithmetic needs a number", "integer"),
    (WHERE + "¦YEAR(Age) = 3", "only dates and timestamps have a year", "date"),
    (WHERE + "¦HOUR(Born) = 3", "a date has no hour", "month"),
    (WHERE + "¦CASE WHEN Age THEN 1 END = 3", "WHEN needs true or false", "a condition"),
    (WHERE + "¦COALESCE(Age, Name) = 3", "do not go together", "declared"),
    (WHERE + "UrbanRural = ¦3", "3 is not a declared value of UrbanRural", "there are: 1, 2"),
    (WHERE + "UrbanRural = ¦2.00000000000000000001", "not a declared value", "there are: 1, 2"),
    (WHERE + "UrbanRural <> ¦'rural'", "'rural' is not a declared value of UrbanRural", "write 2"),
    (WHERE + "Sex IN ('male', ¦'femal')", "'femal' is not a declared value of Sex", "write 'female'"),
    ("¦" + WHERE + "Race = 3 + 4", "7 is not a declared value of Race", "there are: 1, 2"),
    ("¦" + WHERE + "Sex LIKE 'mal'", "'mal' is not a declared value of Sex", "write 'male'"),
    # bounds
    ("SELECT ¦SUM(Debt) FROM people", "Debt cannot be summed without public bounds", "GREATEST(LEAST("),
    ("SELECT ¦AVG(Gain) FROM people", "Gain cannot be summed without public bounds", "GREATEST(LEAST("),
    ("SELECT ¦SUM(LEAST(Debt, 10)) FROM people", "without public bounds", "GREATEST(LEAST("),
    ("SELECT ¦VARIANCE(Age / Income) FROM people", "Age / Income cannot be summed without public bounds", "GREATEST(LEAST("),
    ("SELECT SUM(¦Debt + 1) FROM people", "Debt is computed with", "GREATEST(LEAST("),
    (WHERE + "¦Debt - Debt = 0", "Debt is computed with", "GREATEST(LEAST("),
    (WHERE + "2 * (Age / Rate ¦/ (Income - 3)) > 0", "computed with", "GREATEST(LEAST("),
    ("SELECT COUNT(*) FILTER (WHERE ABS(¦Children) > 1) FROM people", "Children is computed with", "GREATEST(LEAST("),
    # keys
    ("SELECT COUNT(*) FROM people GROUP BY ¦Income", "Income are not public", "BIN(Income, width)"),
    ("SELECT COUNT(*) FROM people GROUP BY ¦Name", "Name are not public", "declare a category"),
    ("SELECT COUNT(*) FROM people GROUP BY ¦Born", "Born are not public", "EXTRACT(month FROM Born)"),
    ("SELECT COUNT(*) FROM people GROUP BY ¦Children", "Children are not public", "lower and upper"),
    ("SELECT COUNT(*) FROM people GROUP BY ¦YEAR(Moved)", "no public bounds", "lower and upper"),
    ("SELECT COUNT(*) FROM people GROUP BY BIN(¦Debt, 10)", "no public bounds", "GREATEST(LEAST("),
    ("SELECT COUNT(*) FROM people GROUP BY Rate ¦* 2", "cannot be a key", "BIN"),
    ("SELECT COUNT(*) FROM people GROUP BY ¦SUBSTR(Name, 1, 1)", "cannot be a key", "BIN"),
]


@pytest.mark.parametrize(("asked", "message", "hint"), REFUSED)
def test_a_refusal_names_the_place_and_the_nearest_thing_that_works(people, asked, message, hint):
    position, text = asked.index("¦"), asked.replace("¦", "")
    with pytest.raises(QuestionError) as refused:
        read_sql(text, people)
    assert message in refused.value.message
    assert hint in refused.value.hint
    assert refused.value.position == position
    assert refused.value.line == text[:position].count("\n") + 1
    assert refused.value.column == position - text.rfind("\n", 0, position)
    assert f"(line {refused.value.line}, column {refused.value.column})" in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    ("read", "text", "position"),
    [
        (read_condition, "Age > 3; DROP TABLE people", 7),
        (read_condition, "Age > 3 GROUP BY Race", 8),
        (read_condition, "COUNT(*) > 3", 0),
        (read_condition, "Age", 0),
        (read_condition, "", 0),
        (read_condition, "other.Age > 3", 0),
        (read_key, "Race, Sex", 4),
        (read_key, "Income", 0),
        (read_key, "Rate + 1", 5),
        (read_value, "SUM(Age)", 0),
        (read_value, "Age FROM people", 4),
    ],
)
def test_a_part_of_a_question_is_that_part_and_nothing_more(people, read, text, position):
    with pytest.raises(QuestionError) as refused:
        read(text, people)
    assert refused.value.position == position
    assert refused.value.hint


# ---- the limits

DEEP = {
    "10 000 parentheses": WHERE + "(" * 10_000 + "1 = 1" + ")" * 10_000,
    "open parentheses": WHERE + "(" * 60_000,
    "CASE in CASE": WHERE + "CASE WHEN TRUE THEN " * 2_500 + "TRUE" + " END" * 2_500,
    "NOT after NOT": WHERE + "NOT " * 15_000 + "Married",
    "minus after minus": WHERE + "- " * 30_000 + "1 > 0",
    "a long sum": WHERE + "1" + " + 1" * 15_000 + " > 0",
    "functions in functions": WHERE + "ABS(" * 10_000 + "Age" + ")" * 10_000 + " > 0",
    "lists in lists": WHERE + "Age IN (" * 8_000,
}
LARGE = {
    "a long AND": WHERE + "Age < 3" + " AND Age < 3" * 5_000,
    "a text that doubles": WHERE + "NULLIF(" * 90 + "Age" + ", 1)" * 90 + " = 1",
    "another that doubles": WHERE + "(" * 90 + "Age" + " BETWEEN 1 AND 2)" * 90,
    "many outputs": "SELECT " + ", ".join(["COUNT(*)"] * 5_000) + " FROM people",
    "many keys": "SELECT COUNT(*) FROM people GROUP BY " + ", ".join(f"BIN(Age, {width})" for width in range(1, 3_000)),
    "a long number": WHERE + "Age > " + "9" * 60_000,
    "a large exponent": WHERE + "Age > 1e999999999",
    "1 MB": WHERE + "1 = 1 " + "AND 1 = 1 " * 100_000,
    "1 MB of space": WHERE + " " * 1_000_000 + "1 = 1",
    "64 KiB and one byte": WHERE + "'" + "a" * (64 * 1024 - len(WHERE) - 2) + "é'",
    "101 aggregates": "SELECT " + ", ".join(f"COUNT(*) FILTER (WHERE Age = {age})" for age in range(101)) + " FROM people",
    "comments in comments": WHERE + "1 = 1 " + "/*" * 30_000,
    "many names": "SELECT " + "a " * 30_000,
    "many dots": WHERE + "a" + ".a" * 20_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", [*DEEP.values(), *LARGE.values()], ids=[*DEEP, *LARGE])
def test_what_is_too_deep_or_too_large_is_refused_quickly(people, text):
    started = time.process_time()
    with pytest.raises(Refused) as refused:
        read_sql(text, people)
    assert time.process_time() - started < 5  # milliseconds, on a machine that is not busy
    assert refused.value.hint
    assert len(str(refused.value)) < 500


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        WHERE + "(" * 98 + "Age = 1" + ")" * 98,
        WHERE + "ABS(" * 97 + "Age" + ")" * 97 + " = 1",
        WHERE + "CASE WHEN Married THEN " * 97 + "Age" + " END" * 97 + " = 1",
        WHERE + "NOT (Married AND " * 32 + "Married" + ")" * 32,
        WHERE + "Age" + " + 1" * 97 + " = 1",
        WHERE + " OR ".join(f"Age < {age} AND Race = 1" for age in range(1_200)),
        WHERE + f"Age IN ({', '.join(map(str, range(9_000)))})",
        WHERE + "LEAST(1, 1 / " * 48 + "Age" + ")" * 48 + " = 1",
        WHERE + "Name = '" + "(" * 60_000 + "'",
        "SELECT " + ", ".join(f"COUNT(*) FILTER (WHERE Age = {age})" for age in range(100)) + " FROM people",
        "/*" * 10_000 + "*/" * 10_000 + WHERE + "Age = 1",
    ],
    ids=lambda text: text[:50],
)
def test_what_is_within_the_limits_is_read_even_from_deep_in_a_program(people, text):
    def called_from(depth):
        return read_sql(text, people) if depth == 0 else called_from(depth - 1)

    called_from(200)


@pytest.mark.parametrize(
    "text", ["SELECT COUNT(*) FROM people\r\nWHERE\tAge > 3", "\ufeffSELECT\u00a0COUNT(*) FROM people WHERE Age > 3"]
)
def test_any_white_space_will_do(people, text):
    assert read_sql(text, people) == read_sql("SELECT COUNT(*) FROM people WHERE Age > 3", people)
