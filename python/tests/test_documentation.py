"""Every public name is documented in the sections of numpydoc, and the
examples are right."""
import doctest
import inspect
import re

import pytest

import tessera
from tessera import _library, dictionary, learners, learning, pictures

PUBLIC = {name: getattr(tessera, name) for name in tessera.__all__}
METHODS = {f"{name}.{key}": getattr(thing, key)
           for name, thing in PUBLIC.items() if inspect.isclass(thing)
           for base in thing.__mro__ if base.__module__.startswith("tessera")
           for key, value in vars(base).items()
           if not key.startswith("_") and (
               inspect.isfunction(value) or isinstance(value, classmethod))}


def sections(thing):
    """The parts of a docstring, by their underlined titles."""
    parts = re.split(r"^(\w+)\n-+\n", inspect.getdoc(thing) or "", flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def names(section):
    """The names that a section describes, those of one line separated by
    commas."""
    lines = re.findall(r"^(\S[^:\n]*)", section, flags=re.M)
    return [name.strip(" *") for line in lines for name in line.split(",")]


def parameters(thing):
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return ["args"]
    return [name for name in inspect.signature(thing).parameters
            if name != "self"]


def check_parameters(thing):
    said = names(sections(thing).get("Parameters", ""))
    assert said == parameters(thing)


def check_returns(thing):
    nothing = inspect.signature(thing).return_annotation in (None, "None")
    assert nothing != bool(sections(thing).get("Returns", "").strip())


@pytest.mark.parametrize("name", PUBLIC)
def test_names(name):
    thing = PUBLIC[name]
    check_parameters(thing)
    if not inspect.isclass(thing):
        check_returns(thing)
    assert ">>>" in sections(thing)["Examples"]


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    check_parameters(METHODS[name])
    check_returns(METHODS[name])


@pytest.mark.parametrize("module", [tessera, _library, dictionary, learners,
                                    learning, pictures])
def test_examples(module):
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 0
