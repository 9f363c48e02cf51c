import { startTcpServer } from "./tcp-server-fixture.ts";

/**
 * Starts a TCP listener that never sends a byte.
 *
 * @param host default: all addresses of this machine
 * @param port default: a free port
 */
export async function startListener(host?: string, port = 0) {
  /** The local address of each accepted connection, in order. */
  const acceptedOn: string[] = [];
  let bytesReceived = 0;
  const server = await startTcpServer(
    (socket) => {
      acceptedOn.push(socket.localAddress?.replace("::ffff:", "") ?? "");
      socket.on("data", (chunk) => {
        bytesReceived += chunk.length;
      });
    },
    { port, host },
  );
  return { ...server, acceptedOn, bytesReceived: () => bytesReceived };
}
