import type { LosslessClient } from "@lossless/client";
import { parseField } from "@lossless/protocol/query-field";
import { isOfTools, ownGroupFields } from "../../../chart/groups/keys.ts";
import type { Grouping } from "../../../chart/view.ts";
import type { PageProps } from "../../../page.ts";
import { useRead } from "../../../parts/use-read.ts";
import { leastText } from "../../../parts/words.ts";
import { type KeyChoice, KeyPicker } from "../../experiment/key-picker.tsx";
import { type Found, readDifferingKeys } from "../differing-keys.ts";
import type { Address } from "../use-address.ts";
import type { AskFields } from "../../../query/use-completions.ts";
import { readGroupsAddress } from "./groups-address.ts";

export interface RowKeysProps extends PageProps {
  address: Address;
  ask: AskFields;
}

const searchedMax = 60;

/** The keys by which the rows of the table are grouped: those in which the first rows differ. */
export function RowKeys({ service, location, address, ask }: RowKeysProps) {
  const { by } = readGroupsAddress((name) => location.parameter(name));
  const { query, folder, sort } = address;
  const { found: keys, problem } = useRead(
    (stopped) => readKeys(service.client, { query, folder, sort }, stopped),
    [query, folder],
  );
  const search = async (text: string, stopped: AbortSignal): Promise<KeyChoice[]> => {
    const { fields } = await ask({ text, limit: searchedMax }, stopped);
    return fields.filter(isKey).map(({ field, experiments, isMinimum }) => {
      const words = `in ${leastText(experiments, isMinimum)} of all`;
      return { key: field, name: field, words };
    });
  };
  const change = (grouping: Grouping | undefined) =>
    location.change({ by: grouping?.keys.join(", "), gsort: undefined }, true);
  const grouping: Grouping | undefined = by.length === 0 ? undefined : { kind: "by", keys: by };
  return <KeyPicker {...{ keys, problem, search, grouping, change }} />;
}

/**
 * The keys in which the first rows differ, then the fields of experiments, then keys that tools
 * write by themselves.
 */
async function readKeys(
  client: LosslessClient,
  found: Found,
  stopped: AbortSignal,
): Promise<KeyChoice[]> {
  const { keys, isMinimum } = await readDifferingKeys(client, found, stopped);
  const choices = keys.map(({ key, values }) => {
    const words = `${leastText(values, isMinimum)} ${values === 1 ? "value" : "values"}`;
    return { key, name: key, words };
  });
  return [
    ...choices.filter(({ key }) => !isOfTools(key)),
    ...ownGroupFields.map((key) => ({ key, name: key })),
    ...choices.filter(({ key }) => isOfTools(key)),
  ];
}

function isKey({ field }: { field: string }): boolean {
  return parseField(field).kind === "meta";
}
