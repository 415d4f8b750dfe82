"""Ctrl-C in the data holder's own acts: one line says what became of them."""

import pytest

from discreet.ledger import registry


def pressed(*_, **__):
    raise KeyboardInterrupt


def press_after(act):
    def done(*words, **more):
        act(*words, **more)
        raise KeyboardInterrupt

    return done


def test_ctrl_c_before_registering_says_that_nothing_was_registered(discreet, folder, monkeypatch):
    monkeypatch.setattr("discreet.curator.office.seen_of", pressed)
    shown = discreet("register", "people.toml")
    assert (shown.code, shown.out) == (130, "")
    assert shown.err == "\ninterrupted; nothing was registered\n"
    assert not (folder / ".discreet").exists()


def test_ctrl_c_after_registering_says_that_it_was(discreet, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(registry, "register", press_after(registry.register))
        shown = discreet("register", "people.toml")
    assert (shown.code, shown.err) == (130, "\ninterrupted; people was registered\n")
    assert "registered already" in discreet("register", "people.toml").out


def test_ctrl_c_while_what_is_registered_is_registered_again_changes_nothing(people, monkeypatch):
    monkeypatch.setattr("discreet.curator.office.seen_of", pressed)
    assert people("register", "people.toml").err == "\ninterrupted; nothing was registered\n"


@pytest.mark.parametrize(("where", "said"), [("before", "no version was begun"), ("after", "version 2 was begun")])
def test_ctrl_c_in_a_new_version_says_whether_it_was_begun(people, folder, monkeypatch, where, said):
    facts = folder / "people.toml"
    facts.write_text(facts.read_text(encoding="utf-8").replace("[table]", '[table]\nversion = "2"'), encoding="utf-8")
    (folder / "people.csv").write_text("Age,Sex,Note\n30,1,x\n", encoding="utf-8")
    if where == "before":
        monkeypatch.setattr("discreet.curator.office.seen_of", pressed)
    else:
        monkeypatch.setattr(registry, "new_version", press_after(registry.new_version))
    shown = people("version", "new", "people.toml", "--reason", "new rows")
    assert (shown.code, shown.out, shown.err) == (130, "", f"\ninterrupted; {said}\n")
