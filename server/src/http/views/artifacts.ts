import { limits } from "@lossless/protocol/limits";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fileCaller } from "./file-caller.ts";
import { partReply } from "./file-part.ts";
import { fitting } from "./fitting.ts";

export const artifactViews = endpointRoutes({
  async viewArtifacts({ caller: { organizationId }, query, served, context, request, reply }) {
    const { under = "", search = "", sort = "name", after = "", limit } = query;
    const replies = context.replies.reads.of(organizationId, request, reply);
    const most = Number(limit ?? limits.listedArtifactsUsual);
    const input = { organizationId, under, search, sort, after, limit: most };
    return fitting(replies.read(served.storage, "views.artifacts", input), "artifacts");
  },

  async viewArtifact({ caller: { organizationId }, query, served, context, request, reply }) {
    const { artifact, version = null, after = "", limit, metas } = query;
    const replies = context.replies.reads.of(organizationId, request, reply);
    const page = { version, after, limit: Number(limit ?? limits.listedArtifactsUsual) };
    const input = { organizationId, artifact, ...page, metas: metas === "1" };
    return fitting(replies.read(served.storage, "views.artifact", input), "versions");
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
