/** Returns the entries of the hidden fields in a page, as a browser would send them. */
export function hiddenEntriesIn(page: string): Record<string, string> {
  const unescaped = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">");
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, unescaped(value)]));
}
