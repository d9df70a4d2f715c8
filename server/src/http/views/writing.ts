import { ServiceError } from "../../ground/errors.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";

/** JSON levels around a meta: those of the event and its data. */
const levelsAroundMeta = 2;

/**
 * Endpoints by which people write on an experiment's page, and the annotations that the page
 * follows.
 */
export const writing = endpointRoutes({
  async editExperiment({ caller: { organizationId, by }, body, served, context }) {
    const metaDepthMax = context.settings.maxDepth - levelsAroundMeta;
    const input = { organizationId, body, metaDepthMax, by };
    const { metaText, ...rest } = await writeOne(served.storage, "experiment.edit", input);
    // The meta is JSON as stored: it is not parsed.
    return Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"meta":${metaText}}`);
  },
  async readNewAnnotations({ query, ...call }) {
    const { experimentId, after = "0", logged } = query;
    if (!/^\d{1,15}$/.test(after)) {
      throw new ServiceError("bad_request", "`after` must be `next` of a reply.");
    }
    const input = { experimentId, after: Number(after), withoutLogged: logged === "omit" };
    return fitting(call, "views.newAnnotations", input, "annotations");
  },
  addNote({ caller: { organizationId, email }, body, served }) {
    return writeOne(served.storage, "experiment.note", { organizationId, body, author: email });
  },
});
