import type { TableReply } from "@lossless/protocol";
import { withField } from "./with-field.ts";

interface Props {
  query: string;
  unknown: TableReply["unknown"];
  onChange: (query: string) => void;
}

/** Fields of the query that no experiment has; a click replaces one by an existing field. */
export function UnknownFields({ query, unknown = [], onChange }: Props) {
  return unknown.map(({ field, near }) => (
    <p class="unknown" role="status" key={field}>
      No experiment has <bdi>{field}</bdi>.{near.length > 0 && " Did you mean "}
      {near.map((name, at) => (
        <>
          {at > 0 && (at === near.length - 1 ? " or " : ", ")}
          <button
            key={name}
            type="button"
            class="quiet"
            onClick={() => onChange(withField(query, field, name))}
          >
            <bdi>{name}</bdi>
          </button>
        </>
      ))}
      {near.length > 0 && "?"}
    </p>
  ));
}
