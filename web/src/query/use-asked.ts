import type { LosslessClient } from "@lossless/client";
import { useCallback } from "preact/hooks";
import { nearFields } from "./near-fields.ts";
import { type AskFields, isOfClients } from "./use-completions.ts";
import type { AskNear } from "./use-query-problem.ts";
import { endsWith, nameOf, type WantedField, withStat } from "./wanted-field.ts";

/** Fields below a key, of which one may have the value of a test. */
const belowMax = 60;
/** Fields that are looked for in the table's experiments. */
const triedMax = 12;

/** Questions of a query field to the service. `folder`: the one that its table shows. */
export function useAsked({ client }: { client: LosslessClient }, folder?: string) {
  const ask = useCallback<AskFields>((body, signal) => client.views.fields(body, signal), [client]);
  const askNear = useCallback<AskNear>(
    async (wanted, columns, signal) => {
      const near = await nearFields(client, wanted.name, signal);
      const below = await fieldsBelow(client, wanted, signal);
      const shown = columns.filter((column) => endsWith(column, wanted.name));
      const all = [...near, ...shown, ...below].flatMap(
        (field) => withStat(field, wanted.stat) ?? [],
      );
      const fields = [...new Set(all)].slice(0, triedMax);
      if (folder === undefined && wanted.test === undefined)
        return { fields, found: new Set(fields) };
      const has = async (field: string, test: string) => {
        const where = { ...(folder !== undefined && { folderId: folder }), limit: 0 };
        const query = `${field} ${test}`;
        return (await client.views.experiments({ ...where, query }, signal)).total > 0;
      };
      for (const test of wanted.test === undefined ? [""] : [wanted.test, ""]) {
        // A field that cannot be tested so is none.
        const are = await Promise.all(fields.map((field) => has(field, test).catch(() => false)));
        const found = fields.filter((_, at) => are[at]);
        if (found.length > 0) return { fields, found: new Set(found) };
      }
      return { fields, found: new Set() };
    },
    [client, folder],
  );
  return { ask, askNear };
}

/** Fields of the config below a key that is tested as if it were one: `optimizer = muon`. */
async function fieldsBelow(
  client: LosslessClient,
  { name, test }: WantedField,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (test === undefined) return [];
  const body = { text: `meta.${name}.`, limit: belowMax };
  const { fields } = await client.views.fields(body, signal);
  const below = fields.filter((one) => !isOfClients(one)).map(({ field }) => field);
  return below.filter((field) => nameOf(field).startsWith(`${name}.`));
}
