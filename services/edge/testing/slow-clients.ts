import { connect, type Socket } from "node:net";

/** Connections of clients that do not get on. */
export interface SlowClients {
  /** Those that the server has not closed. */
  readonly openCount: () => number;
  close(): void;
}

/** Slow clients in a test. */
export interface SlowClientsOptions {
  readonly port: number;
  readonly count: number;
  /** What each one sends before it falls silent. */
  readonly bytes: string;
  /** Where they come from: any address of 127.0.0.0/8. Default 127.0.0.1. */
  readonly localAddress?: string;
}

/** Connects them all; resolves when each is connected, has sent its bytes, or was refused. */
export async function openSlowClients(options: SlowClientsOptions): Promise<SlowClients> {
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
    // What the server says to it does not matter.
    socket.resume();
    socket.once("error", () => socket.destroy());
    socket.once("close", () => resolve(socket));
    socket.once("connect", () => {
      if (bytes === "") resolve(socket);
      else socket.write(bytes, () => resolve(socket));
    });
  });
}
