"""
`wandb.xgboost.WandbCallback` and the like: the callbacks of `lossless.integrations` under W&B's
names. Unused arguments cause a warning, and their errors never end a training.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from .._ground.counterparts import instead_of
from .._ground.signal_handlers import is_of_signal_handler
from .._ground.unsupported import Unsupported, unsupported_class
from .._ground.wandb_names import FRAMEWORKS
from .._ground.warning import warn
from .._media.media import Table
from .._recording.current import current
from .plots import Plots
from .sklearn_plots import SklearnPlots

# Results of hooks that fail: XGBoost and CatBoost take some results for a request to stop.
_ANSWERS: dict[str, Callable[..., Any]] = {
    "before_training": lambda model: model,
    "after_training": lambda model: model,
    "before_iteration": lambda *_: False,
    "after_iteration": lambda *_: False,
    "_on_step": lambda: True,
}
_HOOKS = (*_ANSWERS, "__call__")


class Framework:
    """Stands in for `wandb.keras`, `wandb.integration.keras` and the like."""

    def __init__(self, name: str, path: str) -> None:
        self._name = name
        self._path = path
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        if name not in self._made:
            self._made[name] = self._found(name)
        return self._made[name]

    def _found(self, name: str) -> Any:
        path = f"{self._path}.{name}"
        if self._name == "integration":
            if name == "sklearn":
                return SklearnPlots()
            return Framework(name, path) if name in FRAMEWORKS else Unsupported(path, hint=instead_of(name))
        make = _MAKERS.get((self._name, name))
        if make is None:
            return Unsupported(path, hint=instead_of(name) or instead_of("WandbCallback"))
        try:
            return make(path)
        except ImportError:
            # A missing framework cannot train anything.
            return unsupported_class(name)

    def __repr__(self) -> str:
        return f"<lossless: {self._path}>"


def guarded(own: type[Any]) -> type[Any]:
    """
    Keeps a hook's exceptions from the framework, except those of the script's signal handlers.
    """
    for name in dir(own):
        if (name.startswith("on_") or name in _HOOKS) and callable(getattr(own, name)):
            setattr(own, name, _guarded(getattr(own, name), name))
    return own


def _guarded(hook: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(hook)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return hook(self, *args, **kwargs)
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            what = f"{type(self).__name__}.{name}"
            warn(f"{what} {type(error).__name__}", f"{what} failed: {error!r}; the training goes on")
            answer = _ANSWERS.get(name)
            return None if answer is None else answer(*args, *kwargs.values())

    return called


def told(path: str, arguments: dict[str, Any]) -> None:
    """Warns once for each argument that requests something."""
    for name, value in arguments.items():
        if value is not None and value is not False:
            warn(f"{path}.{name}", f"{path}({name}=…) has no counterpart and is ignored")


def _xgboost(path: str) -> Any:
    base = import_module("..integrations.xgboost", __package__).LosslessCallback

    def begin(
        self: Any,
        log_model: Any = False,
        log_feature_importance: Any = True,
        importance_type: Any = "gain",
        define_metric: Any = True,
        **others: Any,
    ) -> None:
        told(path, others)
        base.__init__(self)
        self.wanted = (log_model, importance_type if log_feature_importance else None)

    def after_training(self: Any, model: Any) -> Any:
        run = current()
        base.after_training(self, model)
        # A cross-validation has a pack of models.
        if run is not None and hasattr(model, "get_score"):
            _log_booster(run, model, *self.wanted)
        return model

    own = {"__init__": begin, "after_training": after_training, "__module__": "lossless"}
    return guarded(type("WandbCallback", (base,), own))


def _log_booster(run: Any, model: Any, log_model: Any, importance_type: Any) -> None:
    if importance_type is not None:
        _log_importances(run, model.get_score(importance_type=importance_type).items())
    if model.attr("best_score") is not None:
        best = {"best_score": float(model.attr("best_score")), "best_iteration": int(model.attr("best_iteration"))}
        run.log(best)
    if log_model:
        file = os.path.join(run.dir, f"{run.id}_model.json")
        model.save_model(file)
        run.log_artifact(file, f"{run.id}_model.json", "model")


def _log_importances(run: Any, importances: Iterable[tuple[Any, Any]]) -> None:
    rows = [[str(name), float(each)] for name, each in importances]
    table = Table(columns=["Feature", "Importance"], data=rows)
    run.log({"Feature Importance": Plots().bar(table, "Feature", "Importance", title="Feature Importance")})


def _lightgbm(path: str) -> Any:
    base = import_module("..integrations.lightgbm", __package__).LosslessCallback
    own = guarded(type("WandbCallback", (base,), {"__module__": "lossless"}))

    def wandb_callback(*_args: Any, log_params: Any = True, define_metric: Any = True, **others: Any) -> Any:
        told(path, others)
        return own()

    return wandb_callback


def _lightgbm_summary(path: str) -> Any:
    def log_summary(
        model: Any = None, feature_importance: bool = True, save_model_checkpoint: bool = False, *_: Any, **__: Any
    ) -> None:
        run = current()
        if run is None:
            return warn(path, f"{path} before init(): nothing is recorded")
        try:
            run.summary["best_iteration"] = model.best_iteration
            run.summary["best_score"] = {name: dict(scores) for name, scores in model.best_score.items()}
            if feature_importance:
                _log_importances(run, zip(model.feature_name(), model.feature_importance()))
            if save_model_checkpoint:
                file = os.path.join(run.dir, f"model_ckpt_{model.best_iteration}.txt")
                model.save_model(file, num_iteration=model.best_iteration)
                run.log_artifact(file, f"model_{run.id}", "model", ["best"])
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            warn(path, f"{path} failed: {error!r}; the training goes on")

    return log_summary


def _log_summary(path: str) -> Any:
    def log_summary(*_args: Any, **_kwargs: Any) -> None:
        warn(
            path, f"{path} records nothing: the importance of features may be logged, the model be saved as an artifact"
        )

    return log_summary


def _keras(path: str) -> Any:
    """Records numbers of epochs; `log_freq` and `log_batch_frequency` add those of batches."""
    base = import_module("..integrations.keras", __package__).LosslessCallback
    is_logger = path.endswith("WandbMetricsLogger")

    def begin(self: Any, *args: Any, **others: Any) -> None:
        every = others.pop("log_freq" if is_logger else "log_batch_frequency", None)
        every = args[0] if is_logger and args else every
        # Default values of these request nothing.
        for name in ("monitor", "mode", "verbose", "initial_global_step", "save_model"):
            others.pop(name, None)
        told(path, others)
        base.__init__(self, every_batches=1 if every == "batch" else every if type(every) is int else 0)

    def on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        base.on_epoch_end(self, epoch, {**(logs or {}), **(_learning_rate(self) if is_logger else {})})

    own = {"__init__": begin, "on_epoch_end": on_epoch_end, "__module__": "lossless"}
    return guarded(type(path.rpartition(".")[2], (base,), own))


def _learning_rate(callback: Any) -> dict[str, float]:
    """Returns the present one, by its name; nothing where the optimizer has none."""
    rate = getattr(getattr(getattr(callback, "model", None), "optimizer", None), "learning_rate", None)
    if rate is None:
        return {}
    return {"learning_rate": float(rate.numpy() if hasattr(rate, "numpy") else rate)}


def _keras_evaluation(path: str) -> Any:
    """A base class; the script implements what it does."""
    keras = import_module("..integrations.keras", __package__).keras

    def begin(self: Any, *_args: Any, **_kwargs: Any) -> None:
        keras.callbacks.Callback.__init__(self)
        warn(path, f"{path} logs no tables; log one with log() in a callback of your own")

    return type("WandbEvalCallback", (keras.callbacks.Callback,), {"__init__": begin, "__module__": "lossless"})


def _keras_checkpoint(path: str) -> Any:
    """Keras' own class, which writes the files."""
    base = getattr(import_module("..integrations.keras", __package__).keras.callbacks, "ModelCheckpoint", None)
    if base is None:
        raise ImportError(path)
    names = ("filepath", "monitor", "verbose", "save_best_only", "save_weights_only", "mode", "save_freq")

    def begin(self: Any, *args: Any, **others: Any) -> None:
        known = {**dict(zip(names, args)), **{name: others.pop(name) for name in names if name in others}}
        told(path, others)
        base.__init__(self, **known)

    def save(self: Any, epoch: Any, batch: Any, logs: Any) -> None:
        base._save_model(self, epoch, batch, logs)
        run, file = current(), self._get_file_path(epoch, batch, logs)
        # The file was written just now, if it was the best.
        if run is not None and os.path.exists(file) and os.stat(file).st_mtime_ns != self.__dict__.get("_logged_ns"):
            self.__dict__["_logged_ns"] = os.stat(file).st_mtime_ns
            run.log_artifact(file, f"run_{run.id}_model", "model", [f"epoch_{int(epoch) + 1}"])

    return guarded(type("WandbModelCheckpoint", (base,), {"__init__": begin, "_save_model": save}))


def _catboost(path: str) -> Any:
    """CatBoost only calls `after_iteration`, and stops when its result is false."""

    class WandbCallback:
        def __init__(self, *_args: Any, **_kwargs: Any) -> None: ...

        def after_iteration(self, info: Any) -> bool:
            try:
                run = current()
                if run is None:
                    warn(path, f"{path} before init(): nothing is recorded")
                else:
                    metrics = info.metrics.items()
                    values = {f"{data}/{name}": each[-1] for data, of in metrics for name, each in of.items()}
                    run.log(values, info.iteration)
            except Exception as error:
                if is_of_signal_handler(error):
                    raise
                warn(path, f"{path} failed: {error!r}; the training goes on")
            return True

    return WandbCallback


class _OfStableBaselines:
    """
    Records the attributes of the algorithm, and saves the model. Its numbers are those of
    Stable-Baselines' own event files, which `sync_tensorboard=True` follows.
    """

    _path: str
    # Set by Stable-Baselines.
    model: Any
    n_calls: int

    def __init__(
        self,
        verbose: int = 0,
        model_save_path: Any = None,
        model_save_freq: int = 0,
        gradient_save_freq: int = 0,
        log: Any = "all",
        **others: Any,
    ) -> None:
        super().__init__(verbose if type(verbose) is int else 0)  # type: ignore[call-arg]
        told(self._path, {"gradient_save_freq": gradient_save_freq or None, **others})
        self._directory = None if model_save_path is None else os.fspath(model_save_path)
        self._every = model_save_freq

    def _init_callback(self) -> None:
        run = current()
        if run is None:
            return warn(self._path, f"{self._path} before init(): nothing is recorded")
        own = {name: each if type(each) in (float, int, str) else str(each) for name, each in vars(self.model).items()}
        run.config.setdefaults({"algo": type(self.model).__name__, **own})

    def _on_step(self) -> bool:
        if self._every > 0 and self.n_calls % self._every == 0:
            self._save()
        return True

    def _on_training_end(self) -> None:
        self._save()

    def _save(self) -> None:
        run = current()
        if self._directory is not None and run is not None:
            os.makedirs(self._directory, exist_ok=True)
            file = os.path.join(self._directory, "model.zip")
            self.model.save(file)
            run.log_artifact(file, f"run_{run.id}_model", "model")


def _sb3(path: str) -> Any:
    base = import_module("stable_baselines3.common.callbacks").BaseCallback
    hooks = {
        name: _guarded(getattr(_OfStableBaselines, name), name)
        for name in ("_init_callback", "_on_step", "_on_training_end")
    }
    return type("WandbCallback", (_OfStableBaselines, base), {**hooks, "_path": path, "__module__": "lossless"})


_MAKERS: dict[tuple[str, str], Callable[[str], Any]] = {
    ("xgboost", "WandbCallback"): _xgboost,
    # Name in older scripts.
    ("xgboost", "wandb_callback"): lambda path: lambda *_args, **_kwargs: _xgboost(path)(),
    ("lightgbm", "wandb_callback"): _lightgbm,
    ("lightgbm", "log_summary"): _lightgbm_summary,
    ("catboost", "log_summary"): _log_summary,
    ("catboost", "WandbCallback"): _catboost,
    ("keras", "WandbCallback"): _keras,
    ("keras", "WandbMetricsLogger"): _keras,
    ("keras", "WandbModelCheckpoint"): _keras_checkpoint,
    ("keras", "WandbEvalCallback"): _keras_evaluation,
    ("sb3", "WandbCallback"): _sb3,
}
