import { call, type JsonObject, parseObject } from "../http.ts";
import { organizations } from "../service.ts";
import type { Journal } from "./journal.ts";
import type { Target } from "./load.ts";

/** Opens an experiment, or opens it again, and journals that. */
export async function openTarget(
  baseUrl: string,
  journal: Journal,
  experiment: number,
  target?: Target,
): Promise<Target> {
  const slug = `experiment ${experiment}`;
  journal.write({ at: "opening", experiment, slug });
  const data = { slug, description: slug, meta: { experiment } };
  const reply = await call(baseUrl, {
    path: "/api/v2/events",
    credential: organizations.acme.key,
    body: { messageId: slug, event: "svc.v2.experiment.open", data },
  });
  const opened = parseObject(reply.text).data as JsonObject | null;
  if (opened === null) throw new Error(`${slug} was not opened: ${reply.status} ${reply.text}`);
  const experimentId = String(opened.experimentId);
  const token = String(opened.experimentToken);
  journal.write({ at: "opened", experiment, experimentId, token });
  const fresh = {
    nextPoint: 0,
    nextAnnotation: 0,
    acknowledged: new Set<number>(),
    printed: [],
  };
  return { ...fresh, ...target, experiment, slug, experimentId, token, isChangingStatus: false };
}
