import { nearNames } from "@lossless/protocol/near-names";
import { fieldText } from "@lossless/protocol/query-field";
import { type Query, readQuery } from "@lossless/protocol/query-language";
import { queryText } from "@lossless/protocol/query-text";
import { Meant } from "../../parts/meant.tsx";
import { useRead } from "../../parts/use-read.ts";
import { countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Address } from "./use-address.ts";

interface Props {
  service: Service;
  address: Address;
}

/** Tests of a query that are asked by themselves. */
const testsMax = 6;
/** Values compared with one that finds nothing. */
const valuesMax = 200;

/** Values of a field that are all offered, where none is near. */
const fewValues = 8;

/** A test, and how many experiments pass it alone. */
interface Tested {
  test: Query;
  total: number;
  /** Existing values that may be meant. */
  near: readonly string[];
}

/** Says which tests of a query find nothing by themselves, and what else may be meant. */
export function WhyNothing({ service, address }: Props) {
  const { query, folder } = address;
  const tests = testsOf(query);
  const { found } = useRead(
    async (stopped) => {
      if (tests.length > testsMax) return undefined;
      const total = async (text: string, folderId: string | undefined) => {
        const body = { query: text, limit: 0, ...(folderId !== undefined && { folderId }) };
        return (await service.client.views.experiments(body, stopped)).total;
      };
      const tested = tests.map(async (test): Promise<Tested> => {
        const own = await total(queryText(test), folder);
        return { test, total: own, near: own > 0 ? [] : await nearValues(service, test, stopped) };
      });
      const elsewhere = folder === undefined ? 0 : await total(query, undefined);
      return { tested: await Promise.all(tested), elsewhere };
    },
    [query, folder],
  );
  if (found === undefined) return null;
  const { tested, elsewhere } = found;
  const empty = tested.filter(({ total }) => total === 0);
  const replace = (test: Query, value: string) => {
    const replaced = (one: Query) =>
      queryText(one) === queryText(test) ? withValue(one, value) : one;
    address.search(tests.map((one) => text(replaced(one))).join(" "));
  };
  return (
    <>
      {empty.map(({ test, near }) => (
        <p key={queryText(test)}>
          {tests.length > 1 && (
            <>
              By itself, <code>{queryText(test)}</code> finds none.{" "}
            </>
          )}
          <Meant names={near} onChoose={(value) => replace(test, value)} />
        </p>
      ))}
      {empty.length === 0 && tests.length > 1 && (
        <p>
          By themselves,{" "}
          {tested.map(({ test, total }, at) => (
            <>
              {at > 0 && (at === tested.length - 1 ? " and " : ", ")}
              <code>{queryText(test)}</code> finds {countText(total)}
            </>
          ))}
          .
        </p>
      )}
      {elsewhere > 0 && (
        <p>
          In all folders it finds {countText(elsewhere)}.{" "}
          <button type="button" class="quiet" onClick={() => address.leaveFolder()}>
            search all folders
          </button>
        </p>
      )}
    </>
  );
}

/** The tests that all have to hold. */
function testsOf(text: string): readonly Query[] {
  const { query } = readQuery(text);
  if (query === undefined) return [];
  return query.kind === "and" ? query.parts : [query];
}

/** Existing values of a field near to one that no experiment has, or all if they are few. */
async function nearValues(
  { client }: Service,
  test: Query,
  stopped: AbortSignal,
): Promise<readonly string[]> {
  if (test.kind !== "compare" || test.operator !== "=" || test.value.kind !== "text") return [];
  const body = { field: fieldText(test.field), limit: valuesMax };
  // Not every field lists its values.
  const reply = await client.views.fields(body, stopped).catch(() => undefined);
  const values = (reply?.values ?? []).map(({ value }) => String(value));
  const near = nearNames(test.value.text, values);
  return near.length === 0 && values.length <= fewValues ? values : near;
}

function withValue(test: Query, text: string): Query {
  return test.kind === "compare" ? { ...test, value: { kind: "text", text } } : test;
}

function text(test: Query): string {
  return test.kind === "or" ? `(${queryText(test)})` : queryText(test);
}
