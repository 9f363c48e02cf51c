/** Where the notifier sends, where the bare loop does, and where nobody ever gets a reply. */
export const paths = { notifier: "/webhooks", bare: "/bare", hanging: "/hanging" };
