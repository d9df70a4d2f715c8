import type { Finding } from "@lossless/server/operator/doctor/doctor";
import type { OptionName } from "@lossless/server/settings/options";
import { type Command, type Invocation, noPositionals } from "../../command.ts";
import { dataHelp, dataOptions, serviceOptionsOf } from "../../data-location.ts";
import { countedText, printable } from "../../output.ts";

/** Makes the command; it takes all options of the service, and checks what some of them name. */
export async function makeDoctor(): Promise<Command> {
  const { flagName, optionNames } = await import("@lossless/server/settings/options");
  const flags = optionNames.map((name) => [flagName(name), { type: "string" }] as const);
  const options = { ...dataOptions, ...Object.fromEntries(flags) };
  return { usage, help, options, run: (invocation) => runDoctor(invocation, optionNames) };
}

const usage = "doctor [OPTIONS OF THE SERVICE]";

const help = `
Checks what a service depends on and says what to change: the machine's limits and clock, the disk (where it is, how
long a synced write takes, free space), PostgreSQL's settings, every location and identity provider, the age of the
newest backup, and the clients' address, through any proxy in front. The service may be stopped, but its address is then
a problem. Give the command the service's options. It writes small objects to the locations and removes them at once; it
changes nothing else.
Exit code 0: no problem; 1: at least one.

  --base-url U       the address that clients use (LOSSLESS_BASE_URL; the listen address)
  --host H, --port N  where the service listens (LOSSLESS_HOST, LOSSLESS_PORT)
  --segments U       sealed points in S3, as for the service (LOSSLESS_SEGMENTS)
  --trusted-proxies CIDR,...  as for the service (LOSSLESS_TRUSTED_PROXIES)
  --artifacts DIR    files of the built-in location (LOSSLESS_ARTIFACTS; artifacts in the data directory)
  --master-key-file F  the service's master key (LOSSLESS_MASTER_KEY_FILE; master.key in the data directory)
  --provision FILE   the service's provision file (LOSSLESS_PROVISION)
  --issuer-url U     the service's token issuer, if clouds are connected (LOSSLESS_ISSUER_URL)${dataHelp}
Other options of the service (lossless serve --help) are taken, and their values checked.`;

async function runDoctor(invocation: Invocation, names: readonly OptionName[]): Promise<number> {
  noPositionals(invocation);
  const { output } = invocation;
  const { examine } = await import("@lossless/server/operator/doctor/doctor");
  const settings = await serviceOptionsOf(invocation, names);
  const { segmentStoreOf } = await import("@lossless/server/settings/segment-store");
  const segments =
    settings.segments === undefined
      ? undefined
      : segmentStoreOf(settings.segments, settings.databaseUrl, invocation.environment);
  const { workersOf } = await import("@lossless/server/settings/workers-file");
  const workerUrls = workersOf(settings) ?? [];
  const findings = await examine({ ...settings, segments, workerUrls }, () => undefined);
  const problems = findings.filter(({ state }) => state === "problem").length;
  output.answer({ problems, findings }, () =>
    [...findings.map(line), verdict(findings)].join("\n"),
  );
  return problems === 0 ? 0 : 1;
}

const marks = { ok: "ok      ", advice: "advice  ", problem: "PROBLEM " } as const;

function line({ state, about, found, advice }: Finding): string {
  const seen = `${marks[state]}${about}: ${found}`;
  return printable(seen) + (advice === undefined ? "" : `\n        -> ${printable(advice)}`);
}

function verdict(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]): number =>
    findings.filter((finding) => finding.state === state).length;
  return `${count("ok")} ok, ${count("advice")} advice, ${countedText(count("problem"), "problem")}`;
}
