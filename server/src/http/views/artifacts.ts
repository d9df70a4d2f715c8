import { limits } from "@lossless/protocol/limits";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fileCaller } from "./file-caller.ts";
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
    const { organizationId } = fileCaller(context, request);
    const { artifact, version, file, offset, length } = query;
    const part = await served.versions.filePart({
      organizationId,
      artifact,
      version,
      file,
      offset: Number(offset ?? 0),
      length: Number(length ?? limits.filePartBytesMax),
    });
    return partReply(part, request, reply);
  },
});
