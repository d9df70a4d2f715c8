import { atStore } from "../../places/stores/store-failure.ts";
import { uploadReply } from "./upload-reply.ts";
import type { WalkContext } from "./walk-context.ts";

export interface ResignUpload {
  organizationId: string;
  artifact: string;
  uploadId: string;
  epoch: number;
}

/** Signs a new address for every part of a pending upload. Nothing is written or counted. */
export async function resignUpload(context: WalkContext, input: ResignUpload): Promise<Buffer> {
  const upload = await context.storage.read("upload.read", input);
  return atStore("sign the parts", () => uploadReply(context, upload));
}
