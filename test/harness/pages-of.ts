/**
 * Reads all pages of a list, or takes all steps of a task.
 *
 * @param read reads the page that a token names; the empty string names the first
 */
export async function* pagesOf<Page extends { readonly nextPageToken: string }>(
  read: (pageToken: string) => Promise<Page>,
): AsyncGenerator<Page> {
  let pageToken = "";
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}
