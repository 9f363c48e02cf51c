/**
 * Headers of the verification pages; the settings, the guide and the error pages replace some of them. A page can show
 * personal data, so shared caches must not store it. It changes when the certificate does, so browsers must ask each
 * time whether their copy is current.
 */
export const pageHeaders = {
  "Cache-Control": "private, no-cache",
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  // With `no-referrer`, browsers send `Origin: null` with a form (https://fetch.spec.whatwg.org/#origin-header): those
  // that do not send `Sec-Fetch-Site` could send no form. Referrers have no path, which can contain a secret.
  "Referrer-Policy": "strict-origin",
  "X-Robots-Tag": "noindex, nofollow",
} as const satisfies Readonly<Record<string, string>>;

/** The `Content-Type` of HTML pages. */
export const htmlType = "text/html; charset=utf-8";
