import { attachmentOf } from "../../ground/attachment.ts";
import { readQuery } from "../query.ts";
import { sendObject } from "../replies/object-reply.ts";
import type { Route } from "../route.ts";
import { objectKey, requireSignedHost, servedObjects } from "./signed-address.ts";

/**
 * `GET /objects/…`: a file or a range of it. An address signed for GET is valid for HEAD, too: it
 * discloses less.
 */
export const readObject: Route = async (context, request, reply) => {
  requireSignedHost(context, request);
  const objects = servedObjects(request);
  const query = readQuery("readObject", request.raw.url);
  const { expires = "", name = "", signature = "" } = query;
  const key = objectKey(request);
  const object = await objects.open({ key, expires, name, signature });
  context.limits.connections.recognize(request.raw.socket, key.split("/", 1)[0]);
  const saved = name === "" ? {} : { "content-disposition": attachmentOf(name) };
  await sendObject(context, request, reply, object, saved);
};
