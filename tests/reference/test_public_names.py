"""`import nrverify` is light, and every public name is found where it is promised."""

import subprocess
import sys
from importlib.metadata import version

import pytest

import nrverify


def test_every_public_name_is_there_and_listed():
    for name in nrverify.__all__:
        assert getattr(nrverify, name) is not None
        assert name in dir(nrverify)
    assert nrverify.__version__ == version("nrverify")


def test_importing_nrverify_does_not_import_numpy():
    code = (
        "import sys, nrverify; dir(nrverify); assert 'numpy' not in sys.modules\n"
        "nrverify.simulate; assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_reference_mechanisms_never_import_the_laws():
    code = (
        "import sys, pkgutil, importlib, nrverify.reference as r\n"
        "[importlib.import_module(m.name) for m in pkgutil.walk_packages(r.__path__, 'nrverify.reference.')]\n"
        "assert 'nrverify.reference.reverse_steps' in sys.modules\n"
        "assert not [m for m in sys.modules if m.startswith('nrverify.laws')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = nrverify.nothing
