/**
 * uPlot makes a formatter for the browser's language when it is loaded. In the locales C and POSIX
 * Chromium calls that "en-US@posix", which is no tag of a language: uPlot would throw, and no page
 * with it would be there. Such a browser is taken to speak what it formats numbers by.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  const value = new Intl.NumberFormat().resolvedOptions().locale;
  Object.defineProperty(navigator, "language", { value });
}
