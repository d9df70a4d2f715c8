import { writeOne } from "../../storage/storage.ts";
import { readEndpointBody } from "../endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

const views = endpointRoutes(readEndpointBody);

/** What people write of an experiment from its page. */
export const writing = views({
  async editExperiment({ caller: { organizationId, by }, body, served }) {
    const input = { organizationId, body, by };
    const { metaText, ...rest } = await writeOne(served.storage, "experiment.edit", input);
    // The meta is JSON as it is stored: it is not parsed.
    return Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"meta":${metaText}}`);
  },
  addNote({ caller: { organizationId, email }, body, served }) {
    return writeOne(served.storage, "experiment.note", { organizationId, body, author: email });
  },
});
