"""
Callbacks for frameworks. Each module needs its framework, and says so when it is absent:

    from lossless.integrations.lightning import LosslessLogger
    from lossless.integrations.transformers import LosslessCallback
    from lossless.integrations.keras import LosslessCallback
    from lossless.integrations.xgboost import LosslessCallback
    from lossless.integrations.lightgbm import LosslessCallback

All of them take an experiment that was begun before, or the arguments of `lossless.init`; what they
began they end.
"""
