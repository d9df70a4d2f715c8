import optuna
from _told import tell
from optuna_integration import WeightsAndBiasesCallback

callback = WeightsAndBiasesCallback("accuracy", wandb_kwargs={"project": "optuna"}, as_multirun=True)
study = optuna.create_study(direction="maximize")
names = []


@callback.track_in_wandb()
def objective(trial):
    import wandb

    names.append(wandb.run.slug)
    wandb.log({"power": 2})
    return trial.suggest_float("x", 0, 1)


study.optimize(objective, n_trials=3, callbacks=[callback])
tell(
    *(
        {
            "name": name,
            "points": {
                "power": [[0, 2.0]],
                "x": [[trial.number, trial.params["x"]]],
                "accuracy": [[trial.number, trial.value]],
                "trial_number": [[trial.number, float(trial.number)]],
            },
            "config": {"x": trial.params["x"], "direction": ["MAXIMIZE"]},
        }
        for name, trial in zip(names, study.trials)
    )
)
