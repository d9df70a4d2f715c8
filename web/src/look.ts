/** Appearance and keys of the pages, stored in this browser and in no address. */
export interface Look {
  theme: (typeof themes)[number];
  density: (typeof densities)[number];
  /** Whether single letters are keys, outside of fields. */
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

/** The stored choices, or the system's. */
export function storedLook(): Look {
  return {
    theme: themes.find((each) => each === stored(names.theme)) ?? "system",
    density: densities.find((each) => each === stored(names.density)) ?? "roomy",
    keys: keyChoices.find((each) => each === stored(names.keys)) ?? "on",
  };
}

/** The density that the page is drawn with. */
export function densityNow(): Look["density"] {
  return document.documentElement.dataset["density"] === "dense" ? "dense" : "roomy";
}

/** Whether single keys are on: speech input and unsteady hands press letters by accident. */
export function areSingleKeysOn(): boolean {
  return document.documentElement.dataset["keys"] !== "off";
}

export function chooseLook(look: Look): void {
  try {
    window.localStorage.setItem(names.theme, look.theme);
    window.localStorage.setItem(names.density, look.density);
    window.localStorage.setItem(names.keys, look.keys);
  } catch {
    // Without storage the choice lasts until the page is left.
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
/** Media queries of the rules for dark screens, by choice. */
const chosen = { system: darkQuery, light: "not all", dark: "screen" } as const;
const isForDark = new WeakSet<CSSMediaRule>();

/**
 * Applies a theme: the dark colours exist once, in rules for dark screens, whose condition changes.
 */
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
