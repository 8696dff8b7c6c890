"""Describes the methods that the clients get from the functions of `_calls`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_args

_Method = TypeVar("_Method", bound=Callable[..., Any])


def described(method: _Method, build: Callable[..., Any], returned: Any = None) -> _Method:  # noqa: ANN401
    """The method of a client with the name, docstring and signature of the function that builds its operation.

    The signature returns the type of the answer, or with `returned`, such as `Iterator`, that generic type of it.

    `functools.wraps` does not serve: tools would take the first parameter of the function for `self`.
    """
    signature = inspect.signature(build, eval_str=True)
    *_, answer = get_args(signature.return_annotation)  # of an Operation its only argument, of a generator its last
    answer = answer if returned is None else returned[answer]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    parameters = [own, *signature.parameters.values()]
    method.__name__ = method.__qualname__ = build.__name__
    method.__doc__ = build.__doc__
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=answer
    )
    return method
