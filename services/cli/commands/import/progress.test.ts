import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createProgress } from "./progress.ts";

function display(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const time = { ms: 0 };
  const progress = createProgress({ bytesTotal: 1_000, stream, clock: { now: () => time.ms } });
  return { progress, time, text: () => String(stream.read() ?? "") };
}

describe("createProgress without a terminal", () => {
  test("writes a line every 10,000 rows or 5 seconds", () => {
    const { progress, time, text } = display(false);
    progress.update({ rows: 9_999, bytes: 100 });
    expect(text()).toBe("");
    progress.update({ rows: 10_000, bytes: 101 });
    expect(text()).toBe("10,000 rows read (10%)\n");
    progress.update({ rows: 10_001, bytes: 110 });
    time.ms = 4_999;
    progress.update({ rows: 10_002, bytes: 120 });
    expect(text()).toBe("");
    time.ms = 5_000;
    progress.update({ rows: 10_003, bytes: 130 });
    expect(text()).toBe("10,003 rows read (13%)\n");
  });

  test("writes the final progress once", () => {
    const { progress, text } = display(false);
    progress.update({ rows: 20_000, bytes: 999 });
    progress.update({ rows: 20_001, bytes: 1_000 });
    progress.stop();
    expect(text()).toBe("20,000 rows read (99%)\n20,001 rows read (100%)\n");
    progress.stop();
    expect(text()).toBe("");
  });

  test("writes each problem on its own line", () => {
    const { progress, text } = display(false);
    progress.line("line 3, Email: no");
    expect(text()).toBe("line 3, Email: no\n");
  });
});

describe("createProgress on a terminal", () => {
  test("shows a progress bar for the bytes read, writes problems above it, and ends with a line break", () => {
    const { progress, text } = display(true);
    progress.update({ rows: 7, bytes: 500 });
    progress.line("line 3, Email: no");
    progress.update({ rows: 14, bytes: 1_000 });
    progress.stop();
    const written = text();
    expect(written).toContain("line 3, Email: no\n");
    expect(written.slice(written.indexOf("Email"))).toContain("100% | 14 rows");
    expect(written.endsWith("\n")).toBe(true);
    progress.stop();
    progress.line("done");
    expect(text()).toBe("done\n");
  });
});
