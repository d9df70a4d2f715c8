import type { PathProps } from "../../page.ts";
import { Problem } from "../../parts/problem.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { OrganizationPage } from "./organization-page.tsx";
import { Usage } from "./usage.tsx";

const ranges = ["7", "30", "90", "366"];
const groupings = ["location", "place", "transfer"] as const;

/** `/organization/usage?days=&by=` */
export function UsagePage({ service, location }: PathProps) {
  const { views, organization } = service.client;
  const days = ranges.find((each) => each === location.parameter("days")) ?? "30";
  const by = groupings.find((each) => each === location.parameter("by")) ?? "location";
  const { found, problem } = useAnswer(async () => {
    const [usage, { locations }] = await Promise.all([
      views.usage({ days: Number(days), by }),
      organization.view(),
    ]);
    return { usage, names: new Map(locations.map(({ id, name }) => [id, name])) };
  }, [views, organization, days, by]);
  return (
    <OrganizationPage name="Usage" service={service}>
      <form class="row filters">
        <label>
          Days
          <select
            value={days}
            onChange={({ currentTarget: { value } }) =>
              location.change({ days: value === "30" ? undefined : value }, true)
            }
          >
            {ranges.map((each) => (
              <option key={each} value={each}>
                the last {each}
              </option>
            ))}
          </select>
        </label>
        <label>
          Bytes by
          <select
            value={by}
            onChange={({ currentTarget: { value } }) =>
              location.change({ by: value === "location" ? undefined : value }, true)
            }
          >
            {groupings.map((each) => (
              <option key={each} value={each}>
                {each === "place" ? "place of the writer or reader" : each}
              </option>
            ))}
          </select>
        </label>
        <span class="soft">Days are in UTC.</span>
      </form>
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <Usage
          usage={found.usage}
          nameOf={(id) => (by === "location" ? (found.names.get(id) ?? id) : id)}
          locationNames={found.names}
        />
      )}
    </OrganizationPage>
  );
}
