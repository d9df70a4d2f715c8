import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedOf } from "./captured.ts";

test("what our client captures is read from the reserved keys", () => {
  const captured = capturedOf(
    {
      lr: 0.1,
      _source: {
        remote: "git@github.com:a/b.git",
        commit: "0123abc",
        branch: "main",
        isDirty: true,
        directory: "/srv/b",
        command: ["python", "train.py", "--name", "two words"],
        diff: {
          artifact: "b/source",
          version: "1",
          path: "changes.diff",
          bytes: 812,
          sha256: "9b",
        },
        script: "train.py",
      },
      _environment: {
        host: "node-7",
        user: "ada",
        os: "Linux 6.8",
        python: "3.12.3",
        cpus: 64,
        memoryBytes: 512e9,
        cuda: null,
        gpus: ["NVIDIA H100"],
        gpuCount: 8,
        slurm: { jobId: "4711", SLURM_X: "a" },
        kubernetes: {},
        packages: { torch: "2.9.0", numpy: "2.3.1" },
        packagesLeftOut: 3,
        cloud: "aws",
      },
    },
    {},
  );
  assert.deepEqual(captured, {
    source: {
      remote: "git@github.com:a/b.git",
      commit: "0123abc",
      branch: "main",
      isDirty: true,
      diff: { artifact: "b/source", version: "1", path: "changes.diff", bytes: 812, isCut: false },
      others: [{ name: "script", text: "train.py" }],
    },
    user: "ada",
    host: "node-7",
    command: "python train.py --name 'two words'",
    directory: "/srv/b",
    machine: [
      { name: "system", text: "Linux 6.8" },
      { name: "processors", text: "64" },
      { name: "memory", text: "512 GB" },
      { name: "GPU", text: "8 × NVIDIA H100" },
      { name: "Python", text: "3.12.3" },
      { name: "cloud", text: "aws" },
    ],
    launchers: [
      {
        name: "SLURM",
        variables: [
          { name: "job id", text: "4711" },
          { name: "SLURM_X", text: "a" },
        ],
      },
    ],
    packages: [
      { name: "numpy", text: "2.3.1" },
      { name: "torch", text: "2.9.0" },
    ],
    packagesLeftOut: 3,
  });
});

test("MLflow's clients say it in tags", () => {
  const tag = (key: string, value: string) => ({ key, value });
  const tags = [
    tag("mlflow.source.git.commit", "0123abc"),
    tag("mlflow.source.git.repoURL", "https://github.com/a/b"),
    tag("mlflow.source.name", "train.py"),
    tag("mlflow.user", "grace"),
  ];
  const { source, command, user } = capturedOf({}, { tags, run: null });
  assert.deepEqual(
    [source.commit, source.remote, command, user],
    ["0123abc", "https://github.com/a/b", "train.py", "grace"],
  );
});

test("whatever stands there is no error, and what says nothing is not shown", () => {
  const nothing = capturedOf({}, {});
  for (const odd of [
    null,
    1,
    "text",
    [],
    {},
    { packages: 3, gpus: null, slurm: [], memoryBytes: "" },
  ])
    assert.deepEqual(capturedOf({ _source: [odd], _environment: odd }, {}), nothing, String(odd));
  const listed = capturedOf(
    { _environment: { packages: ["b==1", "A==2.0", "odd"], gpus: "TPU v5" } },
    {},
  );
  assert.deepEqual(
    listed.packages.map(({ name, text }) => `${name} ${text}`),
    ["A 2.0", "b 1", "odd "],
  );
  assert.deepEqual(listed.machine, [{ name: "GPU", text: "TPU v5" }]);
});
