import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { audiences, cloudName, type CloudName, subjectOf } from "../connection.ts";
import { setupScripts } from "./setup.ts";
import type { SetupTerms } from "./script-terms.ts";

const connectionId = "01k9zzzzzz0123456789abcdef";
const organizationId = "01k9yyyyyy0123456789abcdef";
const subject = subjectOf(organizationId, connectionId);
const name = cloudName(connectionId);
const clouds: CloudName[] = ["aws", "gcp", "azure"];
const programs = { aws: "aws", gcp: "gcloud", azure: "az" } as const;

const termsOf = (cloud: CloudName, given: Partial<SetupTerms> = {}): SetupTerms => ({
  connectionId,
  organizationId,
  subject,
  audience: audiences[cloud],
  issuer: "https://lossless.acme.com/keys",
  baseUrl: "https://lossless.acme.com",
  ...given,
});
const scriptOf = (cloud: CloudName, given: Partial<SetupTerms> = {}): string =>
  setupScripts[cloud](termsOf(cloud, given));

/**
 * Replies as the clouds' programs do: `there` holds the second time. The arguments of a call go to
 * a file, separated by \x1f.
 */
const stub = `#!/bin/bash
program="\${0##*/}"
{ printf '%s' "$program"; printf '\\x1f%s' "$@"; printf '\\n'; } >>"$CALLS"
missing() {
  if [ -e "$THERE" ]; then exit 0; fi
  printf '%s\\n' "$1" >&2
  exit 254
}
found() { if [ -e "$THERE" ]; then printf '%s\\n' "$1"; fi; }
case "$program $*" in
  *'--query Arn '*) echo arn:aws-cn:iam::123456789012:user/ada ;;
  *'--query Account '*) echo 123456789012 ;;
  'aws iam get-'*) missing 'An error occurred (NoSuchEntity) when calling the operation' ;;
  'gcloud config get-value project') echo acme-data ;;
  'gcloud projects describe '*) echo 424242 ;;
  'gcloud '*' describe '*) missing 'ERROR: (gcloud.iam) NOT_FOUND: Requested entity was not found.' ;;
  *'--query tenantId '*) echo 11111111-1111-1111-1111-111111111111 ;;
  'az account show --query id '*) echo 22222222-2222-2222-2222-222222222222 ;;
  'az ad app list '*) found 33333333-3333-3333-3333-333333333333 ;;
  'az ad app create '*) echo 33333333-3333-3333-3333-333333333333 ;;
  'az ad sp list '*) found 44444444-4444-4444-4444-444444444444 ;;
  'az ad sp create '*) echo 44444444-4444-4444-4444-444444444444 ;;
  'az ad app credential list '*) if [ -n "\${STRANGER:-}" ]; then echo a-key; fi ;;
  'az ad app federated-credential list '*'name!='*) ;;
  'az ad app federated-credential list '* | 'az role assignment list '*) found an-id ;;
  'az provider show '*) if [ -e "$THERE" ]; then echo Registered; else echo NotRegistered; fi ;;
  'az group exists '*) if [ -e "$THERE" ]; then echo true; else echo false; fi ;;
  'curl '*) echo '{"keys":[]}' ;;
esac
`;
/** All programs that the scripts may need besides the cloud's. */
const tools = ["bash", "cat", "cut", "mktemp", "rm", "tr"];

const directory = mkdtempSync(join(tmpdir(), "lossless-setup-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const bin = join(directory, "bin");
makePath();

function makePath(): void {
  spawnSync("mkdir", [bin]);
  for (const tool of tools) symlinkSync(whereIs(tool), join(bin, tool));
  for (const program of [...Object.values(programs), "curl"]) {
    writeFileSync(join(bin, program), stub);
    chmodSync(join(bin, program), 0o755);
  }
}

function whereIs(tool: string): string {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, tool));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`${tool} is needed by this test`);
  return found;
}

interface Ran {
  status: number | null;
  output: string;
  errors: string;
  /** Program and words of each call. */
  calls: string[][];
}

/** As `| bash` runs it, in a new session: there is no terminal to ask. */
async function run(
  script: string,
  isThere: boolean,
  environment: Record<string, string> = {},
): Promise<Ran> {
  const [calls, there] = [join(directory, "calls"), join(directory, "there")];
  writeFileSync(calls, "");
  rmSync(there, { force: true });
  if (isThere) writeFileSync(there, "");
  const env = { PATH: bin, CALLS: calls, THERE: there, TMPDIR: directory, ...environment };
  const child = spawn(join(bin, "bash"), ["-s"], { cwd: directory, env, detached: true });
  child.stdin.end(script);
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  const lines = readFileSync(calls, "utf8").split("\n").slice(0, -1);
  return {
    status,
    output,
    errors,
    calls: lines.map((line) => line.split("\x1f")),
  };
}

const yes = { LOSSLESS_YES: "1" };
/** Calls that only look. */
const looks =
  /^(aws sts get|aws iam get|gcloud config get|gcloud .*\bdescribe\b|az account show|az ([a-z]+(-[a-z]+)* )+?(list|show|exists) --)/;
const changesOf = ({ calls }: Ran): string[] =>
  calls.map((words) => words.join(" ")).filter((call) => !looks.test(call));
const commandsOf = (ran: Ran, words: number): string[] =>
  changesOf(ran).map((call) => call.split(" ").slice(0, words).join(" "));

for (const cloud of clouds) {
  test(`${cloud}: the shell takes the script; it asks before it changes anything`, async () => {
    const script = scriptOf(cloud);
    assert.equal(spawnSync("bash", ["-n"], { input: script }).status, 0);
    const ran = await run(script, false);
    assert.equal(ran.status, 1);
    assert.match(ran.errors, /Nothing was changed/);
    assert.match(ran.output, /this will\n/);
    assert.deepEqual(changesOf(ran), []);
    const cutOff = await run(script.slice(0, script.lastIndexOf("main ")), true, yes);
    assert.deepEqual(cutOff.calls, [], "a script that was cut off does nothing");
    const wrong = spawnSync(join(bin, "bash"), ["-s", "--", "--force"], {
      input: script,
      env: { PATH: bin },
      encoding: "utf8",
    });
    assert.deepEqual([wrong.status, wrong.stdout], [1, ""]);
  });

  test(`${cloud}: subject and audience are pinned; what is said at the end completes the connection`, async () => {
    for (const isThere of [false, true]) {
      const ran = await run(scriptOf(cloud), isThere, yes);
      assert.equal(ran.status, 0, ran.errors);
      assert.equal(ran.errors, "");
      const said = changesOf(ran).join("\n");
      assert.ok(said.includes(subject) && said.includes(audiences[cloud]));
      assert.ok(said.includes("lossless.acme.com/keys"));
      assert.ok(ran.output.includes(`lossless connections complete ${connectionId} --`));
      const body = JSON.parse(/^ {2}(\{.*\})$/m.exec(ran.output)![1]) as Record<string, unknown>;
      assert.deepEqual(body, bodies[cloud]);
      const programs_ = new Set(ran.calls.map(([program]) => program));
      assert.deepEqual([...programs_], [programs[cloud]], "nothing else runs");
    }
  });

  test(`${cloud}: no word can be more than a word (T47)`, async () => {
    const words = [
      "x'; touch p; '",
      "$(touch p)",
      "`touch p`",
      "a\nb",
      'a"b',
      "a b",
      "a;b",
      "a\\b",
    ];
    for (const word of words) {
      for (const given of [
        { connectionId: word },
        { organizationId: word },
        { subject: word },
        { audience: word },
        { issuer: `https://${word}` },
        { issuer: `https://a.b/${word}` },
        { baseUrl: `http://${word}` },
      ]) {
        assert.throws(() => scriptOf(cloud, given), /BUG: no |Invalid URL/);
      }
    }
    assert.throws(() => scriptOf(cloud, { subject: subjectOf(organizationId, organizationId) }));
  });

  test(`${cloud}: any other failure ends the script`, async () => {
    const broken = stub.replace("missing() {", "missing() { echo 'access denied' >&2; exit 1;");
    const failing = cloud === "azure" ? stub.replace("found an-id ;;", "exit 1 ;;") : broken;
    writeFileSync(join(bin, programs[cloud]), failing);
    try {
      const ran = await run(scriptOf(cloud), false, yes);
      assert.notEqual(ran.status, 0);
      assert.ok(!ran.output.includes("Done."));
    } finally {
      writeFileSync(join(bin, programs[cloud]), stub);
    }
  });
}

const bodies: Record<CloudName, unknown> = {
  aws: { cloud: "aws", aws: { roleArn: `arn:aws-cn:iam::123456789012:role/${name}` } },
  gcp: {
    cloud: "gcp",
    gcp: {
      projectId: "acme-data",
      projectNumber: "424242",
      poolId: name,
      providerId: name,
      serviceAccountEmail: `${name}@acme-data.iam.gserviceaccount.com`,
    },
  },
  azure: {
    cloud: "azure",
    azure: {
      tenantId: "11111111-1111-1111-1111-111111111111",
      clientId: "33333333-3333-3333-3333-333333333333",
      subscriptionId: "22222222-2222-2222-2222-222222222222",
      resourceGroup: name,
    },
  },
};

/** Returns the word after an option, or after its `=`. */
function valueOf(calls: string[][], command: string, option: string): string {
  const call = calls.find((words) => words.join(" ").startsWith(command));
  assert.ok(call !== undefined, command);
  const joined = call.find((word) => word.startsWith(`${option}=`));
  return joined?.slice(option.length + 1) ?? call[call.indexOf(option) + 1];
}

test("aws: what is made the first time, and corrected the second", async () => {
  const first = await run(scriptOf("aws"), false, yes);
  assert.deepEqual(commandsOf(first, 3), [
    "aws iam create-open-id-connect-provider",
    "aws iam create-role",
    "aws iam put-role-policy",
  ]);
  const second = await run(scriptOf("aws"), true, yes);
  assert.deepEqual(commandsOf(second, 3), [
    "aws iam add-client-id-to-open-id-connect-provider",
    "aws iam update-assume-role-policy",
    "aws iam update-role",
    "aws iam put-role-policy",
  ]);
  const made = valueOf(first.calls, "aws iam create-role", "--assume-role-policy-document");
  const corrected = valueOf(second.calls, "aws iam update-assume", "--policy-document");
  assert.equal(made, corrected);
  const provider = "arn:aws-cn:iam::123456789012:oidc-provider/lossless.acme.com/keys";
  assert.deepEqual(JSON.parse(made), {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { Federated: provider },
        Action: "sts:AssumeRoleWithWebIdentity",
        Condition: {
          StringEquals: {
            "lossless.acme.com/keys:aud": "sts.amazonaws.com",
            "lossless.acme.com/keys:sub": subject,
          },
        },
      },
    ],
  });
  assert.equal(valueOf(first.calls, "aws iam create-role", "--max-session-duration"), "14400");
  assert.equal(valueOf(second.calls, "aws iam update-role", "--max-session-duration"), "14400");
  const policy = JSON.parse(
    valueOf(first.calls, "aws iam put-role-policy", "--policy-document"),
  ) as { Statement: { Action: string[]; Resource: string; Condition?: object }[] };
  assert.deepEqual(
    policy.Statement.map(({ Resource }) => Resource),
    [`arn:aws-cn:s3:::${name}-*`, `arn:aws-cn:s3:::${name}-*/*`],
  );
  assert.ok(
    policy.Statement.every(({ Action }) => Action.every((one) => /^s3:[A-Z]\w+$/.test(one))),
  );
  assert.deepEqual(
    policy.Statement.map(({ Condition }) => Condition),
    [undefined, { StringEquals: { "aws:ResourceAccount": "123456789012" } }],
  );
});

test("gcp: what is made the first time, and corrected the second", async () => {
  const first = await run(scriptOf("gcp"), false, yes);
  const shared = [
    "gcloud projects add-iam-policy-binding",
    "gcloud projects add-iam-policy-binding",
    "gcloud iam service-accounts add-iam-policy-binding",
    "gcloud iam service-accounts add-iam-policy-binding",
  ];
  const commands = (ran: Ran) =>
    changesOf(ran).map(
      (call) => /^gcloud [a-z -]+?(?= \S*[0-9.@]| acme| \w*lossless)/.exec(call)?.[0],
    );
  assert.deepEqual(commands(first), [
    "gcloud services enable",
    "gcloud iam workload-identity-pools create",
    "gcloud iam workload-identity-pools providers create-oidc",
    "gcloud iam service-accounts create",
    "gcloud iam roles create",
    "gcloud iam roles create",
    ...shared,
  ]);
  const second = await run(scriptOf("gcp"), true, yes);
  assert.deepEqual(commands(second), [
    "gcloud services enable",
    "gcloud iam workload-identity-pools providers update-oidc",
    "gcloud iam roles update",
    "gcloud iam roles update",
    ...shared,
  ]);
  for (const [ran, how] of [
    [first, "create-oidc"],
    [second, "update-oidc"],
  ] as const) {
    const value = (option: string) =>
      valueOf(ran.calls, `gcloud iam workload-identity-pools providers ${how}`, option);
    assert.equal(value("--attribute-condition"), `assertion.sub=='${subject}'`);
    assert.equal(value("--attribute-mapping"), "google.subject=assertion.sub");
    assert.equal(value("--allowed-audiences"), "lossless");
    assert.equal(value("--issuer-uri"), "https://lossless.acme.com/keys");
  }
  const bindings = first.calls.filter((words) => words.includes("add-iam-policy-binding"));
  const granted = bindings.map((words) => words.slice(-5, -1).sort());
  const expression = `resource.name.startsWith("projects/_/buckets/${name}-")`;
  const roleId = name.replace("-", "_");
  assert.ok(granted[0].includes(`--condition=title=lossless,expression=${expression}`));
  assert.ok(granted[0].includes(`--role=projects/acme-data/roles/${roleId}`));
  assert.ok(granted[1].includes(`--role=projects/acme-data/roles/${roleId}_new`));
  const making = first.calls.find(
    (words) => words[3] === "create" && words.includes(`${roleId}_new`),
  )!;
  assert.ok(making.includes("--permissions=storage.buckets.create"));
  const principal = `principal://iam.googleapis.com/projects/424242/locations/global/workloadIdentityPools/${name}/subject/${subject}`;
  assert.ok(granted.slice(2).every((words) => words.includes(`--member=${principal}`)));
});

test("gcp: keys of an issuer that is not public are uploaded", async () => {
  const script = scriptOf("gcp", { issuer: "https://lossless.internal" });
  const ran = await run(script, false, yes);
  assert.equal(ran.status, 0, ran.errors);
  const fetched = ran.calls.find(([program]) => program === "curl")!;
  assert.equal(fetched.at(-1), "https://lossless.acme.com/.well-known/jwks.json");
  const path = valueOf(
    ran.calls,
    "gcloud iam workload-identity-pools providers create-oidc",
    "--jwk-json-path",
  );
  assert.equal(fetched[fetched.indexOf("--output") + 1], path);
  assert.equal(existsSync(path), false, "the file is removed");
});

test("gcp: keys that would come over an open way are not fetched, and nothing is changed", async () => {
  const issuer = "https://lossless.internal";
  const far = scriptOf("gcp", { issuer, baseUrl: "http://lossless.internal:7070" });
  const ran = await run(far, false, yes);
  assert.equal(ran.status, 1);
  assert.match(ran.errors, /without https/);
  assert.deepEqual(changesOf(ran), []);
  for (const baseUrl of ["http://localhost:7070", "http://127.0.0.1:7070", "http://[::1]:7070"]) {
    const near = await run(scriptOf("gcp", { issuer, baseUrl }), false, yes);
    assert.equal(near.status, 0, near.errors);
  }
  // Google fetches these itself.
  const fetched = await run(scriptOf("gcp", { baseUrl: "http://lossless.internal" }), false, yes);
  assert.equal(fetched.status, 0, fetched.errors);
});

test("azure: an application that somebody else can sign in to gets no rights", async () => {
  const ran = await run(scriptOf("azure"), true, { ...yes, STRANGER: "1" });
  assert.equal(ran.status, 1);
  assert.match(ran.errors, /another person can act as it/);
  assert.deepEqual(changesOf(ran), []);
});

test("azure: what is made the first time, and corrected the second", async () => {
  const first = await run(scriptOf("azure"), false, yes);
  assert.deepEqual(
    commandsOf(first, 4).map((command) => command.replace(/ --.*/, "")),
    [
      "az ad app create",
      "az ad app federated-credential",
      "az ad sp create",
      "az provider register",
      "az group create",
      "az role assignment create",
      "az role assignment create",
    ],
  );
  const second = await run(scriptOf("azure"), true, yes);
  assert.deepEqual(commandsOf(second, 5), ["az ad app federated-credential update"]);
  for (const [ran, how] of [
    [first, "create"],
    [second, "update"],
  ] as const) {
    const credential = valueOf(ran.calls, `az ad app federated-credential ${how}`, "--parameters");
    assert.deepEqual(JSON.parse(credential), {
      name,
      issuer: "https://lossless.acme.com/keys",
      subject,
      audiences: ["api://AzureADTokenExchange"],
      description: "Lossless",
    });
  }
  const assignments = first.calls.filter((words) =>
    words.join(" ").startsWith("az role assignment create"),
  );
  const scope = `/subscriptions/22222222-2222-2222-2222-222222222222/resourceGroups/${name}`;
  assert.deepEqual(
    assignments.map((words) => [
      words[words.indexOf("--role") + 1],
      words[words.indexOf("--scope") + 1],
    ]),
    [
      ["Storage Account Contributor", scope],
      ["Storage Blob Data Owner", scope],
    ],
  );
});

for (const cloud of clouds) {
  test(`${cloud}: an http issuer ends the script before it changes or asks anything`, async () => {
    const script = scriptOf(cloud, { issuer: "http://127.0.0.1:7070" });
    const keys = { LOSSLESS_UPLOAD_KEYS: "1" };
    const ran = await run(script, false, { ...yes, ...keys });
    assert.deepEqual([ran.status, ran.output, ran.calls], [1, "", []]);
    assert.match(ran.errors, /--issuer-url https:.*issuer export.*Nothing was changed\.\n$/);
    const allowed = await run(script, false, { ...yes, LOSSLESS_ALLOW_HTTP_ISSUER: "1" });
    assert.equal(allowed.status, 0, allowed.errors);
  });
}

test("an issuer that a cloud cannot reach is said plainly, before anything else", async () => {
  const cases: [CloudName, string, RegExp | null][] = [
    ["aws", "http://127.0.0.1:7070", /not an https address/],
    ["aws", "https://lossless.acme.com:8443", /has a port/],
    ["aws", "https://10.0.0.1", /not a public address/],
    ["azure", "https://lossless", /not a public address/],
    ["azure", "https://lossless.internal", /not a public address/],
    ["azure", "https://lossless.acme.com:8443", null],
    ["gcp", "http://localhost:7070", /not an https address/],
    ["gcp", "https://lossless.internal", null],
    ["aws", "https://lossless.acme.com", null],
  ];
  for (const [cloud, issuer, sentence] of cases) {
    const { errors } = await run(scriptOf(cloud, { issuer }), false);
    if (sentence === null) assert.ok(!errors.includes("Warning"), issuer);
    else assert.match(errors.slice(0, errors.indexOf("\n")), sentence);
  }
});
