import type { Service } from "../../signed-in.ts";
import { useRead } from "../../parts/use-read.ts";
import { countedText, countText } from "../../parts/words.ts";
import { lineageAddress } from "../lineage/lineage-address.ts";
import { modelAddress } from "../models/model-address.ts";
import { experimentAddress } from "./experiment-address.ts";

interface Props {
  service: Service;
  artifact: string;
  version: string;
}

/** Runs listed by name; the graph has all of them. */
const usersShown = 5;

/** Runs that used a version, and registered models that have it. */
export function VersionLineageFacts({ service, artifact, version }: Props) {
  const { found } = useRead(
    (stopped) => service.client.lineage.ofVersion(artifact, version, stopped),
    [artifact, version],
  );
  if (found === undefined) return null;
  const { users, usersLeftOut, models, maker } = found;
  const runs = [...new Map(users.map(({ node }) => [node.id, node])).values()];
  const graph = lineageAddress({ artifact, version });
  return (
    <dl class="written">
      <div>
        <dt>used by</dt>
        <dd>
          {runs.slice(0, usersShown).map(({ id, name, experimentId, state }) => (
            <span key={id}>
              {state === "present" ? (
                <a href={experimentAddress(experimentId!)}>{name}</a>
              ) : (
                <bdi>{name} (in the trash)</bdi>
              )}{" "}
            </span>
          ))}
          {runs.length === 0 && "no recorded run "}
          {runs.length > usersShown && (
            <>and {countedText(runs.length - usersShown + usersLeftOut, "more run")} </>
          )}
          {(maker !== null || runs.length > 0) && <a href={graph}>lineage</a>}
        </dd>
      </div>
      {models.length > 0 && (
        <div>
          <dt>in models</dt>
          <dd>
            {models.map(({ model, version: number, aliases }) => (
              <span key={`${model} ${number}`}>
                <a href={modelAddress(model)}>{model}</a> version {countText(number)}
                {aliases.map((alias) => ` @${alias}`).join("")}{" "}
              </span>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}
