"""The table of common mistakes, which the tests compare with the messages, as a page."""

from pathlib import Path

HERE = Path(__file__).parents[1]
HEAD = """
.. list-table::
   :header-rows: 1
   :widths: 45 55

   * - mistake
     - error message"""


def write_mistakes():
    """Write the tables that docs/mistakes.rst includes."""
    lines = []
    table = (HERE.parent / "tests" / "mistakes.txt").read_text("utf-8")
    for paragraph in table.strip().split("\n\n"):
        if paragraph.startswith("=="):
            title = paragraph.strip("= ")
            lines += ["", title, "-" * len(title), HEAD]
        else:
            _, how, message = paragraph.split("\n")
            how = how.removeprefix("> ").removeprefix("$ ")
            lines += [f"   * - ``{how}``", f"     - ``{message}``"]
    (HERE / "generated").mkdir(exist_ok=True)
    (HERE / "generated" / "mistakes.txt").write_text("\n".join(lines), "utf-8")
