// The page that the console runs in: the operator's name, look and fields, which the service has written into
// it (server/http/console.ts), the token of a sign-in link, and the account that the address names. All are
// there before the first request.

/** What the texts need of a browser. */
interface Page {
  readonly self: unknown;
  readonly top: unknown;
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
    assign(url: URL): void;
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
  fields = '{}',
} = page?.document.getElementById('console')?.dataset ?? {};

/** The operator's own fields, by list, as JSON. */
export const ownFields = fields;

export const brand = {
  name,
  logo,
  /** On dark ground. */
  logoDark,
  /** Whether the logo is so wide that it is the name. */
  isLogoName: wide !== undefined,
  supportUrl: support,
} as const;

/** The one fragment that is a place on the page. */
export const PLACE = '#list';
/** Also behind what others have added to the link: `#x=1&token=…`. */
const LINK = /\Wtoken=([^&;]*)/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Takes a fragment that is no place out of the address and the history.
 * @returns the token of a sign-in link
 */
export function takeToken(): string | undefined {
  if (page === undefined || ['', PLACE].includes(page.location.hash)) return undefined;
  const { history, location } = page;
  const [, token] = LINK.exec(decoded(location.hash)) ?? [];
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** Before the texts of another language are requested. */
export const linkToken = takeToken();

const ACCOUNT_PARAM = 'account';
/** The account below that of the token which the address names. Another one is another page. */
export const ACCOUNT = new URLSearchParams(page?.location.search).get(ACCOUNT_PARAM) || undefined;

const EMBED_PARAM = 'embed';
/** Whether the address asks for the page without its header, for a frame of another page. */
export const IS_EMBEDDED = new URLSearchParams(page?.location.search).get(EMBED_PARAM) === '1';

/** Whether another page shows this one in a frame, with or without its header. */
export const IS_FRAMED = page !== undefined && page.self !== page.top;

/** Of the address of an own account, without a view. */
export const HOME_SEARCH = IS_EMBEDDED ? `?${EMBED_PARAM}=1` : '';

/** A query string without what names no view. */
export function withoutAccount(text: string): string {
  return text
    .split('&')
    .filter((part) => ![ACCOUNT_PARAM, EMBED_PARAM].includes(part.split('=')[0] ?? ''))
    .join('&');
}

/** The query string of an address about an account; empty if there is nothing to say. */
export function addressSearch(text: string, account = ACCOUNT): string {
  const own = account === undefined ? '' : `${ACCOUNT_PARAM}=${encodeURIComponent(account)}`;
  const parts = [text, own, IS_EMBEDDED ? `${EMBED_PARAM}=1` : ''].filter((part) => part !== '');
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
