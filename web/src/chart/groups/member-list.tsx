import type { OverviewReply } from "@lossless/client";
import type { ReadonlySignal } from "@preact/signals";
import { CutName } from "../../parts/cut-name.tsx";
import { ListedNames } from "../../parts/listed-names.ts";
import { measureText, unitOfLine } from "../../parts/units.ts";
import { countText } from "../../parts/words.ts";
import { nameAlone, type LineLook } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import { Swatch } from "../lines/swatch.tsx";
import { membersAt } from "./members-at.ts";

interface Props {
  /** Name of the chart. */
  name: string;
  overview: OverviewReply;
  looks: readonly LineLook[];
  digits: number;
  board: { cursor: ReadonlySignal<{ x: number; chart: string } | undefined> };
  raised: ReadonlySignal<number | undefined>;
}

/**
 * The members of the group under the pointer with their values at the cursor, largest first. Other
 * charts, which raise the group too, have no list: it would cover a third one.
 */
export function MemberList({ name, overview, looks, digits, board, raised }: Props) {
  const at = raised.value;
  const cursor = board.cursor.value;
  const x = cursor?.chart === name ? cursor.x : undefined;
  const line = (overview.series as readonly Partition[])[at ?? -1];
  if (at === undefined || x === undefined || line?.group === undefined) return null;
  const { members, more } = membersAt(line, overview, x);
  const names = new ListedNames(members.map(({ look }) => look.name));
  return (
    <ul class="group-members" aria-label={`members of ${nameAlone(looks[at])}`}>
      {members.map(({ look, value }, place) => (
        <li key={place}>
          <Swatch kind={look.kind} />
          <span class="partition">
            <CutName name={look.name} names={names} />
            <span class="unseen">{look.name}</span>
          </span>{" "}
          <span class="value">{measureText(value, unitOfLine(line), digits)}</span>
        </li>
      ))}
      {more > 0 && (
        <li class="soft">
          {members.length === 0 ? countText(more) : `and ${countText(more)} more`}
        </li>
      )}
    </ul>
  );
}
