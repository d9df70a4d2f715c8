import { type ArtifactBucket, StoreError } from "../../buckets/bucket.ts";
import type { ConnectionAccess } from "../rows/connections/connection.ts";
import type { Cloud, Clouds, CreatedBucket, OpenLimits, WantedBucket } from "./cloud.ts";

type CloudCall = "verify" | "createBucket" | "removeBucket";

/** A cloud of one bucket in memory, or opened by `open`; for tests of code that uses clouds. */
export class TestCloud implements Cloud {
  /** Throw in it to refuse, or wait. */
  before: (call: CloudCall, access: ConnectionAccess) => void | Promise<void> = () => {};
  readonly wanted: WantedBucket[] = [];
  readonly removed: string[] = [];
  readonly opened: { access: ConnectionAccess; bucket: CreatedBucket }[] = [];
  readonly #open: (bucket: CreatedBucket, limits: OpenLimits) => ArtifactBucket;
  readonly #made: Omit<CreatedBucket, "region">;

  constructor(
    made: Omit<CreatedBucket, "region">,
    open: (bucket: CreatedBucket, limits: OpenLimits) => ArtifactBucket,
  ) {
    this.#made = made;
    this.#open = open;
  }

  async verify(access: ConnectionAccess): Promise<void> {
    await this.before("verify", access);
  }

  async createBucket(access: ConnectionAccess, wanted: WantedBucket): Promise<CreatedBucket> {
    await this.before("createBucket", access);
    this.wanted.push(wanted);
    return { ...this.#made, region: wanted.region };
  }

  async removeBucket(access: ConnectionAccess, { bucket }: CreatedBucket): Promise<void> {
    await this.before("removeBucket", access);
    this.removed.push(bucket);
  }

  openBucket(access: ConnectionAccess, bucket: CreatedBucket, limits: OpenLimits): ArtifactBucket {
    this.opened.push({ access, bucket });
    return this.#open(bucket, limits);
  }
}

/** A cloud that refuses every call. */
export function refusingCloud(): Cloud {
  const refuse = () => {
    throw new StoreError("AccessDenied", false, "this test has no clouds");
  };
  const cloud = new TestCloud({ endpoint: "https://test", bucket: "b", pathStyle: true }, refuse);
  cloud.before = refuse;
  return cloud;
}

export function testClouds(given: Partial<Clouds> = {}): Clouds {
  const refusing = refusingCloud();
  return { aws: refusing, gcp: refusing, azure: refusing, ...given };
}
