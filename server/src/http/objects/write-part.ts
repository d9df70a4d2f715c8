import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../ground/errors.ts";
import { partBody } from "../bodies/part-body.ts";
import { readQuery } from "../query.ts";
import { closeAfterReply } from "../replies/broken-requests.ts";
import type { Route } from "../route.ts";
import { objectKey, requireSignedHost, servedObjects } from "./signed-address.ts";

/**
 * `PUT /objects/…`: one part of a file, streamed to the disk. The address is checked before a byte
 * of the body is read; the reply comes when the part is on stable storage.
 */
export const writePart: Route = async (context, request, reply) => {
  requireSignedHost(context, request);
  const objects = servedObjects(request);
  const query = readQuery("writePart", request.raw.url);
  const { id = "", part: number = "", length = "", expires = "", signature = "" } = query;
  const part = objects.part({
    key: objectKey(request),
    id,
    part: number,
    length,
    expires,
    signature,
  });
  context.limits.connections.recognize(request.raw.socket, part.key.split("/", 1)[0]);
  requireLength(request.raw, part.sizeBytes);
  const { socket } = request.raw;
  const { longBodies } = request.server;
  longBodies.add(socket);
  try {
    const etag = await objects.writePart(part, partBody(request.raw, context.bodies.partWatch));
    closeAfterReply(request.raw, reply);
    void reply.code(200).header("etag", `"${etag}"`).send();
  } finally {
    longBodies.delete(socket);
  }
};

/**
 * Checks the length, which is signed (A20): an undeclared or different one is refused before the
 * body.
 */
function requireLength({ headers }: IncomingMessage, sizeBytes: number): void {
  if (headers["transfer-encoding"] !== undefined) {
    throw new ServiceError("bad_request", "A part needs a Content-Length; it must not be chunked.");
  }
  if (Number(headers["content-length"] ?? 0) === sizeBytes) return;
  throw new ServiceError("forbidden", `The address is for a part of ${sizeBytes} bytes.`);
}
