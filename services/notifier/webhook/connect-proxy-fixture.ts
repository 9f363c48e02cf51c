import { connect } from "node:net";
import { startTcpServer } from "./tcp-server-fixture.ts";

/**
 * Starts an HTTP proxy on 127.0.0.1.
 *
 * @param answer returns the response to a CONNECT request; undefined opens a tunnel, an empty string sends no response
 */
export async function startConnectProxy(answer: (target: string) => string | undefined = () => undefined) {
  /** The request lines received, such as `CONNECT 127.0.0.1:443 HTTP/1.1`. */
  const requests: string[] = [];
  const server = await startTcpServer((client) => {
    let head = "";
    client.on("data", function read(chunk) {
      head += chunk.toString("latin1");
      if (!head.endsWith("\r\n\r\n")) return;
      client.off("data", read);
      const [line = ""] = head.split("\r\n");
      requests.push(line);
      const target = line.split(" ")[1] ?? "";
      const reply = answer(target);
      if (reply !== undefined) return void client.write(reply);
      const url = new URL(`tcp://${target}`);
      const receiver = server.track(connect(Number(url.port), url.hostname.replace(/[[\]]/g, "")));
      receiver.on("error", () => client.write("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
      receiver.on("connect", () => {
        client.write("HTTP/1.1 200 Connection established\r\nProxy-Agent: test\r\n\r\n");
        client.pipe(receiver).pipe(client);
      });
    });
  });
  return { ...server, requests };
}
