import type { ComponentChildren } from "preact";

interface Props {
  title: string;
  /** A number beside the title. */
  count?: string | undefined;
  /** Search and the like, at the end of the title's line. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of the overview under its name. */
export function Card({ title, count, actions, children }: Props) {
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>
          {title} {count !== undefined && <span class="count">{count}</span>}
        </h2>
        {actions}
      </header>
      {children}
    </section>
  );
}
