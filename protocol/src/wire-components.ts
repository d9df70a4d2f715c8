import { ColumnsHead } from "./columns.ts";
import { Components } from "./components.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { ErrorReplyData } from "./envelope.ts";
import { eventNames, events } from "./events.ts";

/** Every titled schema that a client sends or gets, by title in the order of their names. */
export function wireComponents(): Components {
  const components = new Components();
  for (const name of eventNames) {
    components.add(events[name].data);
    for (const reply of events[name].replies) components.add(reply.data);
  }
  components.add(ErrorReplyData);
  components.add(ColumnsHead);
  for (const { errorForm, request, reply } of Object.values<EndpointDefinition>(endpoints)) {
    if (errorForm.json !== undefined) components.add(errorForm.json.schema);
    if (request.kind === "json") components.add(request.schema);
    if (reply.kind === "json") components.add(reply.schema);
  }
  const sorted = [...components.schemas].sort(([left], [right]) => (left < right ? -1 : 1));
  components.schemas.clear();
  for (const [title, schema] of sorted) components.schemas.set(title, schema);
  return components;
}
