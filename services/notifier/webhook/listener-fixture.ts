import { type AddressInfo, createServer, type Socket } from "node:net";

/** A listener for tests that answers nobody. */
export interface ListenerFixture {
  readonly port: number;
  /** The own address of each connection that was made, in order. */
  readonly reached: readonly string[];
  /** Bytes that came over all connections. */
  readonly bytesReceived: () => number;
  /** Connections that are open now. */
  readonly open: () => number;
  stop(): Promise<void>;
}

/** Starts one. @param host default every address of this machine; @param port default a free one */
export async function startListener(host?: string, port = 0): Promise<ListenerFixture> {
  const reached: string[] = [];
  const sockets = new Set<Socket>();
  let bytesReceived = 0;
  const server = createServer((socket) => {
    reached.push(socket.localAddress?.replace("::ffff:", "") ?? "");
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      bytesReceived += chunk.length;
    });
  });
  await new Promise<void>((resolve) => server.listen({ port, host }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    reached,
    bytesReceived: () => bytesReceived,
    open: () => sockets.size,
    stop: () =>
      new Promise<void>((stopped) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => stopped());
      }),
  };
}
