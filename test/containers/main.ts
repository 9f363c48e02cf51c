/** `npm run test:containers`; run-containers-test.ts describes its options. */
import { runContainersTest } from "./run-containers-test.ts";

process.exitCode = await runContainersTest(process.argv.slice(2));
