/**
 * Headers of every response, including errors, unless a handler replaces them. Certificates are personal data, so
 * caches must not store them. Browsers must not frame or execute a response, or load resources for it. HSTS is set by
 * the ingress, which terminates TLS.
 */
export const defaultHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const satisfies Readonly<Record<string, string>>;
