/**
 * uPlot creates a formatter for the browser's language when loaded. In the locales C and POSIX
 * Chromium reports "en-US@posix", which is no valid language tag: uPlot would throw, and break
 * every page with it. For such a browser the language of its number format is used.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  const value = new Intl.NumberFormat().resolvedOptions().locale;
  Object.defineProperty(navigator, "language", { value });
}
