import assert from "node:assert/strict";
import { test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import { importSaved } from "./import-saved.ts";
import type { Manifest } from "./layout.ts";

test("saved views, reports and workspaces name experiments and folders by their ids here", async () => {
  const [experiment, folder] = ["01jexperimentthere00000000", "01jfolderthere000000000000"];
  const here = new Map([
    [experiment, "01jexperimenthere000000000"],
    [folder, "01jfolderhere0000000000000"],
  ]);
  const made: unknown[] = [];
  const create = async (one: unknown) => made.push(one);
  const client = {
    savedViews: { create },
    reports: { create },
    workspaces: { save: create },
  } as unknown as LosslessClient;
  const kept = { scope: "own", name: "kept" } as const;
  const chart = { kind: "chart", seriesName: "loss", title: "", view: "" } as const;
  const blocks = (experimentId: string, folderId: string) => [
    { ...chart, experimentIds: [experimentId] },
    { ...chart, query: `id in (${experimentId})`, folderId, referenceId: experimentId },
  ];
  const layout = { pinned: ["val/loss"] };
  const manifest = {
    savedViews: [{ ...kept, address: `/experiments?folder=${folder}&sel=${experiment}` }],
    reports: [{ ...kept, blocks: blocks(experiment, folder) }],
    workspaces: [
      { scope: "shared", folderId: folder, layout },
      { scope: "own", folderId: null, layout },
    ],
  } as unknown as Manifest;
  const { problems, workspaces } = await importSaved(client, "nowhere", manifest, here);
  const [experimentHere, folderHere] = [...here.values()];
  assert.deepEqual([problems, workspaces], [[], 2]);
  assert.deepEqual(made, [
    { ...kept, address: `/experiments?folder=${folderHere}&sel=${experimentHere}` },
    { ...kept, blocks: blocks(experimentHere, folderHere) },
    { scope: "shared", folderId: folderHere, revision: 0, layout },
    { scope: "own", revision: 0, layout },
  ]);
});
