// Origins as a setting: what a browser sends as `Origin` for the pages of a site (RFC 6454).

/** What the origin of a page at the URL is. */
function originOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? parsed.origin : undefined;
}

/** How a setting takes origins. One that a browser would write differently never matches, and is refused. */
export const origins = {
  value: 'origin',
  about: 'an origin whose pages may read answers in a browser; * for all',
  several: ' ',
  default: [] as readonly string[],
  allowed: '* or origins such as https://app.example.com, without a path or a slash at the end',
  read(text: string) {
    const all = text.trim().split(/[\s,]+/);
    return all.every((one) => one === '*' || originOf(one) === one) ? all : undefined;
  },
} as const;
