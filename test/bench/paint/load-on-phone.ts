import type { Browser } from "playwright-core";
import { viewports } from "../../browser/pages-in-browser.ts";

/** A slow phone on a mobile network, as Lighthouse simulates it. */
const slowPhone = { cpuSlowdown: 4, latencyMs: 150, downBitsPerSecond: 1_600_000, upBitsPerSecond: 750_000 };

/** Measurements of one page load. */
export type PageLoad = Awaited<ReturnType<typeof loadOnPhone>>;

const largestPaint = `new Promise((resolve) => {
  const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
  observer.observe({ type: "largest-contentful-paint", buffered: true });
})`;

/** Loads a page on a throttled phone with an empty cache, and waits until all its files have arrived. */
export async function loadOnPhone(browser: Browser, url: string) {
  const context = await browser.newContext(viewports.phone);
  try {
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send("Network.enable");
    await devTools.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: slowPhone.latencyMs,
      downloadThroughput: slowPhone.downBitsPerSecond / 8,
      uploadThroughput: slowPhone.upBitsPerSecond / 8,
    });
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: slowPhone.cpuSlowdown });
    let bytes = 0;
    devTools.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(url, { waitUntil: "networkidle" });
    return { largestPaintMs: await page.evaluate<number>(largestPaint), bytes };
  } finally {
    await context.close();
  }
}
