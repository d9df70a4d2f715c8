"""
Sweeps of scripts for W&B, in one process: `agent` overrides the config of the next `init` with
chosen values and calls the script's function. A grid is enumerated; for all other methods values
are drawn.
"""

from __future__ import annotations

import copy
import itertools
import math
import random
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from .._ground.fresh_word import fresh_word
from .._ground.ranks import ranks_of_launch
from .._ground.signal_handlers import is_of_signal_handler
from .._ground.warning import say, warn
from .._recording import current

_UNKNOWN = "no-sweep"
# Failures after which it gives up, as W&B's agent does: a function that never trains would be
# called for ever.
_FAILURES_MAX = 5


class _Parameter(NamedTuple):
    # Its place in the config.
    path: tuple[str, ...]
    # All its values, where they can be counted.
    values: list[Any] | None
    draw: Callable[[random.Random], Any]


class Sweep:
    """A sweep. Raises ValueError, or what its values raise, for invalid definitions."""

    def __init__(self, said: Mapping[str, Any], project: str | None) -> None:
        self.id = fresh_word(8)
        self.project = project or said.get("project")
        self.method = str(said.get("method", "random"))
        self.most = said.get("run_cap")
        self._parameters = list(_parameters(said.get("parameters") or {}, ()))
        if self.method not in ("grid", "random", "bayes"):
            raise ValueError(f"method is grid, random or bayes, not {self.method!r}")
        for each in self._parameters:
            if self.method == "grid" and each.values is None:
                raise ValueError(f"a grid needs a list of values for {'.'.join(each.path)}")
        next(self.choices())
        # Choices are not repeated: each `agent` continues after the one before it.
        self._left = self.choices()
        self._given = 0

    def left(self, count: int | None) -> Iterator[dict[str, Any]]:
        """Yields the next choices, at most `count`, and over all calls at most `run_cap`."""
        caps = [] if count is None else [int(count)]
        caps += [] if self.most is None else [int(self.most) - self._given]
        for values in itertools.islice(self._left, max(0, min(caps)) if caps else None):
            self._given += 1
            yield values

    def choices(self) -> Iterator[dict[str, Any]]:
        """Yields choices, each a part of a config."""
        paths = [each.path for each in self._parameters]
        if self.method == "grid":
            for values in itertools.product(*(each.values or [] for each in self._parameters)):
                yield _nested(zip(paths, values))
            return
        # Its own source: a script that seeds the module's would get the same values each time.
        source = random.Random()
        while True:
            yield _nested(zip(paths, [each.draw(source) for each in self._parameters]))


_sweeps: dict[str, Sweep] = {}


def sweep(sweep: Any = None, entity: Any = None, project: str | None = None, *_args: Any, **_others: Any) -> str:
    """Keeps a sweep for `agent` of this process, and returns its id."""
    try:
        said = cast("Mapping[str, Any]", sweep() if callable(sweep) else sweep)
        made = Sweep(said, project)
        ends_early = said.get("early_terminate")
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        reason = "it has no parameters" if isinstance(error, StopIteration) else str(error) or type(error).__name__
        warn("sweep", f"this sweep cannot be understood, and agent() will call nothing: {reason}")
        return _UNKNOWN
    if made.method == "bayes":
        warn("sweep bayes", "'bayes' does not learn from runs here: values are drawn at random, as by 'random'")
    if ends_early:
        warn("sweep early_terminate", "early_terminate is not supported: each run goes on to its end")
    _sweeps[made.id] = made
    return made.id


def agent(
    sweep_id: Any = None,
    function: Callable[[], Any] | None = None,
    entity: Any = None,
    project: str | None = None,
    count: int | None = None,
    *_args: Any,
    **_others: Any,
) -> None:
    """
    Calls the function once for each choice; a grid ends, others continue up to `count`. An
    exception of the function is printed, and the next choice follows; Ctrl-C passes through. A
    sweep unknown to this process calls nothing, which is reported on each call, past all filters of
    warnings.
    """
    found = _sweeps.get(str(sweep_id).rpartition("/")[2])
    if found is None or not callable(function):
        why = "no function was given" if found is not None else f"this process has no sweep {str(sweep_id)!r}"
        say(
            f"lossless: NOTHING WAS TRAINED: {why}, and there is no sweep controller here. Call sweep() and "
            "agent() in one script, or call the training yourself, once for each set of values, with init(config=…)."
        )
        return
    if found.method != "grid" and ranks_of_launch()[1] > 1:
        warn(
            "sweep ranks",
            "each rank would draw its own values: call agent() before ranks are launched, or make it a grid",
        )
    failures = 0
    values: dict[str, Any] | None = None
    for values in found.left(count):
        swept = current.Swept(values, found.id, found.project or project)
        failures = 0 if _is_trained(function, swept) else failures + 1
        if failures == _FAILURES_MAX:
            say(f"lossless: sweep {found.id} ends: {failures} runs in a row have failed")
            return
    if values is None and count != 0:
        say(f"lossless: sweep {found.id} has no choices left: sweep() begins a new one")


def _is_trained(function: Callable[[], Any], swept: current.Swept) -> bool:
    """Whether the function has used the values and returned; its run is then finished."""
    name = getattr(function, "__name__", "the function")
    say(f"lossless: sweep {swept.sweep_id}: {name} with {swept.values}")
    current.choose_next(swept)
    try:
        function()
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        say(traceback.format_exc(), end="")
        _finish(swept, 1)
        return False
    finally:
        unused = current.chosen()
    _finish(swept, None)
    if unused is not None:
        warn(f"sweep {swept.sweep_id}", f"{name} called no init(): it has not seen the values of the sweep")
    return unused is None


def _finish(swept: current.Swept, exit_code: int | None) -> None:
    """Finishes the run that has the values; other runs of the script continue."""
    if swept.experiment is not None:
        swept.experiment.finish(exit_code)


def _parameters(said: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[_Parameter]:
    for name, each in said.items():
        own = (*path, str(name))
        if not isinstance(each, Mapping):
            raise ValueError(f"the parameter {'.'.join(own)} is a mapping, with values, or min and max")
        if "parameters" in each:
            yield from _parameters(each["parameters"], own)
        else:
            yield _parameter(own, each)


def _parameter(path: tuple[str, ...], said: Any) -> _Parameter:
    if "value" in said or "values" in said:
        values = copy.deepcopy(list(said["values"]) if "values" in said else [said["value"]])
        weights = said.get("probabilities")
        return _Parameter(path, values, lambda source: source.choices(values, weights)[0])
    low, high = said.get("min"), said.get("max")
    if "uniform" in str(said.get("distribution", "uniform")) and (low is None or high is None):
        raise ValueError(f"the parameter {'.'.join(path)} has values, or min and max")
    are_whole = isinstance(low, int) and isinstance(high, int)
    kind = str(said.get("distribution") or ("int_uniform" if are_whole else "uniform"))
    counted = list(range(low, high + 1)) if kind == "int_uniform" and are_whole and high - low < 10_000 else None
    draw = _drawn(kind.removeprefix("q_"), said)
    if draw is None:
        raise ValueError(f"{'.'.join(path)} has the distribution {kind!r}, which is not supported")
    if not kind.startswith("q_"):
        return _Parameter(path, counted, draw)
    unit = said.get("q", 1)
    return _Parameter(path, None, lambda source: round(draw(source) / unit) * unit)


def _drawn(kind: str, said: Any) -> Callable[[random.Random], Any] | None:
    low, high = said.get("min"), said.get("max")
    middle, spread = said.get("mu", 0), said.get("sigma", 1)
    kinds: dict[str, Callable[[random.Random], Any]] = {
        "int_uniform": lambda source: source.randint(low, high),
        "uniform": lambda source: source.uniform(low, high),
        "normal": lambda source: source.gauss(middle, spread),
        "log_normal": lambda source: source.lognormvariate(middle, spread),
        # Its ends are exponents; those of the next two are values.
        "log_uniform": lambda source: math.exp(source.uniform(low, high)),
        "log_uniform_values": lambda source: math.exp(source.uniform(math.log(low), math.log(high))),
    }
    kinds["inv_log_uniform_values"] = kinds["log_uniform_values"]
    return kinds.get(kind)


def _nested(pairs: Iterable[tuple[tuple[str, ...], Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, value in pairs:
        inner = found
        for name in path[:-1]:
            inner = inner.setdefault(name, {})
        # The config of a run may be changed, and the values belong to others, too.
        inner[path[-1]] = copy.deepcopy(value)
    return found
