import { connect, type Socket } from "node:net";

interface SlowClientsOptions {
  readonly port: number;
  readonly count: number;
  /** The bytes that each client sends before it stops sending. */
  readonly bytes: string;
  /** The source address, in 127.0.0.0/8. Default 127.0.0.1. */
  readonly localAddress?: string;
}

/**
 * Opens connections of clients that send incomplete requests; resolves when each has sent its bytes or was refused.
 *
 * @returns `openCount`: the number of connections that the server has not closed
 */
export async function openSlowClients(options: SlowClientsOptions) {
  const sockets = await Promise.all(Array.from({ length: options.count }, () => openOne(options)));
  return {
    openCount: () => sockets.filter((socket) => !socket.closed).length,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function openOne({ port, bytes, localAddress = "127.0.0.1" }: SlowClientsOptions): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    // Discards the server's responses.
    socket.resume();
    socket.once("error", () => socket.destroy());
    socket.once("close", () => resolve(socket));
    socket.once("connect", () => {
      if (bytes === "") resolve(socket);
      else socket.write(bytes, () => resolve(socket));
    });
  });
}
