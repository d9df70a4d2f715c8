"""
Callbacks for frameworks. Each module requires its framework, and raises ImportError without it:

    from lossless.integrations.lightning import LosslessLogger
    from lossless.integrations.transformers import LosslessCallback
    from lossless.integrations.keras import LosslessCallback
    from lossless.integrations.xgboost import LosslessCallback
    from lossless.integrations.lightgbm import LosslessCallback

All of them take a running experiment, or the arguments of `lossless.init`; they end the experiments
that they began.
"""
