import type { Transport } from "@connectrpc/connect";

/** Wraps a transport so that each unary call also sends these headers. */
export function withHeaders(headers: Readonly<Record<string, string>>, transport: Transport): Transport {
  const allOf = (own: ConstructorParameters<typeof Headers>[0]): Headers => {
    const all = new Headers(own);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return all;
  };
  return {
    ...transport,
    unary: (method, signal, timeoutMs, own, input, contextValues) =>
      transport.unary(method, signal, timeoutMs, allOf(own), input, contextValues),
  };
}
