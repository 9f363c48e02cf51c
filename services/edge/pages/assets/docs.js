// The guide works without this script. It copies code, and shows the address of this service in place of an example.

const base = new URL(location.pathname.replace(/\/docs(\/.*)?$/, "/"), location.href).href.replace(/\/$/, "");
const example = "https://registry.example";
for (const code of document.querySelectorAll('code[data-language="sh"]')) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(example, base);
}

const shownMs = 2_000;
for (const button of document.querySelectorAll("button.copy")) {
  const label = button.textContent;
  const code = button.closest("figure").querySelector("code");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = button.dataset.copied;
    } catch {
      // The browser offers no clipboard, or does not allow its use.
      getSelection().selectAllChildren(code);
      button.textContent = button.dataset.denied;
    }
    setTimeout(() => {
      button.textContent = label;
    }, shownMs);
  });
}
