"""The code of the page on inspection runs."""

from tests.doc_code import code_of

PAGE = "inspecting.rst"


def test_the_questions_have_the_answers_that_the_page_promises(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for number in range(1, 6):
        exec(code_of(PAGE, number), names)
    assert names["inspection"].table("importances")["feature"][0] == "size"
    assert names["lost"].columns == ["feature", "importance", "spread"]
    assert names["why"].labels.tolist() == ["yes"] and len(names["rows"]) == 10
    first = names["drift"].to_dicts()[0]
    assert (first["feature"], first["since"]) == ("price", 5000)
    assert names["drift"]["since"].tolist()[1:] == [None, None]
    assert (tmp_path / "model.html").stat().st_size > 10_000
    assert "colour is 'red'" in capsys.readouterr().out
