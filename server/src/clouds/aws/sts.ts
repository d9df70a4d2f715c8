import { StoreError } from "../../buckets/bucket.ts";
import type { S3Session } from "../../buckets/s3/renewed.ts";
import { storeErrorOf } from "../../buckets/s3/failure.ts";
import { errorBytesMax, StoreTransport } from "../../buckets/s3/transport.ts";
import {
  audiences,
  cloudName,
  subjectOf,
  type ConnectionAccess,
} from "../../connections/connection.ts";
import type { CloudSettings } from "../cloud.ts";
import { endpointOf } from "../endpoints.ts";
import { readQueryReply } from "./query-reply.ts";
import { roleOf } from "./role.ts";
import { stsFailure } from "./sts-failure.ts";

/**
 * AssumeRoleWithWebIdentity: a token of ours for credentials of the connection's role. For four hours where the
 * role allows it, as the setup script makes it; else for the one hour that every role allows. `region` is where
 * it is asked: the credentials are good in all regions of the role's partition.
 */
export async function exchange(
  { tokens, endpoints, clock }: CloudSettings,
  access: ConnectionAccess,
  region: string,
): Promise<S3Session> {
  const { arn, partition } = roleOf(access);
  const url = new URL(endpointOf(endpoints.aws.sts, { region, suffix: partition.suffix }));
  const subject = subjectOf(access.organizationId, access.connectionId);
  const deadline = AbortSignal.timeout(exchangeDeadlineMs);
  const ask = async (seconds: number): Promise<S3Session> => {
    const form = new URLSearchParams({
      Action: action,
      Version: "2011-06-15",
      RoleArn: arn,
      RoleSessionName: cloudName(access.connectionId),
      DurationSeconds: String(seconds),
      WebIdentityToken: await tokens.mint({ subject, audience: audiences.aws }),
    });
    const { status, text } = await post(url, form.toString(), deadline);
    if (status !== 200) throw stsFailure(status, text);
    return sessionOf(text, clock());
  };
  try {
    return await ask(longSeconds);
  } catch (error) {
    // A longer time than the role allows has no code of its own.
    if (!(error instanceof StoreError && error.code === "ValidationError")) throw error;
    return ask(shortSeconds);
  }
}

const action = "AssumeRoleWithWebIdentity";
/** Both attempts together. AWS fetches the issuer's keys meanwhile. */
export const exchangeDeadlineMs = 15_000;
const longSeconds = 14_400;
const shortSeconds = 3_600;

async function post(
  url: URL,
  form: string,
  deadline: AbortSignal,
): Promise<{ status: number; text: string }> {
  const body = Buffer.from(form);
  const transport = new StoreTransport(null, exchangeDeadlineMs);
  try {
    const { response } = await transport.handle(
      {
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port !== "" && { port: Number(url.port) }),
        method: "POST",
        path: url.pathname,
        headers: {
          host: url.host,
          "content-type": "application/x-www-form-urlencoded",
          "content-length": String(body.byteLength),
          accept: "text/xml",
        },
        body,
      },
      errorBytesMax,
      deadline,
    );
    const reply = Buffer.concat(await Array.fromAsync(response.body as AsyncIterable<Buffer>));
    return { status: response.statusCode, text: reply.toString("utf8") };
  } catch (error) {
    throw storeErrorOf(error, action, deadline.aborted);
  } finally {
    transport.destroy();
  }
}

function sessionOf(text: string, nowMs: number): S3Session {
  const reply = readQueryReply(text);
  const of = (name: string) =>
    reply?.get(`${action}Response/${action}Result/Credentials/${name}`) ?? "";
  const session = {
    accessKeyId: of("AccessKeyId"),
    secretAccessKey: of("SecretAccessKey"),
    sessionToken: of("SessionToken"),
    expiresAtMs: Date.parse(of("Expiration")),
  };
  const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = session;
  // They become part of headers and addresses.
  const isSound =
    /^\w{1,128}$/.test(accessKeyId) &&
    /^[\x21-\x7e]{1,256}$/.test(secretAccessKey) &&
    /^[\x21-\x7e]{1,16384}$/.test(sessionToken) &&
    expiresAtMs > nowMs;
  if (isSound) return session;
  throw new StoreError("invalid reply", true, `AWS failed at ${action}: invalid reply.`);
}
