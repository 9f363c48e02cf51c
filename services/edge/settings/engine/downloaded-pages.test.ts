import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { downloadedPages } from "./downloaded-pages.ts";

const busy = new ServiceError("unavailable", "busy");

/** Returns a download of three pages, 0 to 2. @param failing called before each page is read */
function pagesOf(failing: (page: number) => void, signal = new AbortController().signal) {
  const readPage = async (page = 0) => {
    failing(page);
    return page;
  };
  return downloadedPages(readPage, (page) => (page < 2 ? page + 1 : undefined), signal);
}

async function listOf<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const list: Page[] = [];
  for await (const page of pages) list.push(page);
  return list;
}

test("a page that failed for a moment is read again, so that the download has each page once", async () => {
  let failures = 0;
  const pages = await pagesOf((page) => {
    if (page === 1 && ++failures === 1) throw busy;
  });
  expect(await listOf(pages)).toEqual([0, 1, 2]);
});

test("while a page is being sent, the next one is read, and no other", async () => {
  const read: number[] = [];
  const pages = await pagesOf((page) => void read.push(page));
  await pages.next();
  await setImmediate();
  expect(read).toEqual([0, 1]);
  await pages.next();
  expect(read).toEqual([0, 1, 2]);
});

test("a page that cannot be read fails in its turn, after the one that was read before it", async () => {
  const pages = await pagesOf((page) => {
    if (page === 1) throw new ServiceError("unauthorized", "ended");
  });
  expect(await pages.next()).toMatchObject({ value: 0 });
  await setImmediate();
  await expect(pages.next()).rejects.toThrow("ended");
});

test("a failure of the first page is reported at once, before the file begins", async () => {
  const failing = pagesOf(() => {
    throw busy;
  });
  await expect(failing).rejects.toBe(busy);
});

test("a download ends at once when its session has ended", async () => {
  const ended = new ServiceError("unauthorized", "ended");
  const pages = await pagesOf((page) => {
    if (page === 2) throw ended;
  });
  await expect(listOf(pages)).rejects.toBe(ended);
});

test("once the client has left, the pause before another attempt ends, and no further page is read", async () => {
  const client = new AbortController();
  const read: number[] = [];
  const pages = await pagesOf((page) => {
    read.push(page);
    if (page === 0) return;
    void setImmediate().then(() => client.abort());
    throw busy;
  }, client.signal);
  await expect(listOf(pages)).rejects.toBe(busy);
  expect(read).toEqual([0, 1, 1]);

  const others = await pagesOf((page) => void read.push(page), client.signal);
  await expect(listOf(others)).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  expect(read).toEqual([0, 1, 1, 0]);
});
