/** Commands of LaTeX that are a single character, by the kind of element that MathML has for it. */

const lists = {
  /** Letters. */
  mi: `alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ
    phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ
    Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ ell ℓ hbar ℏ Re ℜ Im ℑ emptyset ∅ varnothing ∅
    aleph ℵ top ⊤ bot ⊥`,
  /** Operators and relations. */
  mo: `cdot ⋅ times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙
    leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫
    in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ mid ∣ parallel ∥
    perp ⊥ forall ∀ exists ∃ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ to → rightarrow → leftarrow ←
    leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ iff ⟺ mapsto ↦ uparrow ↑
    downarrow ↓ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ prime ′ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋
    lceil ⌈ rceil ⌉ lVert ‖ rVert ‖ Vert ‖ lvert | rvert | vert | colon : triangleq ≜ models ⊨`,
  /** Operators whose bounds stand below and above them. */
  large: `sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀`,
  /** Operators whose bounds stand beside them. */
  integral: `int ∫ iint ∬ iiint ∭ oint ∮`,
  /** Signs above their argument. */
  accent: `hat ^ widehat ^ bar ¯ overline ¯ tilde ~ widetilde ~ vec → dot ˙ ddot ¨ check ˇ`,
} as const;
export type SymbolKind = keyof typeof lists;

export const symbols: ReadonlyMap<string, { kind: SymbolKind; text: string }> = new Map(
  Object.entries(lists).flatMap(([kind, list]) => {
    const words = list.trim().split(/\s+/);
    return Array.from({ length: words.length / 2 }, (_, at) => {
      return [words[2 * at], { kind: kind as SymbolKind, text: words[2 * at + 1] }] as const;
    });
  }),
);

/** Names of functions, which are upright; those with a bound below it. */
export const functions = new Set(
  `sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp det dim ker deg gcd arg
  Pr hom`.split(/\s+/),
);
export const bounded = new Set("lim max min sup inf argmax argmin limsup liminf".split(" "));

/** Spaces, in em. */
export const spaces: ReadonlyMap<string, string> = new Map([
  [",", "0.17em"],
  [":", "0.22em"],
  [";", "0.28em"],
  ["!", "-0.17em"],
  [" ", "0.25em"],
  ["quad", "1em"],
  ["qquad", "2em"],
]);

/** Alphabets: the value of `mathvariant`, or the first capital and small letter in Unicode. */
export const alphabets: ReadonlyMap<string, { capital?: number; small?: number }> = new Map([
  ["mathrm", {}],
  ["operatorname", {}],
  ["mathbf", { capital: 0x1d400, small: 0x1d41a }],
  ["boldsymbol", { capital: 0x1d468, small: 0x1d482 }],
  ["mathbb", { capital: 0x1d538, small: 0x1d552 }],
  ["mathcal", { capital: 0x1d49c, small: 0x1d4b6 }],
  ["mathsf", { capital: 0x1d5a0, small: 0x1d5ba }],
  ["mathtt", { capital: 0x1d670, small: 0x1d68a }],
  ["mathfrak", { capital: 0x1d504, small: 0x1d51e }],
]);

/** Letters that Unicode had before it had their alphabets. */
const older: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mathbb: { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" },
  mathcal: {
    B: "ℬ",
    E: "ℰ",
    F: "ℱ",
    H: "ℋ",
    I: "ℐ",
    L: "ℒ",
    M: "ℳ",
    R: "ℛ",
    e: "ℯ",
    g: "ℊ",
    o: "ℴ",
  },
  mathfrak: { C: "ℭ", H: "ℌ", I: "ℑ", R: "ℜ", Z: "ℨ" },
};

/** A letter of an alphabet; another character stays. */
export function letterIn(alphabet: string, character: string): string {
  const known = older[alphabet]?.[character];
  if (known !== undefined) return known;
  const { capital, small } = alphabets.get(alphabet) ?? {};
  const [first, start] = /[A-Z]/.test(character)
    ? [capital, "A"]
    : /[a-z]/.test(character)
      ? [small, "a"]
      : [undefined, ""];
  if (first === undefined) return character;
  return String.fromCodePoint(first + character.charCodeAt(0) - start.charCodeAt(0));
}
