import { type AddressInfo, createServer, type Socket } from "node:net";

/** A TCP listener that accepts connections and never answers. */
export interface ListenerFixture {
  readonly port: number;
  /** The local address of each accepted connection, in order. */
  readonly acceptedOn: readonly string[];
  readonly bytesReceived: () => number;
  readonly open: () => number;
  stop(): Promise<void>;
}

/** Starts a listener. @param host default: all addresses of this machine @param port default: a free one */
export async function startListener(host?: string, port = 0): Promise<ListenerFixture> {
  const acceptedOn: string[] = [];
  const sockets = new Set<Socket>();
  let bytesReceived = 0;
  const server = createServer((socket) => {
    acceptedOn.push(socket.localAddress?.replace("::ffff:", "") ?? "");
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      bytesReceived += chunk.length;
    });
  });
  await new Promise<void>((resolve) => server.listen({ port, host }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    acceptedOn,
    bytesReceived: () => bytesReceived,
    open: () => sockets.size,
    stop: () =>
      new Promise<void>((stopped) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => stopped());
      }),
  };
}
