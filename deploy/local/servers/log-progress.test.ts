import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { logProgress } from "./log-progress.ts";

test("a long step says what it is and how long it usually takes, then that it goes on, then that it is done", async () => {
  const lines: string[] = [];
  const options = {
    log: (line: string) => lines.push(line),
    what: "Download",
    usually: "a while",
    everyMs: 20,
  };
  expect(await logProgress(options, () => delay(70, "result"))).toBe("result");
  expect(lines[0]).toBe("Download (usually a while) …");
  expect(lines[1]).toBe("Download: still going on after 0 s …");
  expect(lines.at(-1)).toBe("Download: done after 0 s.");
});

test("a failed step passes its error on and says nothing more", async () => {
  const lines: string[] = [];
  const options = {
    log: (line: string) => lines.push(line),
    what: "Download",
    usually: "a while",
    everyMs: 5,
  };
  await expect(logProgress(options, () => Promise.reject(new Error("no way")))).rejects.toThrow("no way");
  await delay(20);
  expect(lines).toEqual(["Download (usually a while) …"]);
});
