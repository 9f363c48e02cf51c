import { connect, type SecureContext } from "node:tls";

interface Post {
  /** Port on 127.0.0.1. */
  readonly port: number;
  readonly path: string;
  readonly body: Buffer;
  /** HMAC-SHA256 of the body, in hexadecimal. */
  readonly signature: string;
  readonly secureContext: SecureContext;
  /** The TLS session to resume; undefined for a full handshake. */
  readonly session: Buffer | undefined;
  readonly keepSession: (session: Buffer) => void;
}

/** Sends the message over a new connection. @returns the HTTP status @throws Error when no reply arrives */
export function postOnce(post: Post): Promise<number> {
  const { port, path, body, signature, secureContext, session } = post;
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `X-Service-Signature: sha256=${signature}`,
    "Connection: close",
  ];
  const message = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, secureContext, session }).setNoDelay();
    if (session === undefined) socket.once("session", post.keepSession);
    socket.once("secureConnect", () => socket.write(message));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed without a reply")));
    socket.once("data", (reply: Buffer) => {
      resolve(Number(reply.toString("latin1", 9, 12)));
      socket.destroy();
    });
  });
}
