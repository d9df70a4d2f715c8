import type * as Sdk from "@aws-sdk/client-sts";
import { StoreError } from "../../../buckets/bucket.ts";
import { plainQueryReply } from "../../../buckets/s3/replies.ts";
import type { S3Session } from "../../../buckets/s3/renewed.ts";
import { errorBytesMax, requestHandler, StoreTransport } from "../../../buckets/s3/transport.ts";
import {
  audiences,
  cloudName,
  subjectOf,
  type ConnectionAccess,
} from "../../rows/connections/connection.ts";
import type { CloudSettings } from "../cloud.ts";
import { endpointOf } from "../endpoints.ts";
import { awsRoleOf } from "./role.ts";
import { stsFailure } from "./sts-failure.ts";

/**
 * Calls AssumeRoleWithWebIdentity: exchanges a token of ours for credentials of the connection's
 * role. They last four hours where the role allows it, as the setup script makes it; else the one
 * hour that every role allows. `region` is that of the call: the credentials are valid in all of
 * the partition.
 */
export async function exchange(
  { tokens, endpoints, clock }: CloudSettings,
  access: ConnectionAccess,
  region: string,
): Promise<S3Session> {
  const { arn, partition } = awsRoleOf(access);
  const endpoint = endpointOf(endpoints.aws.sts, { region, suffix: partition.suffix });
  const subject = subjectOf(access.organizationId, access.connectionId);
  const deadline = AbortSignal.timeout(exchangeDeadlineMs);
  const sdk = await import("@aws-sdk/client-sts");
  const client = clientOf(sdk, endpoint, region);
  const ask = async (seconds: number): Promise<S3Session> => {
    const command = new sdk.AssumeRoleWithWebIdentityCommand({
      RoleArn: arn,
      RoleSessionName: cloudName(access.connectionId),
      DurationSeconds: seconds,
      WebIdentityToken: await tokens.mint({ subject, audience: audiences.aws }),
    });
    try {
      const { Credentials } = await client.send(command, { abortSignal: deadline });
      return sessionOf(Credentials, clock());
    } catch (error) {
      throw stsFailure(error, deadline.aborted);
    }
  };
  try {
    return await ask(longSeconds);
  } catch (error) {
    // A longer time than the role allows has no code of its own.
    if (!(error instanceof StoreError && error.code === "ValidationError")) throw error;
    return await ask(shortSeconds);
  } finally {
    client.destroy();
  }
}

/** Deadline of both attempts together. AWS fetches the issuer's keys meanwhile. */
export const exchangeDeadlineMs = 15_000;
const longSeconds = 14_400;
const shortSeconds = 3_600;

/**
 * Opens a client. As with S3 it reads nothing from the environment; the call is unsigned, without
 * credentials.
 */
function clientOf({ STSClient }: typeof Sdk, endpoint: string, region: string): Sdk.STSClient {
  const transport = new StoreTransport(null, exchangeDeadlineMs);
  return new STSClient({
    endpoint,
    region,
    credentials: { accessKeyId: "", secretAccessKey: "" },
    requestHandler: requestHandler<{ abortSignal?: AbortSignal }>(
      transport,
      async (request, { abortSignal }) => {
        const { response } = await transport.handle(request, errorBytesMax, abortSignal);
        return { response: await plainQueryReply(response) };
      },
    ),
    maxAttempts: 1,
    retryMode: "standard",
    defaultsMode: "standard",
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: [],
    userAgentAppId: "lossless",
  });
}

function sessionOf(credentials: Partial<Sdk.Credentials> | undefined, nowMs: number): S3Session {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = credentials ?? {};
  const session = {
    accessKeyId: AccessKeyId ?? "",
    secretAccessKey: SecretAccessKey ?? "",
    sessionToken: SessionToken ?? "",
    expiresAtMs: Expiration?.getTime() ?? 0,
  };
  // They become part of headers and addresses.
  const isSound =
    /^\w{1,128}$/.test(session.accessKeyId) &&
    /^[\x21-\x7e]{1,256}$/.test(session.secretAccessKey) &&
    /^[\x21-\x7e]{1,16384}$/.test(session.sessionToken) &&
    session.expiresAtMs > nowMs;
  if (isSound) return session;
  throw new StoreError("invalid reply", true, "AWS's reply has no credentials.");
}
