import type { GrpcClientTransport } from "#shared/rpc/grpc-client.ts";

/**
 * Wraps a transport so that each call sends the actor in the header `x-actor`. The registry records the actor in the
 * histories of certificates and stores.
 */
export function actingAs(actor: string, transport: GrpcClientTransport): GrpcClientTransport {
  const withActor = (header: ConstructorParameters<typeof Headers>[0]): Headers => {
    const headers = new Headers(header);
    headers.set("x-actor", actor);
    return headers;
  };
  return {
    unary: (method, signal, timeoutMs, header, input, contextValues) =>
      transport.unary(method, signal, timeoutMs, withActor(header), input, contextValues),
    stream: (method, signal, timeoutMs, header, input, contextValues) =>
      transport.stream(method, signal, timeoutMs, withActor(header), input, contextValues),
    close: () => transport.close(),
  };
}
