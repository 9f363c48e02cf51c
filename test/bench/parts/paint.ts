import { launchChromium } from "../../browser/launch-chromium.ts";
import { setLargestImage, setLargestLogo } from "../../harness/largest-images.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import { loadOnPhone, type PageLoad } from "../paint/load-on-phone.ts";
import { startReplica } from "../start/start-replica.ts";
import { figuresOnly, type Part } from "./part.ts";
import { createStores, issueIn, linkTokenIn } from "./stores.ts";

/**
 * Measures when the largest element of a verification page with a large logo and image is painted on a slow phone with
 * an empty cache. Each round starts a new edge and a new browser, and loads the page twice: `new_edge_ms` is measured
 * in the first load, when the edge renders its first page, and `largest_ms` in the second.
 */
export const measurePaint: Part = async (stack, { rounds }, signal) => {
  const linkToken = await pageWithImages(stack);
  const loads: { readonly first: PageLoad; readonly again: PageLoad }[] = [];
  for (let round = 0; round < rounds; round++) loads.push(await loadTwice(stack, linkToken, signal));
  return {
    phone: figuresOnly(`paint: largest paint (ms) of the verification page on a slow phone, ${rounds} rounds`, {
      largest_ms: spreadOf(loads.map(({ again }) => again.largestPaintMs)),
      new_edge_ms: spreadOf(loads.map(({ first }) => first.largestPaintMs)),
      transferred_kb: Math.max(...loads.flatMap(({ first, again }) => [first.bytes, again.bytes])) / 1_000,
    }),
  };
};

// The product of the certificates that issueIn issues.
const productId = "7001";

/** Creates a certificate whose page shows a logo and an image of the product. @returns its link token */
async function pageWithImages(stack: BenchStack): Promise<string> {
  const [storeId = ""] = await createStores(stack, 1);
  await setLargestLogo(stack.registry, storeId);
  await setLargestImage(stack.registry, storeId, productId);
  await issueIn(stack, storeId, 1);
  return linkTokenIn(stack, storeId);
}

async function loadTwice(stack: BenchStack, linkToken: string, signal: AbortSignal) {
  const edge = await startReplica(stack, "edge", "source", signal);
  try {
    const browser = await launchChromium();
    try {
      const url = `http://127.0.0.1:${edge.edgePort}/verify/${linkToken}?lang=en`;
      return { first: await loadOnPhone(browser, url), again: await loadOnPhone(browser, url) };
    } finally {
      await browser.close();
    }
  } finally {
    await edge.stop();
  }
}
