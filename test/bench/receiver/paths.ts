/** Where the notifier sends, and where the bare loop does. */
export const paths = { notifier: "/webhooks", bare: "/bare" };
