/** `npm run bench:peers`; README.md says how to install the peers. */
import { runPeers } from "./run-peers.ts";

await runPeers();
