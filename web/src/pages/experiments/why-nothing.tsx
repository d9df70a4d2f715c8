import { nearNames } from "@lossless/protocol/near-names";
import { fieldText } from "@lossless/protocol/query-field";
import { guessedQuery } from "@lossless/protocol/query-guess";
import { type Query, readQuery } from "@lossless/protocol/query-language";
import { queryText } from "@lossless/protocol/query-text";
import { Meant } from "../../parts/meant.tsx";
import { nearFields } from "../../query/near-fields.ts";
import { endsWith, nameOf } from "../../query/wanted-field.ts";
import { useRead } from "../../parts/use-read.ts";
import { countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Address } from "./use-address.ts";
import { withField } from "./with-field.ts";

interface Props {
  service: Service;
  /** Only a search in a folder has others to search. */
  address: Pick<Address, "query" | "folder" | "search"> & Partial<Pick<Address, "leaveFolder">>;
}

/** Tests of a query that are asked by themselves. */
const testsMax = 6;
/** Values compared with one that finds nothing. */
const valuesMax = 200;

/** Values of a field that are all offered, where none is near. */
const fewValues = 8;

/** Own fields whose values the service lists. */
const listed: ReadonlySet<string> = new Set([
  "name",
  "tag",
  "group",
  "commit",
  "folder",
  "artifact",
]);

/** A test, and how many experiments pass it alone. */
interface Tested {
  test: Query;
  total: number;
  /** Existing values that may be meant. */
  near: readonly string[];
  /** Fields that may be meant instead of its own, which no experiment of the folder has. */
  fields: readonly string[];
}

/** Says what may be meant, and which tests of a query find nothing by themselves. */
export function WhyNothing({ service, address }: Props) {
  const { query } = address;
  const tests = testsOf(query);
  const found = useTested(service, address, tests);
  if (found === undefined) return null;
  const { tested, elsewhere } = found;
  const guess = guessedQuery(query);
  const empty = tested.filter(({ total }) => total === 0);
  const replace = (test: Query, value: string) => {
    const replaced = (one: Query) =>
      queryText(one) === queryText(test) ? withValue(one, value) : one;
    address.search(tests.map((one) => text(replaced(one))).join(" "));
  };
  return (
    <>
      {guess !== undefined && (
        <p>
          <Meant names={[guess]} onChoose={(meant) => address.search(meant)} />
        </p>
      )}
      {empty.map(({ test, near, fields }) => (
        <p key={queryText(test)}>
          {tests.length > 1 && (
            <>
              By itself, <code>{queryText(test)}</code> finds none.{" "}
            </>
          )}
          <OtherFields
            {...{ test, fields }}
            onChoose={(field, other) => address.search(withField(query, field, other))}
          />
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
          <button type="button" class="quiet" onClick={() => address.leaveFolder?.()}>
            search all folders
          </button>
        </p>
      )}
    </>
  );
}

/** Asks each test by itself, and the whole query without the folder. */
function useTested(
  service: Service,
  { query, folder }: Pick<Address, "query" | "folder">,
  tests: readonly Query[],
) {
  const { found } = useRead(
    async (stopped) => {
      if (tests.length > testsMax) return undefined;
      const total = async (text: string, folderId: string | undefined) => {
        const body = { query: text, limit: 0, ...(folderId !== undefined && { folderId }) };
        return (await service.client.views.experiments(body, stopped)).total;
      };
      const tested = tests.map(async (test): Promise<Tested> => {
        const own = await total(queryText(test), folder);
        if (own > 0) return { test, total: own, near: [], fields: [] };
        const near = await nearValues(service, test, stopped);
        const field = folder === undefined ? undefined : namedField(test);
        const isMissing = field !== undefined && (await total(field, folder)) === 0;
        const others = isMissing ? await othersOf(service, field, stopped) : [];
        const totals = await Promise.all(others.map((other) => total(other, folder)));
        return { test, total: own, near, fields: others.filter((_, at) => totals[at] > 0) };
      });
      const elsewhere = folder === undefined ? 0 : await total(query, undefined);
      return { tested: await Promise.all(tested), elsewhere };
    },
    [query, folder],
  );
  return found;
}

interface OtherFieldsProps extends Pick<Tested, "test" | "fields"> {
  onChoose: (field: string, other: string) => void;
}

function OtherFields({ test, fields, onChoose }: OtherFieldsProps) {
  const field = namedField(test);
  if (field === undefined || fields.length === 0) return null;
  return (
    <>
      No experiment here has <bdi>{field}</bdi>.{" "}
      <Meant names={fields} onChoose={(other) => onChoose(field, other)} />{" "}
    </>
  );
}

/** The tests that all have to hold. */
function testsOf(text: string): readonly Query[] {
  const { query } = readQuery(text);
  if (query === undefined) return [];
  return query.kind === "and" ? query.parts : [query];
}

/** The key or the metric of a test. */
function namedField(test: Query): string | undefined {
  const field = "field" in test ? test.field : undefined;
  return field === undefined || field.kind === "own" ? undefined : fieldText(field);
}

/** Existing fields with the last part of one. */
async function othersOf(
  { client }: Service,
  field: string,
  stopped: AbortSignal,
): Promise<readonly string[]> {
  const last = nameOf(field).split(/[./]/).at(-1)!;
  const near = await nearFields(client, last, stopped).catch(() => []);
  return near.filter((other) => other !== field && endsWith(other, last));
}

/** Existing values of a field near to one that no experiment has, or all if they are few. */
async function nearValues(
  { client }: Service,
  test: Query,
  stopped: AbortSignal,
): Promise<readonly string[]> {
  if (test.kind !== "compare" || test.operator !== "=" || test.value.kind !== "text") return [];
  if (test.field.kind === "own" && !listed.has(test.field.name)) return [];
  const body = { field: fieldText(test.field), limit: valuesMax };
  // No values are as good as no reply.
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
