"""Random filters and orders over the same runs, asked of MLflow's own server and of ours."""

from __future__ import annotations

import os
import random
import unittest

import requests
from suite import fresh

SEED = int(os.environ["LOSSLESS_SEED"])
COUNT = int(os.environ["LOSSLESS_FILTERS"])


class Server:
    """One server, by its address, with the runs that are searched."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.session = requests.Session()
        self.session.headers["authorization"] = f"Bearer {os.environ['MLFLOW_TRACKING_TOKEN']}"
        name = fresh("filters")
        self.experiment = self.post("experiments/create", {"name": name})["experiment_id"]
        self.ids: dict[str, str] = {}

    def post(self, path: str, body: dict[str, object]) -> dict[str, object]:
        reply = self.session.post(f"{self.address}/api/2.0/mlflow/{path}", json=body)
        reply.raise_for_status()
        return reply.json()

    def write(self, at: int) -> None:
        """A run whose number says what it has; every third lacks some of it."""
        given = {"experiment_id": self.experiment, "start_time": 1_000 + at, "user_id": f"u{at % 3}"}
        run = self.post("runs/create", {**given, "run_name": f"r{at}"})["run"]["info"]["run_id"]
        self.ids[f"r{at}"] = run
        metrics = [("acc", at % 4 / 4), ("loss", 10.0 ** (at % 5 - 2)), ("a b", -at)]
        params = [("opt", ["adam", "sgd", "Adam", ""][at % 4]), ("lr", f"0.{at % 3}"), ("a b", "x%y")]
        tags = [("team", ["vision", "text", "VISION"][at % 3]), ("a.b", f"{at}"), ("mark", "_")]
        self.post(
            "runs/log-batch",
            {
                "run_id": run,
                "metrics": [
                    {"key": key, "value": value, "timestamp": 5, "step": 1}
                    for number, (key, value) in enumerate(metrics)
                    if (at + number) % 3 > 0
                ],
                "params": [
                    {"key": key, "value": value}
                    for number, (key, value) in enumerate(params)
                    if (at + number) % 4 > 0
                ],
                "tags": [
                    {"key": key, "value": value}
                    for number, (key, value) in enumerate(tags)
                    if (at + number) % 5 > 0
                ],
            },
        )
        if at % 3 == 0:
            dataset = {"name": f"set {at % 2}", "digest": f"d{at % 4}", "source_type": "local"}
            context = {"key": "mlflow.data.context", "value": ["train", "test"][at % 2]}
            inputs = [{"dataset": {**dataset, "source": "{}"}, "tags": [context]}]
            self.post("runs/log-inputs", {"run_id": run, "datasets": inputs})
        if at % 4 > 1:
            status = ["FINISHED", "FAILED"][at % 2]
            self.post("runs/update", {"run_id": run, "status": status, "end_time": 2_000 + at})

    def asked(self, filter_string: str, order: list[str], most: int) -> object:
        """The names that are found, in their order, or the code of a refusal."""
        for name, run in self.ids.items():
            filter_string = filter_string.replace(f"<{name}>", run)
        body = {"experiment_ids": [self.experiment], "filter": filter_string, "order_by": order}
        reply = self.session.post(
            f"{self.address}/api/2.0/mlflow/runs/search", json={**body, "max_results": most}
        )
        found = reply.json()
        if reply.status_code != 200:
            return (reply.status_code, found["error_code"])
        return [run["info"]["run_name"] for run in found.get("runs", [])]


class Filters(unittest.TestCase):
    maxDiff = None

    def test_both_find_the_same_or_refuse_alike(self) -> None:
        servers = [Server(address) for address in os.environ["LOSSLESS_SEARCHED"].split()]
        for server in servers:
            for at in range(14):
                server.write(at)
        writing = Writing(random.Random(SEED))
        refused = 0
        differences = []
        for number in range(COUNT):
            asked = (writing.filter(), writing.order(), writing.random.choice([5, 100]))
            first, *others = [server.asked(*asked) for server in servers]
            refused += isinstance(first, tuple)
            if any(other != first for other in others):
                differences.append((number, asked, first, *others))
        self.assertEqual([], differences[:20], f"seed {SEED}: {len(differences)} differ")
        self.assertGreater(COUNT - refused, refused, "most of the filters say something")


TEXTS = ["'adam'", "'sgd'", "'A%'", "'%d%'", "'_gd'", '"adam"', "''", "'x%y'", "'vision'", "'r1'", "'%'"]
NUMBERS = ["0.5", "0", "-3", ".25", "1e-1", "1000", "1005", "2006", "+1"]
ORDERS = ["=", "!=", ">", ">=", "<", "<="]
LIKES = ["=", "!=", "LIKE", "ILIKE", "like"]
NULLS = ["IS NULL", "IS NOT NULL", "is null"]


class Writing:
    """Makes filters as people write them, and some that they should not."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def filter(self) -> str:
        if self.random.random() < 0.05:
            return ""
        count = self.random.choice([1, 1, 2, 3])
        clauses = [self.clause() for _ in range(count)]
        text = self.random.choice([" AND ", " and ", "  And "]).join(clauses)
        return self.broken(text) if self.random.random() < 0.1 else text

    def clause(self) -> str:
        kind = self.random.choice([self.metric, self.text, self.text, self.attribute, self.dataset])
        return kind()

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def metric(self) -> str:
        entity = self.pick("metrics", "metric")
        key = self.pick("acc", "loss", "`a b`", '"acc"', "missing")
        value = self.pick(*NUMBERS) if self.random.random() < 0.95 else self.pick("'x'", "word")
        return f"{entity}.{key} {self.pick(*ORDERS)} {value}"

    def text(self) -> str:
        names = {
            ("params", "param", "parameters", "parameter"): ["opt", "lr", "`a b`", '"a b"', "no"],
            ("tags", "tag"): ["team", "`a.b`", "mark", "mlflow.runName", "`mlflow.user`", "a.b"],
        }
        entities = self.random.choice(list(names))
        field = f"{self.pick(*entities)}.{self.pick(*names[entities])}"
        chance = self.random.random()
        if chance < 0.2:
            return f"{field} {self.pick(*NULLS)}"
        if chance < 0.25:
            return f"{field} {self.pick('>', 'IN', '<=')} {self.pick(*TEXTS)}"
        value = self.pick(*TEXTS) if chance < 0.95 else self.pick(*NUMBERS, "word")
        return f"{field} {self.pick(*LIKES)} {value}"

    def attribute(self) -> str:
        prefix = self.pick("", "attributes.", "attr.", "run.", "attribute.")
        if self.random.random() < 0.3:
            key = self.pick("start_time", "end_time", "created")
            return f"{prefix}{key} {self.pick(*ORDERS)} {self.pick('1003', '1007', '2006', '0')}"
        if self.random.random() < 0.2:
            listed = self.pick("('<r1>', '<r2>')", '("<r3>")', "('nothing')", "('<r1>')", "()")
            return f"{prefix}run_id {self.pick('IN', 'NOT IN', 'in')} {listed}"
        key = self.pick("run_name", "status", "user_id", "`run name`", "`Run name`", "nothing")
        value = self.pick("'r1'", "'r%'", "'FINISHED'", "'u1'", "'R_'", '"r2"', "'RUNNING'")
        return f"{prefix}{key} {self.pick(*LIKES)} {value}"

    def dataset(self) -> str:
        field = f"{self.pick('dataset', 'datasets')}.{self.pick('name', 'digest', 'context', 'no')}"
        if self.random.random() < 0.25:
            return f"{field} {self.pick('IN', 'NOT IN')} {self.pick(SETS, DIGESTS)}"
        return f"{field} {self.pick(*LIKES)} {self.pick(*SETS_AND_DIGESTS)}"

    def broken(self, text: str) -> str:
        words = text.split()
        at = self.random.randrange(len(words)) if words else 0
        change = self.pick("leave", "or", "twice", "end", "unknown")
        # Behind a list MLflow reads on without an AND, which we do not.
        if change == "leave" and len(words) > 1 and words[at].upper() != "AND":
            del words[at]
        elif change == "or":
            words += ["OR", *words]
        elif change == "twice":
            words.insert(at, words[at])
        elif change == "end":
            words.append("AND")
        else:
            words = ["nothing." + text]
        return " ".join(words)

    def order(self) -> list[str]:
        fields = ["metrics.acc", "metrics.`a b`", "params.lr", "tags.team", "run_name", "start_time"]
        fields += ["attributes.end_time", "attribute.status", "params.no", "metrics.no"]
        count = self.random.choice([0, 0, 1, 2])
        chosen = self.random.sample(fields, count)
        return [f"{field}{self.pick('', ' ASC', ' DESC', ' desc')}" for field in chosen]


SETS = "('set 1', 'set 0')"
DIGESTS = "('d3')"
SETS_AND_DIGESTS = ["'set 1'", "'d0'", "'d%'", "'SET%'", "'train'", "'t%'", "'nothing'"]
