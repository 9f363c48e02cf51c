/** Signed POSTs in plain loops with node:tls, each over a new connection, with or without resumed TLS sessions. */
import { createHmac, randomBytes } from "node:crypto";
import { createSecureContext } from "node:tls";
import { z } from "zod";
import { defaultGroups } from "../../../services/notifier/webhook/secure-context.ts";
import { paths } from "../arrivals.ts";
import { postOnce } from "../baseline/post-once.ts";
import { serveLoad } from "../load/serve-load.ts";

const setup = z.object({ port: z.number(), caPem: z.string(), workers: z.number(), resumes: z.boolean() });

serveLoad(setup, async ({ port, caPem, workers, resumes }) => {
  // The key exchange groups of the notifier: Node's default list begins with a post-quantum hybrid, which costs a tenth
  // more CPU.
  const secureContext = createSecureContext({ ca: [caPem], minVersion: "TLSv1.2", ecdhCurve: defaultGroups });
  const secret = randomBytes(32);
  // As long as a message about a benchmark certificate.
  const body = Buffer.from(JSON.stringify({ version: 2, filler: "x".repeat(640) }));
  let session: Buffer | undefined;
  const post = async () => {
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const keepSession = (newest: Buffer) => {
      if (resumes) session ??= newest;
    };
    const message = { port, path: paths.baseline, body, signature };
    const status = await postOnce({ ...message, secureContext, session, keepSession });
    if (status !== 204) throw new Error(`the receiver replied with status ${status}`);
    return 1;
  };
  return Array.from({ length: workers }, () => post);
});
