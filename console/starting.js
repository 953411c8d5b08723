// Says in plain words that a browser is too old for the console, or that the console did not start, where the
// page would stay blank. Browsers of any age read this file: it is in the syntax of 2009, and not built.

// biome-ignore-all lint: the syntax of 2009
/* oxlint-disable */

/** What the console needs and the browsers of a few years ago lack. */
var NEEDED = [
  'AbortSignal.any',
  'AbortSignal.prototype.throwIfAborted',
  'Array.prototype.at',
  'Array.prototype.toSorted',
  'CSS.supports',
  'Element.prototype.checkVisibility',
  'Intl.DisplayNames',
  'Intl.ListFormat',
  'Intl.PluralRules',
  'Intl.RelativeTimeFormat',
  'Map.groupBy',
  'Object.fromEntries',
  'Object.hasOwn',
  'Promise.allSettled',
  'ReadableStream',
  'ResizeObserver',
  'String.prototype.isWellFormed',
  'String.prototype.matchAll',
  'String.prototype.replaceAll',
  'URL.canParse',
  'matchMedia',
  'queueMicrotask',
];
/** The youngest that the styles need. */
var COLOUR = 'light-dark(red, red)';

function isThere(path) {
  var at = window;
  var names = path.split('.');
  for (var i = 0; i < names.length && at; i += 1) at = at[names[i]];
  return Boolean(at);
}

function isTooOld() {
  for (var i = 0; i < NEEDED.length; i += 1) if (!isThere(NEEDED[i])) return true;
  return !CSS.supports('color', COLOUR);
}

/** As texts.ts chooses it, which takes it out of the address. */
function languages() {
  var ofAddress = /[?&]lang=([^&]*)/.exec(location.search);
  var chosen = [];
  if (ofAddress) chosen.push(ofAddress[1]);
  try {
    chosen.push(localStorage.getItem('linecard-language') || '');
  } catch (error) {
    // A browser that stores nothing.
  }
  return chosen.concat(navigator.languages || [navigator.language || ''], 'en');
}

var tags = languages();

/** Shows the sentence of a kind in the first language that has one. */
function say(kind) {
  var sentences = document.querySelectorAll('#starting .' + kind);
  for (var i = 0; i < tags.length; i += 1) {
    for (var j = 0; j < sentences.length; j += 1) {
      var lang = sentences[j].getAttribute('lang');
      if (lang.slice(0, 2) !== tags[i].slice(0, 2).toLowerCase()) continue;
      sentences[j].removeAttribute('hidden');
      document.getElementById('starting').removeAttribute('hidden');
      document.documentElement.setAttribute('lang', lang);
      return;
    }
  }
}

function whenRead(act) {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', act);
  else setTimeout(act, 0);
}

/** Once the console is there, it says itself what fails. */
function onFault(event) {
  var isOfPage = event.target === window || event.target.tagName === 'SCRIPT';
  if (!isOfPage) return;
  whenRead(function () {
    if (document.getElementById('console').firstChild === null) say('failed');
  });
}

/** What is needed early, by name (build.ts): the texts of a language, and the files of a page. */
var script = document.currentScript;
/** The URL of the console, with its last slash: the path of a page may be deeper. */
var home = script ? script.src.slice(0, script.src.lastIndexOf('/assets/') + 1) : '';

function preload(files) {
  var each = files ? files.split(' ') : [];
  for (var i = 0; i < each.length; i += 1) {
    var link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = home + each[i].slice(each[i].indexOf('assets/'));
    document.head.appendChild(link);
  }
}

function isSignedIn() {
  try {
    return sessionStorage.getItem('linecard-token') !== null;
  } catch (error) {
    return false;
  }
}

/** The files of the page that the address names; those of the sign-in where it is shown first. */
function filesOfPage() {
  if (!isSignedIn()) return script.dataset.sign;
  var page = (location.origin + location.pathname).slice(home.length).split('/')[0];
  if (page === '') return script.dataset.overview;
  return script.dataset[page] || script.dataset.list;
}

/** While the browser still loads the page, and not only when its script names them. */
function preloadNeeded() {
  // Nothing is requested while the address has the token of a sign-in link.
  if (!script || !script.dataset || location.hash) return;
  var isKnown = false;
  for (var i = 0; i < tags.length && !isKnown; i += 1) {
    var lang = tags[i].slice(0, 2).toLowerCase();
    isKnown = lang === 'en' || Boolean(script.dataset[lang]);
    if (isKnown) preload(script.dataset[lang]);
  }
  preload(filesOfPage());
}

if (isTooOld()) {
  // main.tsx leaves such a page alone.
  document.documentElement.setAttribute('data-too-old', 'true');
  // The token of a sign-in link.
  if (location.hash && history.replaceState)
    history.replaceState(null, '', location.pathname + location.search);
  whenRead(function () {
    say('too-old');
  });
} else {
  preloadNeeded();
  window.addEventListener('error', onFault, true);
  window.addEventListener('unhandledrejection', onFault);
}
