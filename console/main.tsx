// The console's entry point: theme, cache and routes.

import './styles/base.ts';
import { createTheme, DEFAULT_THEME, defaultVariantColorsResolver, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LIST_ROUTE, type Search, searchCodec } from './address.tsx';
import { activityList } from './contract.ts';
import { BASE_PATH, forget } from './linecard.ts';
import { ListPage } from './list/list-page.tsx';
import { queries } from './queries.ts';
import { currentSession, onSession } from './session.ts';
import { later, PagePlace } from './shell/later.tsx';
import { Shell } from './shell/shell.tsx';
import { NoSuchPage, TroublePage } from './shell/trouble.tsx';

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
  components: { Menu: { defaultProps: { withInitialFocusPlaceholder: false } } },
  respectReducedMotion: true,
  cursorType: 'pointer',
});

const loadOverview = () => import('./overview/overview.tsx');
// It is loaded while the account is requested, or while somebody signs in.
if (location.pathname === BASE_PATH) void loadOverview().catch(() => {});

const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage });
const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: later('OverviewPage', loadOverview, PagePlace),
});
const validateSearch = ({ text }: Record<string, unknown>): Search => ({
  text: typeof text === 'string' ? text : '',
});
const list = createRoute({
  getParentRoute: () => root,
  path: LIST_ROUTE,
  component: ListPage,
  validateSearch,
});
const happened = createRoute({
  getParentRoute: () => root,
  path: `/${activityList.word}`,
  component: later('ActivityPage', () => import('./activity/activity-page.tsx'), PagePlace),
  validateSearch,
});
const notifications = createRoute({
  getParentRoute: () => root,
  path: '/notifications',
  component: later('NotificationsPage', () => import('./notifications/notifications-page.tsx'), PagePlace),
});
const router = createRouter({
  routeTree: root.addChildren([start, happened, notifications, list]),
  basepath: BASE_PATH,
  scrollRestoration: false,
  defaultErrorComponent: TroublePage,
  ...searchCodec,
});

// Another token is another account: nothing of the old one stays.
let token = currentSession().token;
onSession(() => {
  if (currentSession().token === token) return;
  token = currentSession().token;
  forget();
  queries.clear();
});

const place = document.getElementById('console');
if (place === null) throw new Error('The page has no place for the console.');
// A wrong address is shown on the page, not reported as an error.
const shown = createRoot(place, { onCaughtError: () => {} });
// In a browser that is too old the page says so (starting.js).
const isTooOld = 'tooOld' in document.documentElement.dataset;
if (!isTooOld)
  shown.render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
