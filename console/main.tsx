// The console's entry point: theme, cache, and the first request.

import './styles/base.ts';
import {
  createTheme,
  DEFAULT_THEME,
  defaultVariantColorsResolver,
  MantineProvider,
  type MenuProps,
} from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { forget } from './linecard.ts';
import { accountQuery, queries } from './queries.ts';
import { currentSession, mustChoose, onSession } from './session.ts';
import { takeFocusWithin } from './shell/focus.ts';
import { Fence, loadLikely } from './shell/later.tsx';
import { Shell } from './shell/shell.tsx';
import { TroublePage } from './shell/trouble.tsx';

const LEAST_MENU = 80;

/** A menu opens where there is more room, and scrolls if it is higher. */
const fitting: MenuProps['middlewares'] = {
  flip: { fallbackStrategy: 'bestFit' },
  size: {
    padding: 8,
    apply({ availableHeight, elements }) {
      elements.floating.style.maxHeight = `${Math.max(LEAST_MENU, availableHeight)}px`;
    },
  },
};

const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: 8,
  variantColorResolver: (input) => {
    const colours = defaultVariantColorsResolver(input);
    return input.variant === 'filled' ? { ...colours, color: 'var(--on-accent)' } : colours;
  },
  // Its colours are set in styles/theme.css: the page's policy allows no styles written by scripts.
  colors: { brand: DEFAULT_THEME.colors.teal },
  // A menu begins with its first item: the placeholder that would have the focus is no item.
  components: {
    // Its transition waits three frames before there is anything to see.
    Popover: { defaultProps: { transitionProps: { duration: 0 } } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, middlewares: fitting } },
    MenuDropdown: { defaultProps: { ref: takeFocusWithin } },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
});

// Another token is another account: nothing of the old one stays.
let token = currentSession().token;
onSession(() => {
  if (currentSession().token === token) return;
  token = currentSession().token;
  forget();
  queries.clear();
});

// The answer is in flight while the page is rendered for the first time, which says what fails.
if (token !== undefined && !mustChoose()) queries.query(accountQuery()).catch(() => {});
/** By then the page has what it shows first. */
const LIKELY_MS = 1_500;
setTimeout(loadLikely, LIKELY_MS);

const place = document.getElementById('console');
if (place === null) throw new Error('The page has no place for the console.');
// In a browser that is too old the page says so (starting.js).
const isTooOld = 'tooOld' in document.documentElement.dataset;
if (!isTooOld)
  createRoot(place).render(
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <Fence around={token} instead={(error) => <TroublePage error={error} />}>
          <Shell />
        </Fence>
      </QueryClientProvider>
    </MantineProvider>,
  );
