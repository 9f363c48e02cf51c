import type { GrpcClientTransport } from "#shared/rpc/grpc-client.ts";

/** A transport whose calls say, in the header `x-actor`, who makes them; it stands in the certificates' history. */
export function actingAs(actor: string, transport: GrpcClientTransport): GrpcClientTransport {
  const signed = (header: ConstructorParameters<typeof Headers>[0]): Headers => {
    const headers = new Headers(header);
    headers.set("x-actor", actor);
    return headers;
  };
  return {
    unary: (method, signal, timeoutMs, header, input, contextValues) =>
      transport.unary(method, signal, timeoutMs, signed(header), input, contextValues),
    stream: (method, signal, timeoutMs, header, input, contextValues) =>
      transport.stream(method, signal, timeoutMs, signed(header), input, contextValues),
    close: () => transport.close(),
  };
}
