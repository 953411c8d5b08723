// Which of the numbers that a list is filtered by are on the account, which are not, and what was pasted with
// them and is no number.

import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState, useSyncExternalStore } from 'react';
import { useShown } from '../address.tsx';
import type { FilterFacts, ListFacts } from '../contract.ts';
import { plural, shownCount, shownText } from '../format.ts';
import { readAll } from '../linecard.ts';
import { requestOf } from '../queries.ts';
import { digitsOf, isNational } from '../reading.ts';
import { copyText } from '../shell/copy-text.tsx';
import { texts } from '../texts.ts';
import { pasted } from './pasted.ts';

const words = texts.pasted;
const AT_ONCE = 100;

/** Those of the numbers that the account has, whatever else the list is filtered by. */
function foundQuery(list: ListFacts, { name, field }: FilterFacts, numbers: readonly string[]) {
  const params = { [name]: numbers, fields: [field.name], page_size: AT_ONCE };
  return requestOf([list.name, 'numbers', numbers.join()], async (from, signal) => {
    const items = await readAll(from, list, params, signal);
    return items.map((item) => String(item[field.name]));
  });
}

/** A filter has the digits of a number with its country code alone. */
const spelled = (number: string) => (number.startsWith('0') ? number : `+${number}`);
/** An address has them in its own spelling. */
const keyOf = (numbers: readonly string[]) => [...new Set(numbers.map(digitsOf))].sort().join();

interface FoundNumbersProps {
  readonly filter: FilterFacts;
  readonly numbers: readonly string[];
}

export function FoundNumbers({ filter, numbers }: FoundNumbersProps) {
  const { list } = useShown();
  const { data } = useQuery(foundQuery(list, filter, numbers));
  const last = useSyncExternalStore(pasted.observe, pasted.get);
  const isLast = keyOf(last.numbers) === keyOf(numbers);
  const found = new Set(data?.map(digitsOf));
  const byDigits = new Map((isLast ? last.numbers : numbers.map(spelled)).map((one) => [digitsOf(one), one]));
  const missing = [...byDigits].flatMap(([digits, number]) => (found.has(digits) ? [] : [number]));
  const national = missing.filter(isNational);
  return (
    <div className="flow found-numbers" role="status">
      {data !== undefined && (
        <>
          <span>{plural(words.found, byDigits.size - missing.length)}</span>
          <Named label={words.missing} numbers={missing.filter((number) => !national.includes(number))} />
          <Named label={words.national} numbers={national} />
        </>
      )}
      {isLast && <Named label={words.others} numbers={last.others} />}
      {isLast && last.isCut === true && <span>{words.cut(shownCount(numbers.length))}</span>}
    </div>
  );
}

/** How many, and with a click which: they are copied as well. */
function Named({ label, numbers }: { label: typeof words.missing; numbers: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const [isCopied, setCopied] = useState(false);
  if (numbers.length === 0) return null;
  const onClick = () => {
    setOpen(!isOpen);
    if (!isOpen) void copyText(numbers.join('\n')).then(() => setCopied(true));
  };
  return (
    <>
      <UnstyledButton className="found-more" aria-expanded={isOpen} onClick={onClick}>
        {plural(label, numbers.length)}
      </UnstyledButton>
      {isOpen && isCopied && <span className="dim">{texts.copied}</span>}
      {isOpen && (
        <p className="found-list" dir="auto">
          {numbers.map((number, i) => (
            <Fragment key={number}>
              <span>
                {shownText(number)}
                {i < numbers.length - 1 && ','}
              </span>{' '}
            </Fragment>
          ))}
        </p>
      )}
    </>
  );
}
