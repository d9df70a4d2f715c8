import type { Mend } from "./query-mends.ts";
import type { QueryProblem } from "./use-query-problem.ts";

interface Props extends QueryProblem {
  onMend: (mend: Mend) => void;
}

/** Why a query cannot be read, with a button for each query that may be meant. */
export function ProblemOfQuery({ text, mends, onMend }: Props) {
  return (
    <>
      {text}{" "}
      {mends.map((mend) => (
        <button
          key={mend.field}
          type="button"
          class="mend"
          title={mend.query}
          onClick={() => onMend(mend)}
        >
          use <bdi>{mend.field}</bdi>
        </button>
      ))}
    </>
  );
}
