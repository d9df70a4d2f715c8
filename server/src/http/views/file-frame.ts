/**
 * Headers of a page that a run has logged, for a frame of our pages. Whoever may record an
 * experiment has written it, so it is taken for hostile. `sandbox` makes its origin one that equals
 * no other, also where it is opened by itself: it has no cookies and no storage, cannot read the
 * page around it, opens no window and sends no form. `default-src` lets it request nothing from
 * anywhere; the policy of our pages keeps the frame from going to another host. The browser's hints
 * to connect and to look up names are no requests of this policy, but carry nothing.
 */
export function frameHeaders(runsScripts: boolean): Record<string, string> {
  const policy = [
    runsScripts ? "sandbox allow-scripts" : "sandbox",
    "default-src 'none'",
    // Libraries that draw make functions of texts; there is nothing here for them to reach.
    ...(runsScripts ? ["script-src 'unsafe-inline' 'unsafe-eval'"] : []),
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "media-src data: blob:",
    "font-src data:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "x-dns-prefetch-control": "off",
  };
}
