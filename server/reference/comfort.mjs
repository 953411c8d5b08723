// What makes /docs easier to read in a browser with JavaScript: a search, copies of the examples, the section
// that is read, and the chosen language the next time. Without it, the page has all the same content.

const KEY = 'linecard-examples';
const MOST = 12;
const LONGEST = 80;
const COPIED_MS = 1500;
const NOTHING = 'Nothing matches.';
/** Where there are keys. */
const HINT = matchMedia('(hover: hover)').matches ? ' ( / )' : '';

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Chooses the language of last time, and remembers another. */
function keepLanguage() {
  const radios = [...document.querySelectorAll('.languages input')];
  const last = radios.find((one) => one.id === stored());
  if (last) last.checked = true;
  for (const radio of radios)
    radio.addEventListener('change', () => {
      try {
        localStorage.setItem(KEY, radio.id);
      } catch {
        // Remembered as long as the page.
      }
    });
}

function addCopies() {
  for (const pre of document.querySelectorAll('main pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    const say = (text) => {
      button.textContent = text;
    };
    button.addEventListener('click', () => {
      const text = pre.querySelector('code')?.textContent ?? pre.textContent;
      navigator.clipboard.writeText(text).then(
        () => say('Copied'),
        () => say('Not copied'),
      );
      setTimeout(say, COPIED_MS, 'Copy');
    });
    // A page without TLS has no clipboard.
    if (navigator.clipboard) pre.append(button);
  }
}

/** Scrolls the contents alone, not the page. */
function keepInView(link) {
  const nav = link.closest('nav');
  const { top, bottom } = nav.getBoundingClientRect();
  const at = link.getBoundingClientRect();
  if (at.top < top || at.bottom > bottom) nav.scrollTop += at.top - (top + bottom) / 2;
}

/** Marks the section that is read in the contents. */
function followReading() {
  const links = [...document.querySelectorAll('.side nav a')];
  const targets = links.map((one) => document.querySelector(one.hash)).filter(Boolean);
  const mark = () => {
    const at = targets.findLast((one) => one.getBoundingClientRect().top < innerHeight / 3);
    for (const link of links) {
      const isRead = at !== undefined && link.hash === `#${at.id}`;
      if (isRead === link.hasAttribute('aria-current')) continue;
      if (isRead) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
      if (isRead) keepInView(link);
    }
  };
  let isDue = false;
  addEventListener(
    'scroll',
    () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

function headOf(one) {
  const head = one.matches('dt') ? one : one.querySelector('h2, h3, dt');
  // A name is followed by its type, or by what an error says.
  const name = head?.matches('dt') ? head.querySelector('code') : head;
  return (name ?? one).textContent.trim().replace(/\s+/g, ' ').slice(0, LONGEST);
}

/** Whatever has a place of its own: sections, operations, parameters, problems; and what it is part of. */
function placesOf() {
  const all = [...document.querySelectorAll('main [id]')].map((one) => {
    const isLeaf = one.querySelector('[id]') === null;
    const text = headOf(one);
    const part = one.parentElement.closest('main [id]');
    const inside = (isLeaf ? one.textContent : text).toLowerCase();
    return { hash: `#${one.id}`, text, where: part === null ? '' : headOf(part), inside };
  });
  return all.filter(({ text }) => text !== '');
}

function matching(places, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = places.filter(({ inside }) => words.every((word) => inside.includes(word)));
  const isNamed = ({ text }) => words.every((word) => text.toLowerCase().includes(word));
  return [...found].sort((a, b) => isNamed(b) - isNamed(a)).slice(0, MOST);
}

/** Arrow keys go from link to link, and back to the field. */
function moveIn(search, event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const stops = [...search.querySelectorAll('input, a')];
  stops[stops.indexOf(document.activeElement) + step]?.focus();
}

function element(name, inside) {
  const one = document.createElement(name);
  one.append(inside);
  return one;
}

function addSearch() {
  const search = document.querySelector('header search');
  search.innerHTML = `<input type="search" aria-label="Search the reference" placeholder="Search${HINT}" aria-keyshortcuts="Control+K /" autocomplete="off"><ul hidden></ul><span class="unseen" role="status"></span>`;
  const [field, list, status] = search.children;
  const places = placesOf();
  const close = () => {
    list.hidden = true;
  };
  const show = () => {
    const found = field.value.trim() === '' ? [] : matching(places, field.value);
    list.replaceChildren(
      ...found.map(({ hash, text, where }) => {
        const link = Object.assign(document.createElement('a'), { href: hash, textContent: text });
        if (where !== '') link.append(' ', element('small', where));
        link.addEventListener('click', close);
        return element('li', link);
      }),
      ...(found.length === 0 ? [element('li', NOTHING)] : []),
    );
    list.hidden = field.value.trim() === '';
    status.textContent = list.hidden ? '' : found.length === 0 ? NOTHING : `${found.length} found`;
  };
  field.addEventListener('input', show);
  field.addEventListener('focus', show);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && document.activeElement === field) list.querySelector('a')?.click();
    if (event.key === 'Escape') {
      close();
      field.focus();
    }
    moveIn(search, event);
  });
  search.addEventListener('focusout', ({ relatedTarget }) => {
    if (!search.contains(relatedTarget)) close();
  });
  addEventListener('keydown', (event) => {
    const isKey = event.key === 'k' && (event.ctrlKey || event.metaKey);
    const isSlash = event.key === '/' && !(event.target instanceof HTMLInputElement);
    if (!isKey && !isSlash) return;
    event.preventDefault();
    field.select();
    field.focus();
  });
}

keepLanguage();
addCopies();
followReading();
addSearch();
