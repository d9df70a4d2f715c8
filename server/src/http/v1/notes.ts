import { limits } from "@lossless/protocol";
import { writeOne } from "../../storage/storage.ts";
import { bodyPlace } from "../body-place.ts";
import { readQuery } from "../query.ts";
import { readRawBody } from "./raw-body.ts";
import { organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `PUT /api/v1/artifacts/note`: any bytes, of whatever type. */
export const writeNote: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { artifact, note } = readQuery("writeNote", request.raw.url);
  const content = await readRawBody(request.raw, limits.noteBytesMax, bodyPlace(context, request));
  await writeOne(served.storage, "note.write", { organizationId, artifact, note, content });
  void reply.code(204).send();
};

/** `GET /api/v1/artifacts/note`: bytes that no browser shows as a page of ours (A41). */
export const readNote: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { artifact, note } = readQuery("readNote", request.raw.url);
  const content = await served.storage.read("note.read", { organizationId, artifact, note });
  const { buffer, byteOffset, byteLength } = content;
  void reply
    .code(200)
    .headers({
      "content-type": "application/octet-stream",
      // The name has nothing that needs quoting.
      "content-disposition": `attachment; filename="${note}"`,
      "content-security-policy": "sandbox; default-src 'none'",
    })
    .send(Buffer.from(buffer, byteOffset, byteLength));
};
