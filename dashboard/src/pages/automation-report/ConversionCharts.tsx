import type { Schemas } from '../../api/client.ts'
import { Section } from '../../layout/Page.tsx'
import { count, dateOf, percentOf, plural } from '../../lib/format.ts'
import { Bars } from '../../primitives/Bars.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { Time } from '../../components/Time.tsx'
import classes from './report.module.css'
import { conversionColumns } from './conversion-columns.tsx'
import { Verdict } from './Verdict.tsx'

type Conversion = Schemas['Conversion']
type Version = Conversion['versions'][number]

const WEEK_MS = 7 * 24 * 60 * 60_000

/** Shows the conversion by week of enrollment, and the time to the goal. */
export function ConversionCharts({ of: { weeks, days, windowDays } }: { of: Conversion }) {
  return (
    <div className={classes.charts}>
      <Section title="Goal conversion" meta="by week of enrollment">
        <Bars
          label="Goal conversion by week"
          bars={everyWeek(weeks).map(({ week, enrolled, counted, reachedSoFar }) => {
            const isOpen = counted < enrolled
            const begin = dateOf(new Date(`${week}T00:00:00`)).replace(/,.*/, '')
            const share = enrolled === 0 ? 'none' : percentOf(reachedSoFar, enrolled)
            return {
              label: begin,
              value: enrolled > 0 ? reachedSoFar / enrolled : 0,
              text: share,
              title: `Week of ${begin}: ${share}, ${count(reachedSoFar)} of ${count(enrolled)}${isOpen ? ', may rise' : ''}`,
              isOpen,
            }
          })}
        />
        {weeks.some(({ counted, enrolled }) => counted < enrolled) && (
          <p className="small t3">Hollow: some contacts still have time to reach the goal, so it may rise.</p>
        )}
      </Section>
      <Section title="Time to goal" meta="contacts, by day">
        {days.length === 0 ? (
          <p className="t2">No contact has reached the goal yet.</p>
        ) : (
          <Bars
            label="Contacts who reached the goal, by day"
            bars={allDays(days, windowDays).map(({ day, reached }) => ({
              label: String(day),
              value: reached,
              text: reached === 0 ? '' : count(reached),
              title: `Day ${day}: ${count(reached)}`,
            }))}
          />
        )}
      </Section>
    </div>
  )
}

/** Fills in the weeks without enrollments. */
function everyWeek(weeks: Conversion['weeks']): Conversion['weeks'] {
  const byWeek = new Map(weeks.map((each) => [each.week, each]))
  const first = weeks[0]?.week
  const last = weeks.at(-1)?.week
  if (first === undefined || last === undefined) return []
  const all: Conversion['weeks'] = []
  for (let at = new Date(first); at <= new Date(last); at = new Date(at.getTime() + WEEK_MS)) {
    const week = at.toISOString().slice(0, 10)
    all.push(byWeek.get(week) ?? { week, enrolled: 0, counted: 0, reached: 0, reachedSoFar: 0 })
  }
  return all
}

/** The days of the window, up to the last with a contact if it is long. */
function allDays(days: Conversion['days'], windowDays: number): Conversion['days'] {
  const byDay = new Map(days.map(({ day, reached }) => [day, reached]))
  const last = Math.min(windowDays, Math.max(14, ...byDay.keys()))
  return Array.from({ length: last }, (_, n) => ({ day: n + 1, reached: byDay.get(n + 1) ?? 0 }))
}

/** Compares each version with the one before it. */
export function Versions({ of: { versions, windowDays } }: { of: Conversion }) {
  if (versions.length === 0) return null
  const columns: readonly Column<Version>[] = [
    {
      id: 'version',
      head: 'Version',
      phone: 'title',
      cell: ({ version, publishedAt, publishedBy }) => (
        <>
          <span className="strong">Version {version}</span>{' '}
          <span className="t2">
            since <Time at={publishedAt} as="date" />
            {publishedBy !== null && `, by ${publishedBy}`}
          </span>
        </>
      ),
    },
    ...conversionColumns<Version>('Enrolled'),
    {
      id: 'result',
      head: 'Compared with the one before',
      phone: 'about',
      cell: (version) => <Verdict of={version} before={versions[versions.indexOf(version) + 1]} />,
    },
  ]
  return (
    <Section title="Versions" meta={`Goal within ${plural(windowDays, 'day')}`}>
      <DataTable<Version>
        label="Versions"
        rows={versions}
        idOf={({ version }) => String(version)}
        columns={columns}
        empty={null}
      />
    </Section>
  )
}
