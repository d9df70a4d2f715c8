import type { CommitUploadReply } from "@lossless/protocol";
import { beginVersion } from "./begin.ts";
import type { BeginVersion } from "./begin.ts";
import { Commits } from "./commit.ts";
import type { CommitUpload } from "./commit.ts";
import { listVersions } from "./list.ts";
import type { ListVersions } from "./list.ts";
import { openArtifact } from "./open.ts";
import type { OpenArtifact } from "./open.ts";
import { readVersion } from "./read.ts";
import type { ReadVersion } from "./read.ts";
import { resignUpload } from "./resign.ts";
import type { ResignUpload } from "./resign.ts";
import type { WalkContext } from "./walk-context.ts";

/**
 * The walks of versions through database and buckets. Each is made of transaction scripts (artifacts/) with calls to
 * a store between them; what it leaves when it dies in between, the same request again or the sweeper finishes.
 */
export class Versions {
  readonly #context: WalkContext;
  readonly #commits: Commits;

  constructor(context: WalkContext) {
    this.#context = context;
    this.#commits = new Commits(context);
  }

  /** The JSON of an OpenArtifactReply. */
  open(input: OpenArtifact): Promise<Buffer> {
    return openArtifact(this.#context, input);
  }

  /** The JSON of an UploadReply. */
  begin(input: BeginVersion): Promise<Buffer> {
    return beginVersion(this.#context, input);
  }

  /** The JSON of an UploadReply. */
  resign(input: ResignUpload): Promise<Buffer> {
    return resignUpload(this.#context, input);
  }

  commit(input: CommitUpload): Promise<CommitUploadReply> {
    return this.#commits.commit(input);
  }

  /** The JSON of a VersionRecord. */
  read(input: ReadVersion): Promise<Buffer> {
    return readVersion(this.#context, input);
  }

  /** The JSON of a VersionsPage. */
  list(input: ListVersions): Promise<Buffer> {
    return listVersions(this.#context, input);
  }
}

/** Without what is private, so that a test can stand in for it. */
export type VersionWalks = Pick<Versions, keyof Versions>;
