import { readQuery } from "@lossless/protocol/query-language";
import { ProblemOfQuery } from "../../query/problem-of-query.tsx";
import type { Address } from "./use-address.ts";
import { type AskNear, useQueryProblem } from "../../query/use-query-problem.ts";

interface Props {
  address: Address;
  columns: readonly string[];
  askNear: AskNear;
}

/** In place of the rows, where the address has a query that cannot be read. */
export function UnreadQuery({ address, columns, askNear }: Props) {
  const { query } = address;
  const { error } = readQuery(query);
  const { text, mends } = useQueryProblem(query, error, columns, askNear);
  return (
    <div class="nothing unread">
      <p>The query cannot be read, so no experiments are shown.</p>
      <p>
        <ProblemOfQuery {...{ text, mends }} onMend={(mend) => address.search(mend.query)} />
      </p>
      <button type="button" onClick={() => address.search("")}>
        clear the query
      </button>
    </div>
  );
}
