import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { z } from "zod";
import { listenHttp } from "#shared/http/operations-server.ts";
import type { ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import type { Arrival, Collected } from "./messages.ts";
import { paths } from "./paths.ts";

/** The receiver, running. */
export interface Receiver {
  readonly port: number;
  /** Waits until so many messages of the notifier's have come since the last time. */
  collect(count: number): Promise<Collected>;
}

const message = z.object({ occurredAt: z.iso.datetime(), certificate: z.object({ id: z.string() }) });

/** Starts the receiver on 127.0.0.1, as an integrator would write one whose work is done after replying. */
export async function startReceiver(certificate: Omit<ServerCertificate, "caPem">): Promise<Receiver> {
  const server = createServer({ cert: certificate.certPem, key: certificate.keyPem });
  let seen = { arrivals: [] as Arrival[], requests: 0, connections: 0, resumed: 0 };
  const onRequest: RequestListener = async (request, response) => {
    if (request.url === paths.hanging) return;
    const arrivedAt = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(204).end();
    seen.requests++;
    if (request.url !== paths.notifier) return;
    const { occurredAt, certificate } = message.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    seen.arrivals.push({ certificateId: certificate.id, occurredAt: Date.parse(occurredAt), arrivedAt });
    server.emit("arrival");
  };
  server.on("request", onRequest);
  server.on("secureConnection", (socket: TLSSocket) => {
    seen.connections++;
    if (socket.isSessionReused()) seen.resumed++;
  });
  const port = await listenHttp(server, "127.0.0.1", 0);
  return {
    port,
    collect: async (count) => {
      while (seen.arrivals.length < count) await once(server, "arrival");
      const collected = seen;
      seen = { arrivals: [], requests: 0, connections: 0, resumed: 0 };
      return collected;
    },
  };
}
