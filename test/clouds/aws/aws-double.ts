import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { listening, LoopbackServer } from "../../loopback.ts";
import { S3Double, type S3DoubleOptions } from "../../stores/s3-double.ts";
import type { XmlTree } from "../../stores/double/xml.ts";
import { IamAccount } from "./iam-account.ts";
import { allows } from "./policy.ts";
import { QueryPrinter } from "./query-printer.ts";
import { field, QueryError, type Form } from "./query-error.ts";
import { assumedRole } from "./web-identity.ts";

export interface AwsDoubleOptions extends S3DoubleOptions {
  /** Twelve digits each. */
  accounts?: readonly string[];
}

/**
 * IAM and STS of AWS in this process, on one address, beside an S3Double that believes in the
 * credentials that STS gave: for the role's buckets, as far as its policy goes, with the session
 * token, until the session's end. What is trusted is what CreateRole and its like were told, by the
 * real command line or by a test.
 */
export class AwsDouble extends LoopbackServer {
  readonly s3: S3Double;
  readonly accounts: ReadonlyMap<string, IamAccount>;
  /** Actions in the order they came, refused ones with their code. */
  readonly calls: { action: string; form: Form; code?: string }[] = [];
  /** STS's answer while it is set. */
  stsFault: QueryError | undefined;
  readonly #clock: () => number;

  private constructor(
    server: Server,
    s3: S3Double,
    accounts: ReadonlyMap<string, IamAccount>,
    clock: () => number,
  ) {
    super(server);
    this.s3 = s3;
    this.accounts = accounts;
    this.#clock = clock;
    server.on("request", (request: IncomingMessage, response) => {
      this.#answer(request).then(
        ({ status, text }) => {
          response.writeHead(status, { "content-type": "text/xml" }).end(text);
        },
        (error: unknown) => {
          process.emitWarning(`AwsDouble: ${String(error)}`);
          response.destroy();
        },
      );
    });
  }

  static async start({
    accounts = [firstAccount],
    ...options
  }: AwsDoubleOptions = {}): Promise<AwsDouble> {
    const s3 = await S3Double.start({ buckets: [], ...options });
    const known = new Map(accounts.map((id) => [id, new IamAccount(id)]));
    return new AwsDouble(await listening(), s3, known, options.clock ?? Date.now);
  }

  /** As the provision file's key `clouds` takes it. */
  get addresses(): { aws: { sts: string; s3: string } } {
    return { aws: { sts: this.origin, s3: this.s3.endpoint } };
  }

  account(id: string = firstAccount): IamAccount {
    const found = this.accounts.get(id);
    if (found === undefined) throw new Error(`the double has no account ${id}`);
    return found;
  }

  /** The variables that make the command line an administrator of the account. */
  variablesOf(id: string = firstAccount): Record<string, string> {
    return {
      AWS_ACCESS_KEY_ID: `AKIA${this.account(id).id}`,
      AWS_SECRET_ACCESS_KEY: "administrator",
    };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.s3[Symbol.asyncDispose]();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; text: string }> {
    const pieces = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const form: Form = new Map(new URLSearchParams(Buffer.concat(pieces).toString("utf8")));
    const action = form.get("Action") ?? "";
    const call: (typeof this.calls)[number] = { action, form };
    this.calls.push(call);
    try {
      const isSts = action === "AssumeRoleWithWebIdentity";
      const tree = isSts ? await this.#assume(form) : this.#callerOf(request).perform(form);
      return { status: 200, text: QueryPrinter.result(action, tree) };
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      call.code = error.code;
      return { status: error.status, text: QueryPrinter.error(error) };
    }
  }

  /** The signature of an administrator is not looked at: the product never has one. */
  #callerOf({ headers }: IncomingMessage): IamAccount {
    const [, id] = /Credential=AKIA(\d{12})\//.exec(headers.authorization ?? "") ?? [];
    const found = this.accounts.get(id ?? "");
    if (found === undefined) throw new QueryError("InvalidClientTokenId", "No such key.", 403);
    return found;
  }

  async #assume(form: Form): Promise<XmlTree> {
    if (this.stsFault !== undefined) throw this.stsFault;
    if (form.get("Version") !== "2011-06-15") throw new QueryError("InvalidAction", "Version");
    const roleArn = field(form, "RoleArn");
    if (!/^[\w+=,.@-]{2,64}$/.test(field(form, "RoleSessionName")))
      throw new QueryError("ValidationError", "RoleSessionName");
    const [, id] = /^arn:aws:iam::(\d{12}):role\//.exec(roleArn) ?? [];
    const token = field(form, "WebIdentityToken");
    const role = await assumedRole(this.accounts.get(id ?? ""), roleArn, token, this.#clock());
    const seconds = Number(form.get("DurationSeconds") ?? "3600");
    if (!(seconds >= 900 && seconds <= role.maxSessionSeconds))
      throw new QueryError(
        "ValidationError",
        "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
      );
    const expiresAtMs = Math.floor(this.#clock() / 1_000) * 1_000 + seconds * 1_000;
    const session = {
      accessKeyId: `ASIA${randomBytes(8).toString("hex").toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString("base64"),
      sessionToken: randomBytes(600).toString("base64"),
    };
    this.s3.addCredentials({
      ...session,
      expiresAtMs,
      account: id,
      allows: (operation, bucket, key, owner) =>
        allows(
          [...role.policies.values()].map(({ policy }) => policy),
          operation,
          { bucket, key, owner },
        ),
    });
    return {
      Credentials: {
        AccessKeyId: session.accessKeyId,
        SecretAccessKey: session.secretAccessKey,
        SessionToken: session.sessionToken,
        Expiration: new Date(expiresAtMs).toISOString(),
      },
      AssumedRoleUser: { Arn: roleArn, AssumedRoleId: "AROADOUBLE:session" },
    };
  }
}

const firstAccount = "111122223333";
