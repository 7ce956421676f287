import { VisuallyHidden } from '@mantine/core'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import type { Names } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AUTOMATION_STATUS, type AutomationStatus } from '../../components/StatusBadge.tsx'
import { Section } from '../../layout/Page.tsx'
import { leaveRuleText } from '../builder/describe-step.ts'
import type { AutomationDraft, ExitRule, LeaveRule } from '../builder/draft.ts'
import { readSteps, type Step } from '../builder/steps.ts'
import { type Trigger, TRIGGERS } from '../automations/triggers.ts'
import { compareOutlines, outlineOf, readProposedSteps } from './outline.ts'
import { ProposedEmails } from './ProposedEmails.tsx'
import classes from './proposals.module.css'
import type { Proposal } from './proposals.ts'

/** Shows what would be published, compared with the automation as it is. */
export function PublicationContent({
  proposal: { automationId, content, isOutdated, status },
}: {
  proposal: Proposal
}) {
  const id = automationId!
  const names = useConditionNames()
  // An automation with another revision is not the one that the proposal is based on.
  const isComparable = status === 'PENDING' && !isOutdated
  const { data, error, refetch } = useWorkspaceQuery(
    ['proposals', 'automation', id],
    async (api, signal) => (await api.GET('/automations/{id}', { params: { path: { id } }, signal })).data.data,
    { enabled: isComparable },
  )
  if (isComparable && error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (isComparable && !data) return <SkeletonRows rows={6} />
  // A new configuration of the trigger is shown with the trigger that stays.
  const trigger = content['triggerConfig'] !== undefined && data ? { trigger: data.trigger } : {}
  const settings = settingsOf({ ...trigger, ...content }, names)
  const before = data && settingsOf(data, names)
  const present = data && readSteps(data.steps)
  // To activate an automation is to send the emails that it has.
  const steps = content['steps'] === undefined ? present : readProposedSteps(content['steps'])
  const isUnreadable = content['steps'] !== undefined && steps === undefined
  return (
    <>
      {settings.length > 0 && (
        <Section title="Settings">
          <dl className="facts">
            {settings.map(([label, value]) => (
              <Setting key={label} label={label} value={value} before={before?.find(([each]) => each === label)?.[1]} />
            ))}
          </dl>
        </Section>
      )}
      {steps && (
        <Section title="Steps">
          <StepChanges before={present} after={steps} names={names} />
        </Section>
      )}
      {steps && <ProposedEmails steps={steps} />}
      <Section title="Everything that is published">
        <details open={isUnreadable}>
          <summary>Show as JSON</summary>
          <pre className={`mono ${classes.code}`} tabIndex={0}>
            {JSON.stringify(content, null, 2)}
          </pre>
        </details>
      </Section>
    </>
  )
}

function Setting({ label, value, before }: { label: string; value: string; before: string | undefined }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {value}
        {before !== undefined && before !== value && <span className="t3"> (now: {before})</span>}
      </dd>
    </>
  )
}

const CHANGES = { added: ['+', 'Added: '], removed: ['−', 'Removed: '], same: ['', ''] } as const

/** The steps, one line each, with those that are added or removed. */
function StepChanges({
  before,
  after,
  names,
}: {
  before: readonly Step[] | undefined
  after: readonly Step[]
  names: Names
}) {
  const now = outlineOf(after, names)
  const lines = compareOutlines(before ? outlineOf(before, names) : now, now)
  if (lines.length === 0) return <p className="t2">No steps.</p>
  return (
    <ol className={classes.outline}>
      {lines.map(({ depth, text, more, change }, at) => (
        <li key={at} className={classes[change]} style={{ paddingLeft: `calc(${depth} * var(--indent) + 24px)` }}>
          <span aria-hidden className={classes.mark}>
            {CHANGES[change][0]}
          </span>
          <VisuallyHidden>{CHANGES[change][1]}</VisuallyHidden>
          {text}
          {change !== 'same' && more !== '' && <span className={classes.more}>{more}</span>}
        </li>
      ))}
    </ol>
  )
}

type Settings = [label: string, value: string][]

/** The given settings of an automation, in words. */
function settingsOf(given: Record<string, unknown>, names: Names): Settings {
  const { name, status, trigger, triggerConfig, onSendFailure, entry, exitOn, goal } =
    given as Partial<AutomationDraft> & {
      status?: AutomationStatus
    }
  const rules = (all: readonly ExitRule[]) => all.map((rule) => leaveRuleText(rule, names)).join('; ') || 'None'
  const nameOf = (id: string) => names.list(id) ?? names.segment(id)
  return [
    ...word('Status', status, (value) => AUTOMATION_STATUS[value].label),
    ...word('Name', name, (value) => value),
    ...word('Trigger', trigger, (value: Trigger) => TRIGGERS[value].label(triggerConfig ?? {}, nameOf)),
    ...word('If an email fails', onSendFailure, (value) => (value === 'STOP' ? 'Stop' : 'Continue')),
    ...word('Entry rules', entry, (value) => (Object.keys(value).length === 0 ? 'None' : JSON.stringify(value))),
    ...word('Exit rules', exitOn, rules),
    ...word('Goal', goal, (value: LeaveRule | null) => (value === null ? 'None' : leaveRuleText(value, names))),
  ]
}

const word = <Value,>(label: string, value: Value | undefined, inWords: (value: Value) => string): Settings =>
  value === undefined ? [] : [[label, inWords(value)]]
