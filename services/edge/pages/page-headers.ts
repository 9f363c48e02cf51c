/**
 * Headers of every page. Shared caches must not store a page, because it can show personal data and changes when the
 * certificate does; browsers ask each time whether their copy is current.
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
  "X-Robots-Tag": "noindex, nofollow",
} as const satisfies Readonly<Record<string, string>>;

/** The content type of pages. */
export const htmlType = "text/html; charset=utf-8";
