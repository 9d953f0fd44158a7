"""The code of the page on a user's own tables runs."""

import pytest

from tests.doc_code import DOCS, code_of

PAGE = "own-tables.rst"


def test_the_output_of_the_example_matches_the_page(capsys):
    names = {}
    exec(code_of(PAGE), names)
    message = capsys.readouterr().out.strip().splitlines()
    page = (DOCS / PAGE).read_text("utf-8").split("The last lines print::\n")[1]
    assert message == [
        line.strip() for line in page.split("\nWhat becomes")[0].strip().splitlines()
    ]
    assert {*names["answers"]} <= {"no", "yes"}
    assert names["encoder"].transform(names["february"]).shape == (2, 8)


def test_a_column_transformer_gets_the_frames():
    pytest.importorskip("pandas")
    names = {}
    for number in (2, 3):
        exec(code_of(PAGE, number), names)
    assert names["bagging"].predict(names["shop"]).shape == (4,)


def test_the_wrapped_steps_run():
    names = {}
    exec(code_of(PAGE, 4), names)
    for model in (names["fixed"], names["moving"]):
        assert model.predict(names["batch"].X).shape == (100,)
