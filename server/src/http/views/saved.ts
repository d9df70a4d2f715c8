import { limits } from "@lossless/protocol/limits";
import type { Report, ReportBlock, SavedView } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { Saved } from "../../experiments/saved/saved.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { tableOfAddress } from "./table-of-address.ts";

/** Endpoints for saved views, which people keep under a name. */
export const saved = endpointRoutes({
  async listSavedViews({ caller: { organizationId, personId }, served }) {
    const looking = { organizationId, personId, kind: "view" } as const;
    return { views: (await served.storage.read("saved.list", looking)).map(viewOf) };
  },

  async createSavedView({ caller, body: { address, ...body }, served }) {
    const { organizationId, by } = caller;
    const input = { organizationId, by, kind: "view", ...body, content: address } as const;
    return viewOf(await writeOne(served.storage, "saved.create", input));
  },

  async changeSavedView({ caller, query: { id }, body: { address, ...body }, served }) {
    const { organizationId, by } = caller;
    const content = address === undefined ? {} : { content: address };
    const input = { organizationId, by, kind: "view", id, ...body, ...content } as const;
    return viewOf(await writeOne(served.storage, "saved.change", input));
  },

  async deleteSavedView({ caller: { organizationId, by }, query: { id, revision }, served }) {
    const input = { organizationId, by, kind: "view", id, revision: Number(revision) } as const;
    await writeOne(served.storage, "saved.delete", input);
  },

  async listReports({ caller: { organizationId, personId }, served }) {
    const looking = { organizationId, personId, kind: "report" } as const;
    const found = await served.storage.read("saved.list", looking);
    const reports = found.map(factsOf);
    return { reports: reports.sort((one, other) => other.changedAtMs - one.changedAtMs) };
  },

  async readReport({ caller: { organizationId, personId }, query: { id }, served }) {
    const looking = { organizationId, personId, kind: "report", id } as const;
    return reportOf(await served.storage.read("saved.read", looking));
  },

  async createReport({ caller, body: { blocks, ...body }, served }) {
    const { organizationId, by } = caller;
    const content = contentOf(blocks);
    const input = { organizationId, by, kind: "report", ...body, content } as const;
    return reportOf(await writeOne(served.storage, "saved.create", input));
  },

  async changeReport({ caller, query: { id }, body: { blocks, ...body }, served }) {
    const { organizationId, by } = caller;
    const content = blocks === undefined ? {} : { content: contentOf(blocks) };
    const input = { organizationId, by, kind: "report", id, ...body, ...content } as const;
    return reportOf(await writeOne(served.storage, "saved.change", input));
  },

  async deleteReport({ caller: { organizationId, by }, query: { id, revision }, served }) {
    const input = { organizationId, by, kind: "report", id, revision: Number(revision) } as const;
    await writeOne(served.storage, "saved.delete", input);
  },
});

function viewOf(found: Saved): SavedView {
  const { content: address } = found;
  return { ...factsOf(found), address, table: tableOfAddress(address) };
}

function reportOf(found: Saved): Report {
  return { ...factsOf(found), blocks: JSON.parse(found.content) as ReportBlock[] };
}

function factsOf({ id, name, scope, revision, ...times }: Saved) {
  const { createdAtMs, createdBy, changedAtMs, changedBy } = times;
  return { id, name, scope, revision, createdAtMs, createdBy, changedAtMs, changedBy };
}

/**
 * Returns the stored text of blocks; throws `bad_request` for blocks that are too long together, or
 * that name no experiments.
 */
function contentOf(blocks: readonly ReportBlock[]): string {
  for (const [at, block] of blocks.entries()) {
    const isChosen = block.kind === "chart" || block.kind === "media";
    if (isChosen && (block.experimentIds === undefined) === (block.query === undefined))
      throw new ServiceError(
        "bad_request",
        `blocks[${at}] must name experiments by their ids or by a query, and not by both.`,
      );
  }
  const content = JSON.stringify(blocks);
  const bytes = Buffer.byteLength(content);
  if (bytes <= limits.reportBytesMax) return content;
  const most = limits.reportBytesMax.toLocaleString("en");
  throw new ServiceError(
    "bad_request",
    `The blocks have ${bytes.toLocaleString("en")} bytes together, at most ${most} are taken.`,
  );
}
