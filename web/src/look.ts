/** How the pages look, and hear: it is this browser's and in no address, as what they show is. */
export interface Look {
  theme: (typeof themes)[number];
  density: (typeof densities)[number];
  /** Whether a letter alone does something, outside of fields. */
  keys: (typeof keyChoices)[number];
}

export const themes = ["system", "light", "dark"] as const;
export const densities = ["roomy", "dense"] as const;
export const keyChoices = ["on", "off"] as const;

const names = {
  theme: "lossless-theme",
  density: "lossless-density",
  keys: "lossless-keys",
} as const;

/** What was chosen here before, or what the system says. */
export function storedLook(): Look {
  return {
    theme: themes.find((each) => each === stored(names.theme)) ?? "system",
    density: densities.find((each) => each === stored(names.density)) ?? "roomy",
    keys: keyChoices.find((each) => each === stored(names.keys)) ?? "on",
  };
}

/** The one that the page is drawn in. */
export function densityNow(): Look["density"] {
  return document.documentElement.dataset["density"] === "dense" ? "dense" : "roomy";
}

/** Who speaks to the computer, or whose hand is not steady, presses letters without wanting to. */
export function areSingleKeysOn(): boolean {
  return document.documentElement.dataset["keys"] !== "off";
}

export function chooseLook(look: Look): void {
  try {
    window.localStorage.setItem(names.theme, look.theme);
    window.localStorage.setItem(names.density, look.density);
    window.localStorage.setItem(names.keys, look.keys);
  } catch {
    // A browser that keeps nothing: it is so until the page is left.
  }
  applyLook(look);
}

export function applyLook({ theme, density, keys }: Look): void {
  const root = document.documentElement;
  root.style.colorScheme = theme === "system" ? "" : theme;
  root.dataset["density"] = density;
  root.dataset["keys"] = keys;
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  for (const rule of rules) if (rule instanceof CSSMediaRule) applyTheme(rule, theme);
}

const darkQuery = "screen and (prefers-color-scheme: dark)";
/** What a rule for dark screens is called while a choice stands above the system's. */
const chosen = { system: darkQuery, light: "not all", dark: "screen" } as const;
const isForDark = new WeakSet<CSSMediaRule>();

/** The dark colours stand once, in rules for dark screens: a choice changes when these hold. */
function applyTheme(rule: CSSMediaRule, theme: Look["theme"]): void {
  if (rule.media.mediaText === darkQuery) isForDark.add(rule);
  if (isForDark.has(rule)) rule.media.mediaText = chosen[theme];
}

function stored(name: string): string | null {
  try {
    return window.localStorage.getItem(name);
  } catch {
    return null;
  }
}
