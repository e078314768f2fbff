"""Both methods that know contact."""

import pytest

import gelenk as gk


@pytest.fixture(params=[gk.RowStepping, gk.Impulse], ids=lambda m: m.kind)
def method(request):
    """A class of methods."""
    return request.param
