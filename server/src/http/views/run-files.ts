import { limits } from "@lossless/protocol/limits";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fileCaller } from "./file-caller.ts";
import { partReply } from "./file-part.ts";

export const runFiles = endpointRoutes({
  viewRunFiles({ caller: { organizationId }, query, served: { storage } }) {
    const { owner, after = "", limit } = query;
    const most = Math.min(Number(limit ?? limits.listedRunFilesMax), limits.listedRunFilesMax);
    return storage.read("file.page", { organizationId, owner, after, limit: most });
  },

  readRunFileAddress({ caller: { organizationId }, query: { owner, file }, served: { files } }) {
    return files.address({ organizationId, owner, path: file });
  },

  async readRunFilePart({ query, served, context, request, reply }) {
    const { organizationId, holder } = fileCaller(context, request);
    const { owner, file: path, offset, length } = query;
    const range = {
      offset: Number(offset ?? 0),
      length: Number(length ?? limits.filePartBytesMax),
    };
    const part = await served.files.part({ organizationId, holder, owner, path, ...range });
    return partReply(part, request, reply);
  },
});
