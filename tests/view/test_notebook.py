"""A real notebook: a kernel runs its cells, the view appears in the output, and the page behind it answers."""

import re
import urllib.request

import nbclient
import nbformat
import pytest

from gelenk.view.server import PAGE
from view.pages import LONG, Page

pytestmark = pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")

MODEL = """
import gelenk as gk

b = gk.Builder(name="notebook")
b.body("ball", shape=gk.Sphere(0.2), at=(0, 0, 2), density=1000, velocity=(0, 0, 3))
sim = gk.Simulation(b.build(), gk.FreeMotion(h=1e-3))
"""


class Cell:
    """Where a view says that it is; what a page of the tests needs to know."""

    def __init__(self, address):
        self.address = address


@pytest.fixture
def kernel():
    """A kernel with a function that runs a cell and gives its outputs."""
    book = nbformat.v4.new_notebook()
    client = nbclient.NotebookClient(book, timeout=120, kernel_name="python3")

    def run(source):
        book.cells.append(nbformat.v4.new_code_cell(source))
        client.execute_cell(book.cells[-1], len(book.cells) - 1)
        return book.cells[-1].outputs

    with client.setup_kernel():
        yield run


def pages_in(outputs):
    html = "".join(output.get("data", {}).get("text/html", "") for output in outputs)
    return re.findall(r'<iframe src="(http://127\.0\.0\.1:\d+/[^"]*)"', html)


def test_a_view_in_a_cell_is_shown_and_its_page_answers(kernel):
    assert kernel(MODEL) == []
    outputs = kernel("view = gk.view(sim)\nview")
    (address,) = pages_in(outputs)
    assert not [output for output in outputs if output.output_type == "stream"], "nothing beside the page"
    with urllib.request.urlopen(address, timeout=LONG) as answer:
        assert answer.status == 200
        assert b'id="stage"' in answer.read()
    with Page(Cell(address)) as page:
        page.until(lambda: page.status["run"] == "playing" and page.status["time"] > 0.05)
        assert [node["name"] for node in page.newest["scene"]["nodes"]] == ["world", "ball"]
        (told,) = kernel("print(view.sim.time > 0.05)")
        assert told.text == "True\n", "the kernel is free while it plays"
    kernel("view.close()")
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=LONG)


def test_the_value_of_a_cell_is_the_view(kernel):
    """Without a name, as one tries things out."""
    kernel(MODEL)
    assert len(pages_in(kernel("gk.view(sim, playing=False)"))) == 1
