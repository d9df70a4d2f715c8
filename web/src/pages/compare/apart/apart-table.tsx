import type { DifferenceReply } from "@lossless/protocol";
import { useMemo, useRef } from "preact/hooks";
import { countedText, countText } from "../../../parts/words.ts";
import { filteredParameters } from "../compare-address.ts";
import { KeyActions, KeyMenu } from "../difference/key-menu.tsx";
import { MissingValue } from "../difference/missing.tsx";
import { TableRows } from "../difference/table-rows.tsx";
import { saidOf } from "../cut-list.ts";
import type { PanelProps } from "../panel.ts";
import {
  apartRows,
  apartText,
  cautionText,
  valueShares,
  type ApartRow,
  type Share,
} from "./apart-rows.ts";
import type { Sides } from "./sides.ts";
import { useApart } from "./use-apart.ts";

interface Props extends PanelProps {
  sides: Sides;
  /** The metas of all compared experiments. */
  reply: DifferenceReply | undefined;
}

/** The keys that distinguish two sides, strongest first. */
export function ApartTable(props: Props) {
  const { service, location, compared, address } = props;
  const { reply, problem, isCurrent } = useApart(service, compared, props.sides);
  // Until new counts arrive the table names the sides of the old ones.
  const counted = useRef(props.sides);
  if (isCurrent) counted.current = props.sides;
  const sides = counted.current;
  const apart = reply?.apart;
  const rows = useMemo(() => apart && apartRows(apart), [apart]);
  if (apart === undefined || rows === undefined)
    return <p role={problem === undefined ? undefined : "alert"}>{problem ?? "…"}</p>;
  const filter = (test: string) => location.change(filteredParameters(address, test), true);
  const { names } = sides;
  return (
    <>
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      <p class="count" role="status">
        {saidOf(apartText(apart, rows, reply?.late ?? 0), compared)}
      </p>
      {rows.length > 0 && (
        <TableRows
          rows={rows}
          unit="key"
          cells={6}
          label="Keys that tell A from B"
          look="apart-rows"
          isBusy={!isCurrent}
          heads={
            <>
              <th scope="col">key</th>
              <th scope="col">what tells them apart</th>
              <th scope="col">{`A: ${names.a} (${countText(apart.named)})`}</th>
              <th scope="col">{`B: ${names.b} (${countText(apart.others)})`}</th>
              <th scope="col">shares differ by</th>
              <th scope="col">actions</th>
            </>
          }
          keyOf={({ field }) => field}
          draw={(row) => <Cells {...props} {...{ sides, row, filter }} />}
        />
      )}
      <p class="count">{cautionText(apart)}</p>
    </>
  );
}

interface CellsProps extends Props {
  row: ApartRow;
  filter: (test: string) => void;
}

function Cells({ row, filter, location, address, sides, reply }: CellsProps) {
  const { field, title, test, a, b, hundredths } = row;
  return (
    <>
      <th scope="row">
        <KeyMenu {...{ field, title, location, address }}>
          <Values {...{ field, sides, reply, filter }} />
        </KeyMenu>
      </th>
      <td>
        <button
          type="button"
          class="test"
          title={`Compare only experiments with ${row.filter}`}
          aria-label={`${title} ${test}`}
          onClick={() => filter(row.filter)}
        >
          <bdi>{test}</bdi>
        </button>
      </td>
      <td>
        <ShareBar {...a} />
      </td>
      <td>
        <ShareBar {...b} />
      </td>
      <td class="distance">{hundredths} %</td>
      <td class="uses">
        <KeyActions {...{ field, location, address }} isShort />
      </td>
    </>
  );
}

/** A share as a bar and as numbers. */
function ShareBar({ count, of }: Share) {
  return (
    <>
      <svg class="share" viewBox="0 0 40 8" aria-hidden="true">
        <rect class="whole" width="40" height="8" />
        <rect class="part" width={(40 * count) / of} height="8" />
      </svg>
      {`${countText(count)} of ${countText(of)}`}
    </>
  );
}

/** Values of a key shown at most: more are a series rather than a choice. */
const valuesShown = 20;

interface ValuesProps extends Pick<CellsProps, "sides" | "reply" | "filter"> {
  field: string;
}

/** Each value of a key among the compared experiments, with its counts on either side. */
function Values({ field, sides, reply, filter }: ValuesProps) {
  const key = reply?.keys.find((one) => one.field === field);
  if (reply === undefined || key === undefined)
    return <p class="count">All compared experiments have the same value.</p>;
  const ids = reply.experiments.map(({ experimentId }) => experimentId);
  const members = { a: new Set(sides.a), b: new Set(sides.b) };
  const values = valueShares(key, ids, members);
  const left = values.length - valuesShown;
  return (
    <>
      <p class="count">{sides.b === undefined ? "values in A:" : "values in A and in B:"}</p>
      <ul>
        {values.slice(0, valuesShown).map(({ text, isMissing, filter: test, a, b }) => {
          const words = isMissing ? <MissingValue /> : <bdi>{text}</bdi>;
          return (
            <li key={text}>
              {test === undefined ? (
                words
              ) : (
                <button
                  type="button"
                  title={`Compare only experiments with ${test}`}
                  onClick={() => filter(test)}
                >
                  {words}
                </button>
              )}
              <span class="count">{sides.b === undefined ? a : `A ${a}, B ${b}`}</span>
            </li>
          );
        })}
      </ul>
      {left > 0 && <p class="count">{countedText(left, "more value")}</p>}
    </>
  );
}
