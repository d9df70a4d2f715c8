import type { ExperimentGroup, ExperimentGroupsReply, TableBody } from "@lossless/protocol";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { countText } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import { Head, type SortProps, StatHead } from "./group-heads.tsx";
import { GroupMembers } from "./group-members.tsx";
import { GroupRow } from "./group-row.tsx";

interface Props extends SortProps {
  service: Service;
  reply: ExperimentGroupsReply;
  /** Reads more groups; undefined: these are all. */
  more: (() => void) | undefined;
  /** The question for the experiments of all groups. */
  asked: Omit<TableBody, "columns" | "limit">;
}

/** The groups as rows, those that are open with their experiments. */
export function GroupTable({ service, reply, more, asked, by, numbers, sort, sortBy }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const columns = numbers.map(({ column }) => column);
  const toggle = (name: string) => setOpen((before) => before.symmetricDifference(new Set([name])));
  return (
    <div class="grouped-scroll" tabIndex={0} role="region" aria-label="Groups">
      <table>
        <thead>
          <tr>
            {by.map((field, at) => (
              <Head key={field} of="key" at={at} {...{ sort, sortBy }}>
                {field}
              </Head>
            ))}
            <Head of="experiments" {...{ sort, sortBy }}>
              experiments
            </Head>
            {numbers.map(({ at, column }) => (
              <StatHead key={column.field} {...{ column, at, sort, sortBy }} />
            ))}
          </tr>
        </thead>
        <tbody>
          {reply.groups.map((group) => {
            const name = nameOf(group);
            const isOpen = open.has(name);
            return (
              <Fragment key={name}>
                <GroupRow
                  {...{ group, columns, isOpen }}
                  cells={numbers.map(({ at }) => group.columns[at])}
                  onToggle={() => toggle(name)}
                />
                {isOpen && (
                  <GroupMembers
                    {...{ service, columns }}
                    asked={{ ...asked, group: { by: [...by], values: group.values } }}
                    lead={by.length + 1}
                  />
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {more !== undefined && (
        <button type="button" class="quiet" onClick={more}>
          show more of {countText(reply.total - reply.groups.length)} groups
        </button>
      )}
    </div>
  );
}

function nameOf({ values }: ExperimentGroup): string {
  return JSON.stringify(values);
}
