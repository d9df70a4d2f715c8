import type { CommitUploadReply, FileAddressReply, SentBytesReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { UploadName } from "../rows/commit.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import { beginVersion, type BeginVersion } from "./begin.ts";
import { Commits, type CommitUpload } from "./commit.ts";
import {
  fileAddress,
  type FileName,
  type FilePart,
  filePartsBytesMax,
  readFilePart,
  type ReadFilePart,
} from "./file.ts";
import { listVersionsSigned, type ListVersions } from "./list.ts";
import { openArtifactSigned, type OpenArtifact } from "./open.ts";
import { readVersionSigned, type ReadVersion } from "./read.ts";
import { resignUpload, type ResignUpload } from "./resign.ts";
import { SentBytes } from "./sent-bytes.ts";
import type { WalkContext } from "./walk-context.ts";

/**
 * The walks of versions through database and buckets. Each is made of transaction scripts
 * (artifacts/) with calls to a store between them; a walk that dies in between is finished by the
 * same request again or by the sweeper.
 */
export class Versions {
  readonly #context: WalkContext;
  readonly #fileParts = new FairShares(filePartsBytesMax, limits.filePartBytesMax);
  readonly #commits: Commits;
  readonly #sentBytes: SentBytes;

  constructor(context: WalkContext) {
    this.#context = context;
    this.#commits = new Commits(context);
    this.#sentBytes = new SentBytes(context);
  }

  /** The JSON of an OpenArtifactReply. */
  open(input: OpenArtifact): Promise<Buffer> {
    return openArtifactSigned(this.#context, input);
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

  /** Returns how many bytes of a pending upload its store has. */
  sentBytes(input: UploadName): Promise<SentBytesReply> {
    return this.#sentBytes.read(input);
  }

  /** The JSON of a VersionRecord. */
  read(input: ReadVersion): Promise<Buffer> {
    return readVersionSigned(this.#context, input);
  }

  fileAddress(input: FileName): Promise<FileAddressReply> {
    return fileAddress(this.#context, input);
  }

  /** Returns a part of a file; to be disposed when it is sent. */
  filePart(input: ReadFilePart): Promise<FilePart> {
    return readFilePart(this.#context, this.#fileParts, input);
  }

  /** The JSON of a VersionsPage. */
  list(input: ListVersions): Promise<Buffer> {
    return listVersionsSigned(this.#context, input);
  }
}

/** The public side of Versions, so that a test can stand in for it. */
export type VersionWalks = Pick<Versions, keyof Versions>;
