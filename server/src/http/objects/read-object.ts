import { readQuery } from "../query.ts";
import { sendObject } from "../object-reply.ts";
import type { Route } from "../route.ts";
import { objectKey, requireSignedHost, servedObjects } from "./signed-address.ts";

/**
 * `GET /objects/…`: a file or a range of it. An address that was signed for GET is good for HEAD:
 * it tells less.
 */
export const readObject: Route = async (context, request, reply) => {
  requireSignedHost(context, request);
  const objects = servedObjects(request);
  const { expires = "", signature = "" } = readQuery("readObject", request.raw.url);
  const key = objectKey(request);
  const object = await objects.open({ key, expires, signature });
  context.connectionShares.recognize(request.raw.socket, key.split("/", 1)[0]);
  await sendObject(context, request, reply, object);
};
