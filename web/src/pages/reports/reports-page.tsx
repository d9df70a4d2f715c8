import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { timeText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import { SaveDialog } from "../../saved/save-dialog.tsx";

/** `/reports`: one's own and the organization's. */
export function ReportsPage({ service, location }: PageProps) {
  const { found: reports, problem } = useAnswer(
    (stopped) => service.client.reports.list(stopped),
    [service],
  );
  const [isMaking, setIsMaking] = useState(false);
  useEffect(() => {
    document.title = "Reports · Lossless";
  }, []);
  if (reports === undefined) return <p class="waiting">{problem ?? "Loading reports …"}</p>;
  return (
    <main class="report">
      <article class="sheet">
        <h1>Reports</h1>
        {mayWrite(service) && (
          <p>
            <button type="button" class="strong" onClick={() => setIsMaking(true)}>
              + report
            </button>
          </p>
        )}
        {reports.length === 0 ? (
          <p>
            No reports yet. A report combines text with charts and tables. To add a chart to a
            report, use the chart's menu.
          </p>
        ) : (
          <ul class="reports">
            {reports.map(({ id, name, scope, changedBy, changedAtMs }) => (
              <li key={id}>
                <a href={`/reports/${id}`}>{name}</a>
                <span class="count">
                  {scope === "own" ? "yours" : "shared"} · changed by {changedBy} on{" "}
                  {timeText(changedAtMs)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </article>
      {isMaking && (
        <SaveDialog
          title="New report"
          action="Create"
          usual={`Report of ${timeText(Date.now())}`}
          onSave={async (given) => {
            const { id } = await service.client.reports.create({ ...given, blocks: [] });
            location.open(`/reports/${id}?edit=1`);
          }}
          onClose={() => setIsMaking(false)}
        />
      )}
    </main>
  );
}
