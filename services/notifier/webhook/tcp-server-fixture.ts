import { type AddressInfo, createServer, type ListenOptions, type Socket } from "node:net";

/** Starts a TCP server that tracks its connections. @param at default: a free port of 127.0.0.1 */
export async function startTcpServer(
  accept: (socket: Socket) => void,
  at: ListenOptions = { host: "127.0.0.1", port: 0 },
) {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  const server = createServer((socket) => accept(track(socket)));
  await new Promise<void>((resolve) => server.listen(at, resolve));
  const stop = () =>
    new Promise<void>((stopped) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => stopped());
    });
  return { port: (server.address() as AddressInfo).port, sockets, track, open: () => sockets.size, stop };
}
