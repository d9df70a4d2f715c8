import { type Field, parseField } from "@lossless/protocol/query-field";
import { Meant } from "../../../parts/meant.tsx";
import { useRead } from "../../../parts/use-read.ts";
import type { Service } from "../../../signed-in.ts";

interface Props {
  service: Service;
  /** A search that finds nothing. */
  text: string;
  kind: "meta" | "metric";
  onText: (text: string) => void;
}

/** Keys or metrics that a search may mean. */
export function MeantFields({ service, text, kind, onText }: Props) {
  const { found } = useRead(
    (stopped) => service.client.views.fields({ text, near: true, limit: 1 }, stopped),
    [text],
  );
  const names = (found?.near ?? []).map(parseField).flatMap((field) => nameOf(field, kind));
  return <Meant names={names} onChoose={onText} />;
}

function nameOf(field: Field, kind: Props["kind"]): string[] {
  if (field.kind !== kind) return [];
  if (field.kind === "metric") return [field.name];
  return field.kind === "meta" ? [field.path.join(".")] : [];
}
