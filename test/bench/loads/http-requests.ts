/** HTTP requests in a closed loop over keep-alive connections. */
import { z } from "zod";
import { HttpConnection } from "../../harness/http-connection.ts";
import { paceWorkers } from "../load/pace-workers.ts";
import { serveLoad } from "../load/serve-load.ts";

const setup = z.object({
  port: z.number(),
  connections: z.number(),
  /** Complete HTTP requests, which are sent in rotation. */
  requests: z.array(z.string()).nonempty(),
  /** The status that every response must have. */
  status: z.number(),
  /** Whether 503 is also permitted: a service refuses requests when it or its machine is overloaded. Default: false. */
  mayRefuse: z.boolean().default(false),
  /** Requests per second of all connections together; default: as many as possible. */
  perSecond: z.number().optional(),
});

serveLoad(setup, async ({ port, connections, requests, status, mayRefuse, perSecond }) => {
  const prepared = requests.map((request) => Buffer.from(request));
  let sent = 0;
  const workers = Array.from({ length: connections }, () => {
    let connection: HttpConnection | undefined;
    return () =>
      new Promise<number>((resolve, reject) => {
        // The server closes a connection that was idle for several turns.
        connection ??= new HttpConnection(port, () => {
          connection = undefined;
        });
        const request = prepared[sent++ % prepared.length] ?? Buffer.alloc(0);
        connection.send(request, (received) => {
          if (received === status || (mayRefuse && received === 503)) resolve(1);
          else reject(new Error(`the status is ${received} instead of ${status}`));
        });
      });
  });
  return paceWorkers(workers, perSecond);
});
