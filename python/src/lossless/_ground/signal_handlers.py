"""
Exceptions from the script's signal handlers, which may occur between any two of our instructions.
"""

from __future__ import annotations

import types
from typing import Any


def is_of_signal_handler(error: BaseException) -> bool:
    """
    Whether a signal handler raised it: then the script uses it to stop what it does (`raise
    Timeout`), and it must be passed on. Slow enough for errors only.
    """
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    if any(_is_called_as_handler(frame) for frame in frames):
        return True
    codes = _codes_of_handlers()
    return any(frame.f_code in codes for frame in frames)


def _is_called_as_handler(frame: types.FrameType) -> bool:
    """
    Whether it was called with a signal's number and a frame. The handlers now set do not tell: many
    unset themselves before they raise.
    """
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[: count + bool(code.co_flags & 0x04)]
    if not names:
        return False
    values: list[Any] = [frame.f_locals.get(name) for name in names]
    if code.co_flags & 0x04 and isinstance(values[-1], tuple):
        values[-1:] = values[-1][:3]
    return any(type(one) is int and isinstance(two, types.FrameType) for one, two in zip(values, values[1:]))


def _codes_of_handlers() -> set[types.CodeType]:
    import functools
    import signal

    codes = set()
    for number in signal.valid_signals():
        handler: Any = signal.getsignal(number)
        if handler is None or isinstance(handler, int):
            # SIG_DFL and SIG_IGN have no code.
            continue
        while isinstance(handler, functools.partial):
            handler = handler.func
        handler = getattr(handler, "__func__", handler)
        # A callable object runs the method of its class.
        method = handler if hasattr(handler, "__code__") else _call_of(type(handler))
        code = getattr(method, "__code__", None)
        if isinstance(code, types.CodeType):
            codes.add(code)
    return codes


def _call_of(kind: type) -> Any:
    """Returns the class's own `__call__`, not its metaclass's, which makes every class callable."""
    return next((vars(each)["__call__"] for each in kind.__mro__ if "__call__" in vars(each)), None)
