import type { ShownIssuerKey } from "@lossless/server/operator/issuer-administration";
import { noPositionals } from "../../command.ts";
import { dataCommand, driverSettingsOf, serviceOptionsOf } from "../../data-location.ts";
import { table, timeText } from "../../output.ts";

export const keys = dataCommand({
  usage: "issuer keys",
  help: `
Lists the signing keys of the token issuer that connected clouds trust, without their private halves. It works on the
data, beside a stopped or a running service. A key is first published (next), then signs (active), and stays published
for a day afterwards (retired).
`,
  async run(invocation) {
    noPositionals(invocation);
    const { listIssuerKeys } = await import("@lossless/server/operator/issuer-administration");
    const found = await listIssuerKeys(await driverSettingsOf(invocation));
    invocation.output.answer({ keys: found }, () =>
      found.length === 0
        ? "there are no keys yet: the service makes them when they are first needed"
        : keyTable(found),
    );
  },
});

export const rotate = dataCommand({
  usage: "issuer rotate [--force] [--withdraw]",
  help: `
Makes the next key sign from now on and publishes another one; the service does so by itself every 90 days. It works on
the data, beside a stopped or a running service. It is refused while the next key has been published for less than 24
hours, or is missing in the set at the issuer's address. Unless --force is given it needs that address: --issuer-url, or
the service's own from the variables or the file below. If the service has no --issuer-url, the address is its base URL,
and the service has to run, because it publishes the set.

  --force            at once, without these checks; clouds refuse tokens until they have fetched the keys again
  --withdraw         no longer publish the key that signed until now, nor retired ones: for a key that may have leaked.
                     If both the database and the master key may have leaked, so has the next key: run it twice,
                     with --force
  --issuer-url U     where clouds fetch the documents, as for the service (LOSSLESS_ISSUER_URL, LOSSLESS_BASE_URL)
  --master-key-file F  the service's master key (LOSSLESS_MASTER_KEY_FILE; master.key in the data directory)`,
  options: {
    force: { type: "boolean" },
    withdraw: { type: "boolean" },
    "issuer-url": { type: "string" },
    "master-key-file": { type: "string" },
  },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const { rotateIssuerKey } = await import("@lossless/server/operator/issuer-administration");
    const { masterKeyFile, issuerUrl, baseUrl } = await serviceOptionsOf(invocation, [
      "masterKeyFile",
      "issuerUrl",
      "baseUrl",
    ]);
    const found = await rotateIssuerKey({
      ...(await driverSettingsOf(invocation)),
      masterKeyFile,
      issuerUrl: issuerUrl ?? baseUrl,
      isForced: values.flag("force"),
      withdraws: values.flag("withdraw"),
    });
    output.answer({ keys: found }, () => keyTable(found));
    output.note(
      "If the documents are published elsewhere (--issuer-url), run lossless issuer export DIR and publish them now.",
    );
  },
});

function keyTable(found: readonly ShownIssuerKey[]): string {
  const rows = found.map(({ id, state, createdAtMs, changedAtMs, isPublished }) => [
    id,
    state,
    timeText(createdAtMs),
    timeText(changedAtMs),
    isPublished ? "yes" : "no",
  ]);
  return table(["KEY", "STATE", "MADE", "SINCE", "PUBLISHED"], rows);
}
