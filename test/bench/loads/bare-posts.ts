/** Signed POSTs in plain loops, each over a new TLS connection, with nothing but node:tls. */
import { createHmac, randomBytes } from "node:crypto";
import { createSecureContext } from "node:tls";
import { postOnce } from "../bare/post-once.ts";
import { serveLoad } from "../load/serve-load.ts";
import { paths } from "../receiver/paths.ts";
import { barePosts } from "./setups.ts";

serveLoad(barePosts, async ({ port, caPem, workers }) => {
  const secureContext = createSecureContext({ ca: [caPem], minVersion: "TLSv1.2" });
  const secret = randomBytes(32);
  // As long as a message about one of the benchmark's certificates.
  const body = Buffer.from(JSON.stringify({ version: 2, filler: "x".repeat(640) }));
  const post = async () => {
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const status = await postOnce({ port, path: paths.bare, body, signature, secureContext });
    if (status !== 204) throw new Error(`the receiver answered with ${status}`);
    return 1;
  };
  return Array.from({ length: workers }, () => post);
});
