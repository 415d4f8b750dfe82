"""Acts of data holders over HTTP: accounts, freezing, budgets, and tables that they bring."""

import pytest
from tests.service.conftest import FACTS, Caller, made_home
from tests.service.inside import Inside

from discreet.curator import accounts, brought, office
from discreet.service.settings import Settings

COUNT = {"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "0.5"}
ROWS = b"age,town\n" + b"\n".join(b"%d,north" % (20 + row % 60) for row in range(300)) + b"\n"
MORE = ROWS + b"33,south\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return made_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def client(home):
    with Inside(Settings(home.folder, max_upload=100_000)) as client:
        yield client


def uploaded(holder, name: str, content: bytes):
    return holder.client.request("POST", "/api/uploads", params={"name": name}, content=content, headers=holder.headers)


def test_a_new_analyst_is_let_in_granted_limited_and_told_apart(client, holder):
    made = holder.post("/api/analysts", {"name": "carol", "tables": ["people"], "expires": "2100-01-01"}).json()
    carol = Caller(client, made["token"])
    assert carol.get("/api/me").json()["expires"] == "2100-01-01"
    limited = holder.post("/api/analysts/carol/limit", {"table": "people", "epsilon": "1/4"}).json()
    assert limited["limits"]["people"] == {"epsilon": "0.25"}
    assert carol.post("/api/tables/people/ask", COUNT).status_code == 409
    assert carol.get("/api/tables/people/budget").json()["analyst"]["limit"] == {"epsilon": "0.25"}
    assert not carol.post("/api/tables/people/quote", COUNT).json()["affordable"]
    assert holder.post("/api/analysts/carol/ungrant", {"tables": ["people"]}).json()["tables"] == []
    assert carol.get("/api/tables/people").status_code == 404
    listed = {each["name"]: each for each in holder.get("/api/analysts").json()["analysts"]}
    assert listed["carol"]["role"] == "analyst"
    assert made["token"] not in holder.get("/api/analysts").text
    assert holder.post("/api/analysts", {"name": "carol"}).status_code == 400
    assert holder.post("/api/analysts/nobody/grant", {"tables": ["people"]}).status_code == 400
    assert holder.post("/api/analysts/carol/grant", {"tables": ["nowhere"]}).status_code == 400
    for wrong in ({"name": "erin", "tables": ["people", "nowhere"]}, {"name": "erin", "expires": "2001-01-01"}):
        refused = holder.post("/api/analysts", wrong)
        assert (refused.status_code, refused.json()["error"]) == (400, "parameter")
    assert holder.post("/api/analysts", {"name": "erin", "tables": ["people"]}).json()["expires"] is None    # not burnt


def test_a_new_token_keeps_its_last_day_and_needs_no_body(client, holder):
    holder.post("/api/analysts", {"name": "felix", "expires": "2100-01-01"})
    fresh = holder.post("/api/analysts/felix/rotate").json()
    assert (fresh["name"], fresh["expires"]) == ("felix", "2100-01-01")
    assert Caller(client, fresh["token"]).get("/api/me").json()["expires"] == "2100-01-01"
    assert holder.post("/api/analysts/felix/rotate", {}).json()["expires"] == "2100-01-01"
    assert holder.post("/api/analysts/felix/rotate", {"expires": "none"}).json()["expires"] is None
    assert holder.post("/api/analysts/felix/rotate", {"expire": "none"}).status_code == 422


def test_a_table_in_a_database_is_sent_to_the_machine_of_the_ledger(holder):
    facts = FACTS.format(name="town", epsilon=10).replace("town.csv", "postgresql://localhost/data#town")
    for path, body in (("/api/register", {}), ("/api/tables/people/version", {"reason": "new rows"})):
        refused = holder.post(path, {"facts": facts} | body)
        assert (refused.status_code, "discreet version new FILE" in refused.json()["hint"]) == (400, True), refused.text


def test_freezing_is_seen_at_once_with_its_reason_and_ends(alice, holder):
    assert holder.post("/api/tables/people/freeze", {"reason": "a leak is looked into"}).status_code == 200
    told = alice.post("/api/tables/people/ask", COUNT | {"epsilon": "0.125"})
    assert (told.status_code, told.json()["error"]) == (403, "access")
    assert "a leak is looked into" in told.json()["message"]
    assert alice.get("/api/tables/people").json()["state"] == "stopped"
    assert alice.post("/api/tables/people/quote", COUNT).status_code == 200
    assert holder.post("/api/tables/people/unfreeze", {"reason": "it was none"}).json() == {"alarms": []}
    assert alice.post("/api/tables/people/ask", COUNT | {"epsilon": "0.125"}).status_code == 200
    assert holder.post("/api/tables/people/freeze", {"reason": ""}).status_code == 422


def test_a_cap_is_raised_and_never_lowered(holder):
    raised = holder.post("/api/tables/others/raise", {"epsilon": "150", "reason": "more to know"}).json()
    assert raised["cap"] == {"epsilon": "150"}
    assert holder.post("/api/tables/others/raise", {"epsilon": "1", "reason": "less"}).status_code == 409


def test_ledger_report_faults_and_verification_are_told(alice, holder):
    alice.post("/api/tables/people/ask", COUNT)
    kinds = {each["kind"] for each in holder.get("/api/tables/people/ledger").json()["entries"]}
    assert kinds >= {"register", "charge"}
    assert holder.get("/api/ledger/verification").json()["ok"]
    report = holder.get("/api/tables/people/report").json()
    assert ("alice", "answered") in [(each["analyst"], each["state"]) for each in report["charges"]]
    assert report["ledger"]["ok"]
    assert holder.get("/api/faults").json() == {"faults": [], "uncharged": []}


def test_a_fault_that_came_before_a_charge_is_told_to_the_data_holder_with_its_cause(tmp_path):
    home = made_home(tmp_path)
    (home.folder / "people.csv").unlink()
    with Inside(Settings(home.folder)) as client:
        told = Caller(client, home.alice).post("/api/tables/people/ask", COUNT)
        found = Caller(client, home.holder).get("/api/faults").json()
    assert (told.status_code, told.json()["error"], told.json()["hint"]) == (503, "fault", "")
    assert found["faults"] == []
    (line,) = found["uncharged"]
    assert (line["reference"], line["table"], line["cause"]) == (told.json()["reference"], "people", "FileNotFoundError")


def test_the_entries_of_a_table_are_about_no_other(home, alice, holder):
    count = {"sql": "SELECT COUNT(*) AS n FROM others", "epsilon": "0.1"}
    holder.post("/api/analysts", {"name": "olga"})
    holder.post("/api/analysts/olga/grant", {"tables": ["others"]})
    asked = Caller(alice.client, accounts.rotate(home.folder, "olga"))
    assert asked.post("/api/tables/others/ask", count).status_code == 200
    raised = holder.post("/api/tables/others/raise", {"epsilon": "300", "reason": "more to know"})
    assert raised.status_code == 200
    alice.post("/api/tables/people/ask", COUNT)
    every = {each.number: each for each in office.entries(home.folder)}

    def told(table: str) -> set[int]:
        return {each["number"] for each in holder.get(f"/api/tables/{table}/ledger?most=1000").json()["entries"]}

    def of(kind: str, **body: object) -> set[int]:
        return {n for n, each in every.items() if each.kind == kind and each.body.items() >= body.items()}

    def settled(table: str) -> set[int]:
        return {n for n, each in every.items() if each.kind == "settle" and each.body["charge"] in of("charge", table=table)}

    others = of("charge", table="others") | settled("others") | of("raise") | of("grant", name="olga") | of("rotate", name="olga")
    assert of("raise")
    assert settled("others")
    assert others <= told("others")
    assert not others & told("people")
    mine = of("charge", table="people") | settled("people")
    assert settled("people")
    assert mine <= told("people")
    assert not mine & told("others")


def test_a_table_is_brought_checked_registered_granted_and_asked(client, home, alice, holder):
    assert uploaded(holder, "town.csv", ROWS).json() == {"file": "town.csv", "bytes": len(ROWS)}
    assert 'unit = "TODO"' in holder.get("/api/uploads/town.csv/draft").json()["facts"]
    facts = FACTS.format(name="town", epsilon=10)
    wrong = holder.post("/api/check", {"facts": facts.replace('unit = "row"', "")}).json()
    assert (wrong["ok"], wrong["problems"][0]["key"]) == (False, "table.unit")
    assert str(home.folder) not in str(wrong)
    right = holder.post("/api/check", {"facts": facts}).json()
    assert right["ok"]
    assert right["table"]["odds"].endswith("in 100.")
    bought = {each["what"]: each["plus_minus"] for each in right["table"]["buys"]}
    assert bought["20 different counts, each"] == 6                     # ε 0.5 each: P(|Z| > 6) < 5 %
    assert len(bought) == 4
    done = holder.post("/api/register", {"facts": facts})
    assert (done.status_code, done.json()["budget"]["cap"]) == (200, {"epsilon": "10"}), done.text
    question = {"sql": "SELECT COUNT(*) AS n FROM town", "epsilon": "1"}
    assert alice.post("/api/tables/town/ask", question).status_code == 404
    holder.post("/api/analysts/alice/grant", {"tables": ["town"]})
    assert abs(alice.post("/api/tables/town/ask", question).json()["rows"][0]["n"] - 300) < 60
    assert uploaded(holder, "town.csv", MORE).status_code == 409
    uploaded(holder, "town2.csv", MORE)
    newer = facts.replace('source = "town.csv"', 'source = "town2.csv"\nversion = "2"')
    assert holder.get("/api/tables/town/facts").json() == {"facts": facts}
    assert alice.get("/api/tables/town/facts").status_code == 403
    begun = {"facts": newer, "reason": "new rows", "after": "1"}
    assert holder.post("/api/tables/town/version", begun).json()["version"] == "2"
    late = holder.post("/api/tables/town/version", begun | {"facts": newer.replace('"2"', '"3"')})   # two holders at once
    assert (late.status_code, "version 2 has been begun meanwhile" in late.json()["message"]) == (400, True)
    assert alice.get("/api/tables/town").json()["version"] == "2"
    assert not alice.post("/api/tables/town/ask", question).json()["replayed"]
    assert uploaded(holder, "town.csv", MORE).status_code == 409         # no facts speak of it any more: it was registered
    assert (home.folder / "town.csv").read_bytes() == ROWS
    assert office.verify(home.folder).ok


def test_an_upload_that_was_left_may_be_brought_again(home, holder):
    kept = home.folder / "village.csv"
    for content in (ROWS, MORE, ROWS):
        assert uploaded(holder, "village.csv", content).status_code == 200
        assert kept.read_bytes() == content
    for draft in ('source = "village.csv"', "source = './VILLAGE.csv'", 'source = "*.csv"', 'lookup = "village.cs?"'):
        (home.folder / "draft.toml").write_text(draft)
        assert uploaded(holder, "village.csv", MORE).status_code == 409, draft
    (home.folder / "draft.toml").unlink()
    kept.unlink()
    kept.write_bytes(ROWS + b"1,north\n")                                # put there by hand, under the name of one that was left
    assert uploaded(holder, "village.csv", MORE).status_code == 409
    assert kept.read_bytes() == ROWS + b"1,north\n"


def test_of_two_who_bring_a_file_again_at_once_one_is_turned_away(tmp_path):
    target, first, second = tmp_path / "a.csv", tmp_path / "first", tmp_path / "second"
    for file in (first, second):
        file.write_text(file.name)
    brought.put(first, target)
    (tmp_path / ".brought-a.csv").unlink()                               # what the other one does first
    with pytest.raises(FileExistsError):
        brought.put(second, target)
    assert target.read_text() == "first"


def test_what_cannot_be_registered_leaves_nothing(home, holder):
    facts = FACTS.format(name="people", epsilon=10)
    assert holder.post("/api/register", {"facts": facts}).status_code == 400
    assert holder.post("/api/register", {"facts": FACTS.format(name="ghost", epsilon=1)}).status_code == 400
    assert not (home.folder / "ghost.toml").exists()
    before = (home.folder / "people.toml").read_text()
    assert holder.post("/api/tables/people/version", {"facts": facts}).status_code == 400       # the version is the same
    assert (home.folder / "people.toml").read_text() == before


def test_a_file_goes_nowhere_but_into_the_folder(home, holder):
    before = sorted(home.folder.rglob("*"))
    for name in ("../x.csv", "a/b.csv", ".x.csv", "x.toml", "x.csv\x00", "x" * 200 + ".csv", "", "ledger.db", "/etc/x.csv"):
        assert uploaded(holder, name, b"a\n1\n").status_code in (400, 422)
    assert sorted(home.folder.rglob("*")) == before


def test_facts_from_afar_name_files_of_the_folder_only(home, holder):
    (home.folder / "link.csv").symlink_to("/etc/passwd")
    (home.folder.parent / "outside.csv").write_text("age,town\n1,north\n")
    for source in ("/etc/passwd", "../outside.csv", ".discreet/ledger.db", "*.csv", "postgresql://host/db#t", "link.csv"):
        facts = FACTS.format(name="spy", epsilon=1).replace('"spy.csv"', f'"{source}"')
        checked = holder.post("/api/check", {"facts": facts}).json()
        assert not checked.get("ok")
        assert holder.post("/api/register", {"facts": facts}).status_code == 400
        assert "root:" not in str(checked)


def test_an_upload_that_is_too_large_leaves_nothing(home, holder):
    def parts():
        for _ in range(30):
            yield b"1,2\n" * 1000

    told = uploaded(holder, "large.csv", b"x" * 100_001)
    assert (told.status_code, told.json()["error"]) == (413, "too_large")

    async def streamed():
        for part in parts():
            yield part

    assert uploaded(holder, "large.csv", streamed()).status_code == 413
    assert not list(home.folder.glob("large*")) + list(home.folder.glob(".upload*"))
