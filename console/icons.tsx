// The console's icons: lines of one width in the colour of the surrounding text.

const PATHS = {
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.3 15.3 20 20',
  filter: 'M4 6h16M7 12h10M10 18h4',
  columns: 'M5 5h14v14H5zM10 5v14M14.5 5v14',
  download: 'M12 4v11m0 0 4.5-4.5M12 15l-4.5-4.5M5 19.5h14',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  close: 'm6 6 12 12M18 6 6 18',
  not: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM6.500 6.500l11 11',
  left: 'm14.5 5.5-6.5 6.5 6.5 6.5',
  right: 'm9.5 5.5 6.5 6.5-6.5 6.5',
  chevron: 'm5.5 9 6.5 6.5 6.5-6.5',
  first: 'M6.5 5.5v13M17.5 5.5 11 12l6.5 6.5',
  last: 'M17.5 5.5v13M6.5 5.5 13 12l-6.5 6.5',
  up: 'M12 19V5.5m0 0L6.5 11M12 5.5l5.5 5.5',
  down: 'M12 5v13.5m0 0 5.5-5.5M12 18.5 6.5 13',
  flag: 'M6 20.5V4.5m0 0h11.5l-2.5 4 2.5 4H6',
  person: 'M12 11.5a3.8 3.8 0 1 0 0-7.5 3.8 3.8 0 0 0 0 7.5ZM4.5 20c.9-3.4 3.9-5.2 7.5-5.2s6.6 1.8 7.5 5.2',
  leave: 'M10 4.5H5v15h5M10.5 12H20m0 0-4-4m4 4-4 4',
  book: 'M5 5.5c2.5-1 5-1 7 .5 2-1.500 4.500-1.500 7-.5v13c-2.500-1-5-1-7 .5-2-1.500-4.500-1.500-7-.5zM12 6v13',
  keys: 'M3.500 6.500h17v11h-17zM7 10h.2M10.500 10h.2M14 10h.2M17.300 10h.2M8 14h8',
  calendar: 'M4.500 6h15v14h-15zM4.500 10h15M8.500 3.500V8M15.500 3.500V8',
  compare: 'M6 19.500V11M12 19.500v-15M18 19.500V8',
  clock: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 7.500V12l3 2',
  bell: 'M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 2h-15zM10 21h4',
  help: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM9.800 9.500a2.300 2.300 0 1 1 3.300 2.100c-.8.4-1.100.9-1.100 1.700M12 16.200v.2',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1',
  warning: 'M12 4 2.800 19.500h18.400zM12 10v4.500M12 17v.2',
  code: 'm8.500 8-4.500 4 4.500 4M15.500 8l4.500 4-4.500 4',
  pin: 'M9 4h6l-.800 6 3 3.500H6.800l3-3.500zM12 13.500V20',
  more: 'M5 12h1M11.500 12h1M18 12h1',
  list: 'M5 6.500h14M5 12h14M5 17.500h14',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
