import { limits } from "@lossless/protocol/limits";
import { endpointRoutes } from "../endpoint-routes.ts";
import { ServiceError } from "../../ground/errors.ts";
import { fileCaller } from "./file-caller.ts";
import { frameHeaders } from "./file-frame.ts";
import { partReply } from "./file-part.ts";
import { fitting } from "../replies/fitting.ts";

export const artifactViews = endpointRoutes({
  async viewArtifacts({ query, ...call }) {
    const { under = "", search = "", sort = "name", after = "" } = query;
    const limit = Number(query.limit ?? limits.listedArtifactsUsual);
    return fitting(call, "views.artifacts", { under, search, sort, after, limit }, "artifacts");
  },

  async viewArtifact({ query, ...call }) {
    const { artifact, version = null, after = "", metas } = query;
    const limit = Number(query.limit ?? limits.listedArtifactsUsual);
    const input = { artifact, version, after, limit, metas: metas === "1" };
    return fitting(call, "views.artifact", input, "versions");
  },

  readSentBytes({ caller: { organizationId }, query, served }) {
    const { artifact, upload: uploadId } = query;
    return served.versions.sentBytes({ organizationId, artifact, uploadId });
  },

  readFileAddress({ caller: { organizationId }, query, served }) {
    const { artifact, version, file } = query;
    return served.versions.fileAddress({ organizationId, artifact, version, file });
  },

  async readFilePart({ query, served, context, request, reply }) {
    const { organizationId, holder } = fileCaller(context, request);
    const { artifact, version, file, offset, length } = query;
    const part = await served.versions.filePart({
      organizationId,
      holder,
      artifact,
      version,
      file,
      offset: Number(offset ?? 0),
      length: Number(length ?? limits.filePartBytesMax),
    });
    return partReply(part, request, reply);
  },

  async readFileFrame({ query, served, context, request, reply }) {
    const { organizationId, holder } = fileCaller(context, request);
    const { scripts, ...name } = query;
    const length = limits.filePartBytesMax;
    const part = await served.versions.filePart({
      organizationId,
      holder,
      ...name,
      offset: 0,
      length,
    });
    if (part.sizeBytes > length) {
      part[Symbol.dispose]();
      throw new ServiceError("bad_request", `A frame shows up to ${length} bytes.`);
    }
    return partReply(part, request, reply, frameHeaders(scripts === "1"));
  },
});
