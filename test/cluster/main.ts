/** `npm run test:cluster`; run-cluster-test.ts describes its options. */
import { runClusterTest } from "./run-cluster-test.ts";

process.exitCode = await runClusterTest(process.argv.slice(2));
