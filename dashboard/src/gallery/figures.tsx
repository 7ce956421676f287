import { Button } from '@mantine/core'
import { ErrorBanner } from '../components/ErrorBanner.tsx'
import {
  AUTOMATION_STATUS,
  ENROLLMENT_STATUS,
  MESSAGE_STATUS,
  StatusBadge,
  type StatusStyle,
} from '../components/StatusBadge.tsx'
import { Bars } from '../primitives/Bars.tsx'
import { type Check, Checklist, worstOf } from '../primitives/Checklist.tsx'
import { Metrics } from '../primitives/Metrics.tsx'
import { PartBar, RateInterval } from '../primitives/RateBar.tsx'
import { Step, Steps } from '../primitives/Steps.tsx'
import { ERRORS } from './fake-server.tsx'
import { ARABIC, EXTREMES } from './people.ts'
import { Section, State } from './Section.tsx'

const LONG = EXTREMES[0]!.email

const CHECKS: readonly Check[] = [
  { id: 'sender', name: 'Sender', state: 'ok', fact: 'news@example.com is verified.' },
  { id: 'links', name: 'Links', state: 'warning', fact: `1 link has no response: ${LONG}` },
  {
    id: 'subject',
    name: 'Subject',
    state: 'error',
    fact: 'The email has no subject.',
    action: <Button>Add subject</Button>,
  },
]
const PASSED = CHECKS.slice(0, 1)

const barsOf = (many: number) =>
  Array.from({ length: many }, (_, n) => ({
    label: `W${n + 1}`,
    value: n % 5,
    text: `${n % 5}%`,
    title: `Week ${n + 1}: ${n % 5}%, ${n % 5} of 100`,
    isOpen: n === many - 1,
  }))

const STATUSES: Record<string, Record<string, StatusStyle>> = {
  Messages: MESSAGE_STATUS,
  Enrollments: ENROLLMENT_STATUS,
  Automations: AUTOMATION_STATUS,
}

const RATES = [
  { title: 'Best', value: 81, total: 263, isBest: true },
  { title: 'Other', value: 15, total: 148, isBest: false },
  { title: 'Beyond the scale', value: 9, total: 10, isBest: false },
  { title: 'No emails', value: 0, total: 0, isBest: false },
]

const Rates = () => (
  <>
    {RATES.map(({ title, value, total, isBest }) => (
      <State key={title} title={title}>
        <div className="row">
          <PartBar value={value} total={total} />
          <RateInterval value={value} total={total} max={0.5} isBest={isBest} />
        </div>
      </State>
    ))}
  </>
)

export const FigureSections = () => (
  <>
    <Section title="Checklist">
      <Checklist checks={CHECKS} />
    </Section>
    <Section title="Steps">
      <Steps>
        <Step title="Audience" state={worstOf([])} meta="412 contacts">
          <p>Everyone.</p>
        </Step>
        <Step title="Email" state={worstOf(CHECKS)} action={<Button>Edit</Button>}>
          <p style={{ overflowWrap: 'anywhere' }}>{LONG}</p>
        </Step>
        <Step title="Schedule" state={worstOf(CHECKS.slice(0, 2))}>
          <p dir="rtl">{ARABIC}</p>
        </Step>
        <Step title="Sender" state={worstOf(PASSED)}>
          <p>news@example.com</p>
        </Step>
      </Steps>
    </Section>
    <Section title="Metrics">
      <Metrics
        label="Results"
        metrics={[
          { label: 'Delivered', value: '12,391', base: '99.8% of 12,420', title: 'Sent minus bounced' },
          { label: 'Open rate', value: '42.8%', base: '5,302 opened' },
          { label: 'Clicked', value: '0' },
          { label: 'A label that is longer than its figure and its frame', value: '123,456,789', base: ARABIC },
        ]}
      />
    </Section>
    <Section title="Rates">
      <Rates />
    </Section>
    <Section title="Bars">
      <State title="Few">
        <Bars label="Open rate by week" bars={barsOf(6)} />
      </State>
      <State title="Many">
        <Bars label="Open rate by day" bars={barsOf(60)} />
      </State>
      <State title="With a second value">
        <Bars
          label="Opens and clicks"
          bars={barsOf(60).map((bar) => ({ ...bar, part: bar.value / 3 }))}
          tone="accent"
        />
      </State>
      <State title="All zero">
        <Bars label="Clicks by week" bars={barsOf(6).map((bar) => ({ ...bar, value: 0 }))} />
      </State>
    </Section>
    <Section title="Statuses">
      {Object.entries(STATUSES).map(([title, styles]) => (
        <State key={title} title={title}>
          <div className="row" style={{ flexWrap: 'wrap' }}>
            {Object.values(styles).map((status) => (
              <StatusBadge key={status.label} status={status} />
            ))}
          </div>
        </State>
      ))}
      <State title="Without background">
        <StatusBadge status={MESSAGE_STATUS.SENT} plain />
      </State>
    </Section>
    <Section title="Errors">
      <State title="With a request ID">
        <ErrorBanner error={ERRORS.request} />
      </State>
      <State title="Of the dashboard itself">
        <ErrorBanner error={new TypeError('x is undefined')} />
      </State>
    </Section>
  </>
)
