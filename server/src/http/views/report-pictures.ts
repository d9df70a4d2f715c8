import { createHash } from "node:crypto";
import { limits } from "@lossless/protocol/limits";
import { attachmentOf } from "../../ground/attachment.ts";
import { ServiceError } from "../../ground/errors.ts";
import { requirePicture } from "../../ground/picture-type.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fileCaller } from "./file-caller.ts";
import { partReply } from "./file-part.ts";

/** Pictures of reports: kept beside the report, and read by whoever reads it. */
export const reportPictures = endpointRoutes({
  async addReportPicture({ caller, query: { id: report }, body: content, served }) {
    const { organizationId, by } = caller;
    const facts = requirePicture(content, limits.reportPicturePixelsMax);
    const picture = createHash("sha256").update(content).digest("hex").slice(0, 32);
    const { type } = facts;
    const input = { organizationId, by, report, picture, type, content };
    await writeOne(served.storage, "picture.add", input);
    return { picture, ...facts };
  },

  /** Sends a picture with the type that its bytes had, and never as a page of ours (A41). */
  async readReportPicture({ query: { id: report, picture }, served, context, request, reply }) {
    const { organizationId, personId, holder } = fileCaller(context, request);
    const asked = { organizationId, personId, report, picture };
    const { type, content } = await served.storage.read("picture.read", asked);
    const share = context.limits.pictures.take(holder, content.byteLength);
    if (share === undefined)
      throw new ServiceError("overloaded", "Too many pictures are being read at once; try again.");
    const part = {
      bytes: content,
      sizeBytes: content.byteLength,
      [Symbol.dispose]: () => share[Symbol.dispose](),
    };
    return partReply(part, request, reply, {
      "content-type": type,
      "content-disposition": attachmentOf(`${picture}.${type.slice("image/".length)}`),
      "content-security-policy": "sandbox; default-src 'none'",
    });
  },
});
