// The page that the console runs in, and the operator's name and look, which the service has written into it:
// they are there before the first request (server/http/console.ts).

/** What the texts need of a browser. */
interface Page {
  readonly document: {
    readonly documentElement: { lang: string };
    getElementById(id: string): { readonly dataset: Readonly<Record<string, string | undefined>> } | null;
  };
  readonly location: { readonly href: string; reload(): void };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: URL): void };
}

/** Absent in tests, which read the texts without a browser. */
export const page = 'document' in globalThis ? (globalThis as unknown as Page) : undefined;

const {
  name = 'Linecard',
  logo,
  logoDark = logo,
  wide,
  support,
} = page?.document.getElementById('console')?.dataset ?? {};

export const brand = {
  name,
  logo,
  /** On dark ground. */
  logoDark,
  /** Whether the logo is so wide that it is the name. */
  isLogoName: wide !== undefined,
  supportUrl: support,
} as const;
