"""
Names in W&B's module and runs (0.31, and older scripts). Each does nothing here, or what `_wandb`
implements; among other names, one similar to a name of ours is taken for a misspelling.
"""

from __future__ import annotations

# The version of W&B's package whose names these are, for libraries that ask for one.
VERSION = "0.31.0"

MODULES = frozenset(
    (
        "agents analytics apis automations beta callbacks catboost cli compat core data_types "
        "docker env errors "
        "fastai filesync gym integration integrations jupyter keras lightgbm mpmain old plot plots "
        "prodigy profiler "
        "proto sacred sandbox sb3 sdk sklearn sync tensorboard tensorflow testing trigger util "
        "vendor viz wandb_agent "
        "wandb_controller wandb_lib wandb_run wandb_sdk wandb_torch workflows xgboost"
    ).split()
)

OF_MODULE = MODULES | frozenset(
    (
        # Functions and values.
        "agent alert api attach box3d controller define_metric ensure_configured finish "
        "generate_id helper hook_torch "
        "init join link_artifact link_model log_artifact log_code log_model login mark_preempting "
        "patched "
        "pin_config_keys plot_table require restore sagemaker_auth save set_trace setup summary "
        "sweep teardown "
        "termerror termlog termsetup termwarn unwatch use_artifact use_model visualize watch "
        # Classes, also of its modules.
        "AlertLevel Api Artifact ArtifactTTL Audio AuthenticationError Bokeh BoundingBoxes2D "
        "Callback Classes "
        "CommError Config Error EvalTable Graph Histogram Html Image ImageMask InternalApi "
        "JoinedTable LaunchError "
        "Media Molecule Node Object3D PartitionedTable Plotly PublicApi Run Settings Summary Table "
        "UnsupportedError "
        "UsageError Video WBTraceTree WBValue WandbCallback Unsupported"
    ).split()
)

# Modules whose callbacks are implemented in _wandb/callbacks.py.
FRAMEWORKS = frozenset({"xgboost", "lightgbm", "keras", "catboost", "sb3", "integration"})

OF_RUNS = frozenset(
    "display history mark_preempting pin_config_keys plot_table restore status sync_dir "
    "to_html unwatch "
    "use_run watch write_logs".split()
)
