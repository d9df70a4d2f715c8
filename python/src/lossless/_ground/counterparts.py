"""Replacements for what W&B has and this package lacks, for the warning."""

from __future__ import annotations

_FILES = "save_artifact saves files and directories"
_LOGGED = "log() records numbers and texts, annotate() notes"
_GRADIENTS = 'log the numbers that matter, as log({"gradient_norm": norm})'
_READ = "lossless.Reader reads recorded data"
_KEYS = "the address and the key are LOSSLESS_URL and LOSSLESS_API_KEY, or the sign-in of `lossless login`"
_CALLBACKS = "lossless.integrations has callbacks for Lightning, transformers, Keras, XGBoost and LightGBM"

_INSTEAD = {
    # Attributes of the module `wandb` and of its runs.
    "watch": _GRADIENTS,
    "unwatch": _GRADIENTS,
    "hook_torch": _GRADIENTS,
    "download": "run.use_artifact(artifact).download() fetches one that was logged",
    "new_draft": "download() its files and add_dir() them to another Artifact",
    "restore": "lossless.load_artifact fetches files that were saved",
    "status": _READ,
    "history": _READ,
    "use_run": _READ,
    "write_logs": "annotate() notes a text",
    "display": _READ,
    "to_html": _READ,
    "sync_dir": "run.directory is where the recording waits on this machine",
    "mark_preempting": "a process that ends without finish() is recorded as failed, and init with its id continues it",
    "pin_config_keys": "the whole config is recorded",
    # Arguments of init.
    "save_code": "run.log_code() saves the script's files",
    "monitor_gym": "log a film as Video(path)",
    "entity": "the key decides the organization",
    # Modules and their contents.
    "controller": "sweep() and agent() in one script go through a grid, or draw values",
    "agents": "sweep() and agent() in one script go through a grid, or draw values",
    "launch": "call the training yourself",
    "docker": "lossless serve starts the service",
    "env": _KEYS,
    "InternalApi": _READ,
    "PublicApi": _READ,
    "apis": _READ,
    "api": _READ,
    "analytics": _READ,
    "sync": "lossless sync sends recordings that wait on this machine",
    "gym": "log the numbers of an episode when it ends",
    "visualize": _LOGGED,
    "Molecule": _FILES,
    "Object3D": _FILES,
    "Bokeh": _FILES,
    "Graph": _FILES,
    "Classes": "put the names of classes into the config",
    "BoundingBoxes2D": "draw boxes into the picture before it is logged",
    "ImageMask": "draw masks into the picture before it is logged",
    "WBTraceTree": "annotate() notes a text, its meta holds up to 64 KiB of JSON",
    "beta": _LOGGED,
    "prodigy": _FILES,
    "workflows": _FILES,
    "ttl": "nothing that was saved is removed by itself",
    "incremental": "download() the files of the version before, and add_dir() them",
    "ArtifactTTL": "nothing that was saved is removed by itself",
    "JoinedTable": "join the rows before the table is logged",
    "PartitionedTable": "log the whole table",
    "WandbCallback": _CALLBACKS,
    "Callback": _CALLBACKS,
    "callbacks": _CALLBACKS,
    "fastai": _CALLBACKS,
    "tensorflow": _CALLBACKS,
    "tensorboard": "init(sync_tensorboard=True) records TensorBoard's events",
    "sagemaker_auth": _KEYS,
}


def instead_of(name: str) -> str:
    """Suggests a replacement for `name`, whatever it belongs to; empty where none is known."""
    found = _INSTEAD.get(name)
    return "" if found is None else f"; {found}"
