/**
 * Describes a User-Agent in a few words: "Firefox on Linux", "lossless-cli on build-7". Unknown
 * ones are shown as they are; any of them may lie.
 */
export function deviceWords(userAgent: string | null): string {
  if (userAgent === null) return "unknown program";
  const cli = /^(lossless-[\w-]+)(?:\/\S+)? \(([^;)]*); (\w+)\)$/.exec(userAgent);
  if (cli !== null) return cli[2] === "" ? cli[1] : `${cli[1]} on ${cli[2]}`;
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Browsers also name those before them in this list, so the first match counts. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*Safari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];
