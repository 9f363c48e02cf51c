/**
 * What every reply carries, errors included: certificates are personal data, so no cache may keep them; and nothing
 * here is meant to be shown, framed or executed by a browser. HSTS is the ingress's business: TLS ends there.
 */
export const fixedHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const satisfies Readonly<Record<string, string>>;
