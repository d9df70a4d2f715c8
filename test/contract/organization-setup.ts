import { randomUUID } from "node:crypto";
import type { Location, OrganizationView, UsageRow } from "@lossless/protocol";
import { type HttpReply, ok } from "../http.ts";
import { S3Double, type S3DoubleOptions } from "../stores/s3-double.ts";
import { address, type Query } from "./artifact-caller.ts";
import { observed, type Target } from "./callers.ts";

/** An organization's set-up calls with one credential. */
export class OrganizationSetup {
  readonly target: Target;
  readonly credential: string;

  constructor(target: Target, credential: string) {
    this.target = target;
    this.credential = credential;
  }

  request(method: string, path: string, query: Query = {}, body?: unknown): Promise<HttpReply> {
    const { target, credential } = this;
    return observed(target, { method, path: address(path, query), credential, body });
  }

  async view(): Promise<OrganizationView> {
    return ok(await this.request("GET", "org"), 200);
  }

  tryAdd(body: unknown): Promise<HttpReply> {
    return this.request("POST", "locations", {}, body);
  }

  async add(body: unknown): Promise<Location> {
    return ok(await this.tryAdd(body), 201);
  }

  tryChange(id: string | undefined, body: unknown): Promise<HttpReply> {
    return this.request("PATCH", "locations", { id }, body);
  }

  async change(id: string, body: unknown): Promise<Location> {
    return ok(await this.tryChange(id, body), 200);
  }

  async usage(days?: string): Promise<UsageRow[]> {
    const reply = await this.request("GET", "usage", { days });
    return ok<{ rows: UsageRow[] }>(reply, 200).rows;
  }
}

/** A store whose secret can be told from every other text. */
export function startStore(options: S3DoubleOptions = {}): Promise<S3Double> {
  const secretAccessKey = `secret${randomUUID().replaceAll("-", "")}`;
  return S3Double.start({ buckets: ["models"], secretAccessKey, ...options });
}

/** The body that adds the store's bucket `models`. */
export function locationBody(store: S3Double, given: object = {}) {
  return {
    kind: "s3",
    endpoint: store.endpoint,
    bucket: "models",
    path: "",
    signingRegion: store.region,
    pathStyle: true,
    accessKeyId: store.accessKeyId,
    secretAccessKey: store.secretAccessKey,
    cloud: "aws",
    region: "us-east-1",
    ...given,
  };
}
