// What this browser remembers of the reader's choices, as objects by key: nothing where it stores nothing.

type Stored = Readonly<Record<string, unknown>>;

export function stored(key: string): Stored {
  try {
    return Object(JSON.parse(localStorage.getItem(key) ?? '{}')) as Stored;
  } catch {
    return {};
  }
}

/** Without storage, a choice lasts as long as the page. */
export function store(key: string, value: Stored): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // See above.
  }
}
