import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** An HTTP proxy that opens tunnels with CONNECT, or sends another reply. */
export interface ConnectProxyFixture {
  readonly port: number;
  /** The request lines received, as `CONNECT 127.0.0.1:443 HTTP/1.1`. */
  readonly requests: readonly string[];
  readonly open: () => number;
  stop(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1. @param answer the reply for a target: undefined opens a tunnel, an empty text sends none */
export async function startConnectProxy(
  answer: (target: string) => string | undefined = () => undefined,
): Promise<ConnectProxyFixture> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    let head = "";
    track(client).on("data", function read(chunk) {
      head += chunk.toString("latin1");
      if (!head.endsWith("\r\n\r\n")) return;
      client.off("data", read);
      const [line = ""] = head.split("\r\n");
      requests.push(line);
      const target = line.split(" ")[1] ?? "";
      const reply = answer(target);
      if (reply !== undefined) return void client.write(reply);
      const url = new URL(`tcp://${target}`);
      const receiver = track(connect(Number(url.port), url.hostname.replace(/[[\]]/g, "")));
      receiver.on("error", () => client.write("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
      receiver.on("connect", () => {
        client.write("HTTP/1.1 200 Connection established\r\nProxy-Agent: test\r\n\r\n");
        client.pipe(receiver).pipe(client);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    open: () => sockets.size,
    stop: () =>
      new Promise<void>((stopped) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => stopped());
      }),
  };
}
