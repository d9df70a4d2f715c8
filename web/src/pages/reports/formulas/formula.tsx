import { h, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import { FormulaError, type MathNode, readFormula } from "./formula.ts";

/**
 * A formula, as MathML that browsers draw and screen readers read. One that is not known stands
 * there as it was written, with the reason.
 */
export function Formula({ source, isBlock }: { source: string; isBlock: boolean }) {
  const { node, problem } = useMemo(() => read(source), [source]);
  if (node === undefined)
    return (
      <code title={problem}>
        {source} <span class="formula-problem">({problem})</span>
      </code>
    );
  const drawn = h("math", { display: isBlock ? "block" : "inline" }, drawnOf(node));
  return isBlock ? (
    <div class="formula" tabIndex={0} role="group" aria-label="Formula">
      {drawn}
    </div>
  ) : (
    drawn
  );
}

function read(source: string): { node?: MathNode; problem?: string } {
  try {
    return { node: readFormula(source) };
  } catch (error) {
    if (error instanceof FormulaError) return { problem: error.message };
    throw error;
  }
}

function drawnOf({ tag, attributes, children }: MathNode): VNode {
  const inside = children.map((child) => (typeof child === "string" ? child : drawnOf(child)));
  return h(tag, attributes ?? null, ...inside);
}
