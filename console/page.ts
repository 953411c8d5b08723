// The page that the console runs in: the operator's name and look, which the service has written into it
// (server/http/console.ts), and the token of a sign-in link. All are there before the first request.

/** What the texts need of a browser. */
interface Page {
  readonly document: {
    readonly documentElement: { lang: string };
    getElementById(id: string): { readonly dataset: Readonly<Record<string, string | undefined>> } | null;
  };
  readonly location: {
    readonly href: string;
    readonly hash: string;
    readonly pathname: string;
    readonly search: string;
    reload(): void;
  };
  readonly history: {
    readonly state: unknown;
    replaceState(state: unknown, unused: string, url: URL | string): void;
  };
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

const LINK = /^#token=(.*)$/;

/** Takes the token of a sign-in link out of the address, and of the history. */
export function takeToken(): string | undefined {
  const [, token] = LINK.exec(page?.location.hash ?? '') ?? [];
  if (page === undefined || token === undefined) return undefined;
  const { history, location } = page;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** Before the texts of another language are requested. */
export const linkToken = takeToken();
