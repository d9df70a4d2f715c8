import assert from "node:assert/strict";
import { test } from "node:test";
import { FormulaError, type MathNode, readFormula } from "./formula.ts";

const written = (node: MathNode | string): string =>
  typeof node === "string"
    ? node
    : node.children.length === 1 && typeof node.children[0] === "string"
      ? node.children[0]
      : `${node.tag}(${node.children.map(written).join(" ")})`;
const read = (source: string) => written(readFormula(source));

test("letters, numbers, signs and scripts", () => {
  assert.equal(read("x"), "x");
  assert.equal(read("a + 12.5 - b"), "mrow(a + 12.5 − b)");
  assert.equal(read("x_i^2"), "msubsup(x i 2)");
  assert.equal(read("x^2_i"), "msubsup(x i 2)");
  assert.equal(read("x_{i+1}"), "msub(x mrow(i + 1))");
  assert.equal(read("f'"), "msup(f ′)");
  assert.equal(read(String.raw`\alpha \leq \beta`), "mrow(α ≤ β)");
  assert.equal(read(String.raw`\theta_\mathrm{old}`), "msub(θ old)");
});

test("fractions, roots, sums, fences, accents", () => {
  assert.equal(read(String.raw`\frac{1}{n+1}`), "mfrac(1 mrow(n + 1))");
  assert.equal(read(String.raw`\frac12`.replace("12", "{1}2")), "mfrac(1 2)");
  assert.equal(read(String.raw`\sqrt[3]{x}`), "mroot(x 3)");
  assert.equal(read(String.raw`\sum_{i=1}^n x_i`), "mrow(munderover(∑ mrow(i = 1) n) msub(x i))");
  assert.equal(read(String.raw`\int_0^1`), "msubsup(∫ 0 1)");
  assert.equal(read(String.raw`\min_\theta L`), "mrow(munder(min θ) mspace() L)");
  assert.equal(read(String.raw`\left( x \right)`), "mrow(( x ))");
  assert.equal(read(String.raw`\left. x \right|`), "mrow(x |)");
  assert.equal(read(String.raw`\hat{y}`), "mover(y ^)");
  assert.equal(read(String.raw`\mathbb{E}[X]`), "mrow(𝔼 [ X ])");
  assert.equal(read(String.raw`\mathcal{L}_{\text{val loss}}`), "msub(ℒ val loss)");
});

test("only fences of \\left and \\right, and of tables, are as high as what they contain", () => {
  const stretched = (source: string) => {
    const found: string[] = [];
    const look = ({ tag, attributes, children }: MathNode): void => {
      if (tag === "mo" && attributes?.["stretchy"] !== "false") found.push(children[0] as string);
      for (const child of children) if (typeof child !== "string") look(child);
    };
    look(readFormula(source));
    return found.join(" ");
  };
  assert.equal(
    stretched(String.raw`f(x) [y] | \{ \frac{1}{N} \} \mid \lVert x \rVert \langle`),
    "",
  );
  assert.equal(stretched(String.raw`\left( \frac{1}{N} \right]`), "( ]");
  assert.equal(stretched(String.raw`\begin{pmatrix} (a) \end{pmatrix}`), "( )");
  assert.equal(stretched(String.raw`\binom{n}{k}`), "( )");
});

test("names of functions have a thin space beside letters, and none beside signs", () => {
  assert.equal(read(String.raw`\log p`), "mrow(log mspace() p)");
  assert.equal(read(String.raw`2\sin x`), "mrow(2 mspace() sin mspace() x)");
  assert.equal(read(String.raw`\log(x)`), "mrow(log ( x ))");
  assert.equal(read(String.raw`f(x)\log_2 y`), "mrow(f ( x ) mspace() msub(log 2) mspace() y)");
  assert.equal(read(String.raw`-\log\log p`), "mrow(− log mspace() log mspace() p)");
  assert.equal(read(String.raw`\sum_n\log p`), "mrow(munder(∑ n) log mspace() p)");
  assert.equal(read(String.raw`\operatorname{KL}(p)`), "mrow(KL ( p ))");
});

test("tables", () => {
  assert.equal(
    read(String.raw`\begin{pmatrix} a & b \\ c & d \end{pmatrix}`),
    "mrow(( mtable(mtr(mtd(a) mtd(b)) mtr(mtd(c) mtd(d))) ))".replaceAll(/mtd\((\w)\)/g, "mtd($1)"),
  );
  assert.match(
    read(String.raw`\begin{cases} x & x > 0 \\ 0 & \text{else} \end{cases}`),
    /^mrow\(\{/,
  );
});

test("what is not known is said, and nothing breaks", () => {
  for (const [source, why] of [
    [String.raw`\nosuch`, /\\nosuch is not known here/],
    [String.raw`\frac{1}`, /ends where a value has to follow/],
    ["{x", /\} is missing/],
    ["x}", /\} closes nothing/],
    ["_x", /a value is missing before _/],
    [String.raw`\left( x`, /\\right is missing/],
    [String.raw`\begin{tabular}\end{tabular}`, /\\begin\{tabular\} is not known/],
    [String.raw`\begin{matrix}a\end{cases}`, /ends as/],
    ["{".repeat(200), /too many groups/],
    [String.raw`\text{x`, /is not closed/],
  ] as const)
    assert.throws(
      () => readFormula(source),
      (error) => {
        assert.ok(error instanceof FormulaError, String(error));
        assert.match(error.message, why);
        return true;
      },
    );
});
