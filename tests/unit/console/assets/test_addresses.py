import doctest

import pytest

from console.assets import addresses, way
from console.assets.addresses import asset_page, file_address, ingest_output, ingest_source


@pytest.mark.parametrize("module", [addresses, way])
def test_the_examples_in_the_docstrings_hold(module):
    assert doctest.testmod(module).failed == 0


def test_no_id_or_name_leaves_its_place_in_an_address():
    hostile = "../../metrics?x=#y"
    quoted = "..%2F..%2Fmetrics%3Fx%3D%23y"
    assert asset_page(hostile) == f"/assets/{quoted}"
    assert ingest_source(hostile) == f"/media/{quoted}/source"
    assert ingest_output(hostile, "a/b", "x y?.m4s") == f"/media/{quoted}/a%2Fb/x%20y%3F.m4s"


def test_addresses_of_files_keep_how_ingest_wrote_them():
    assert file_address("/media/a-1/thumbnail/a%20b.jpg") == "/assets/a-1/files/thumbnail/a%20b.jpg"
