import { useNavigate, useSearch } from '@tanstack/react-router'
import { plural } from '../../../lib/format.ts'
import { Section } from '../../../layout/Page.tsx'
import { ROUTE } from '../route.ts'
import { differenceText } from '../labels.ts'
import type { Rehearsal } from './queries.ts'

/** Counts the contacts who get more or fewer emails than in the current version. A sentence filters the list of contacts. */
export function Differences({ of: { current } }: { of: Rehearsal }) {
  const { difference: shown } = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  if (!current) return null
  return (
    <Section title={`Compared with version ${current.version}`}>
      <ul>
        {current.differences.map(({ difference, contacts }) => (
          <li key={difference}>
            <button
              type="button"
              className="textButton link"
              aria-pressed={shown === difference}
              onClick={() =>
                void navigate({
                  search: (before) => ({
                    ...before,
                    difference: shown === difference ? undefined : difference,
                    page: undefined,
                  }),
                  replace: true,
                })
              }
            >
              {plural(contacts, 'contact')} would {contacts > 1 && 'each '}get {differenceText(difference)}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  )
}
