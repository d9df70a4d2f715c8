import { StoreError } from "../../../buckets/bucket.ts";
import type { ConnectionAccess } from "../../rows/connections/connection.ts";

/** The parts of a role's ARN: `arn:<partition>:iam::<account>:role/<path and name>`. */
export interface Role {
  arn: string;
  account: string;
  partition: Partition;
}

export interface Partition {
  /** Domain of its interfaces. */
  suffix: string;
  /** Region where a token is exchanged while no bucket, and so no other region, is concerned. */
  homeRegion: string;
}

/** The partitions that AWS publishes; the closed ones (`aws-iso…`) cannot reach an issuer. */
const partitions: Readonly<Record<string, Partition>> = {
  aws: { suffix: "amazonaws.com", homeRegion: "us-east-1" },
  "aws-cn": { suffix: "amazonaws.com.cn", homeRegion: "cn-northwest-1" },
  "aws-us-gov": { suffix: "amazonaws.com", homeRegion: "us-gov-west-1" },
  "aws-eusc": { suffix: "amazonaws.eu", homeRegion: "eusc-de-east-1" },
};

export function awsRoleOf({ identifiers }: ConnectionAccess): Role {
  if (identifiers.cloud !== "aws")
    throw new Error(`BUG: a connection of AWS got ${identifiers.cloud}`);
  const arn = identifiers.aws.roleArn;
  const [, name, account] = /^arn:(aws[a-z-]*):iam::(\d{12}):role\/[\w+=,.@/-]+$/.exec(arn) ?? [];
  const partition = Object.hasOwn(partitions, name ?? "") ? partitions[name ?? ""] : undefined;
  if (account === undefined || partition === undefined) {
    const known = Object.keys(partitions).join(", ");
    throw new StoreError(
      "InvalidRoleArn",
      false,
      "The role's ARN is of no partition that is known here.",
      undefined,
      `The role's ARN has to be of one of the partitions ${known}.`,
    );
  }
  return { arn, account, partition };
}
