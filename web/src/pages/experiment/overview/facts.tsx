import type { ComponentChildren } from "preact";
import type { Fact } from "./captured.ts";
import { Card } from "./card.tsx";

export interface ShownFact {
  name: string;
  /** Nothing: the fact is not known, and not shown. */
  content: ComponentChildren;
}

/** Facts as a list of names and values. */
export function FactList({ facts }: { facts: readonly ShownFact[] }) {
  const known = facts.filter(({ content }) => content !== undefined && content !== false);
  return (
    <dl class="known">
      {known.map(({ name, content }, at) => (
        <div key={at}>
          {/* A name that is repeated is seen once. */}
          <dt class={name === known[at - 1]?.name ? "unseen" : ""}>{name}</dt>
          <dd>{content}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A card of facts that are texts. */
export function Facts({ title, facts }: { title: string; facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <Card title={title}>
      <FactList facts={facts.map(({ name, text }) => ({ name, content: <bdi>{text}</bdi> }))} />
    </Card>
  );
}
