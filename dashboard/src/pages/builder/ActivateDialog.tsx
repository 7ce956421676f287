import { Button, Modal } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEvents } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { describeCondition } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { useSenderCheck } from '../../components/use-sender-check.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import type { ApiCall } from '../../lib/curl.ts'
import { dateOf, duration, plural } from '../../lib/format.ts'
import { type Check, Checklist } from '../../primitives/Checklist.tsx'
import type { Selected } from './canvas-context.ts'
import type { AutomationDraft } from './draft.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { placeholderOf } from './placeholders.ts'
import { eventUses, silentEvents } from './event-uses.ts'
import { findProblem } from './problems.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import { indexTree } from './step-tree.ts'
import type { Step } from './steps.ts'

/** Milliseconds between two checks of events while the dialog is open. */
const EVENTS_MS = 5_000

/** Asks before an automation is activated for the first time, with what is missing and what may be wrong. */
export function ActivateDialog({
  draft,
  label,
  call,
  isPending,
  onActivate,
  onFix,
  onClose,
}: {
  draft: AutomationDraft
  label: string
  /** The request of the button. */
  call: ApiCall
  isPending: boolean
  onActivate: () => void
  onFix: (at: Selected) => void
  onClose: () => void
}) {
  useReturnFocus()
  const fix = (at: Selected) => {
    onClose()
    onFix(at)
  }
  const places = problemsOf(draft)
  const checks = useActivationChecks(draft, places, fix)
  const [first] = places
  return (
    <Modal opened onClose={onClose} title={`${label} “${draft.name}”`} centered size="lg">
      <WhoEnters draft={draft} />
      <Checklist isColumn checks={checks} />
      <div className="row" style={{ marginTop: 16, flexWrap: 'wrap' }}>
        <Button
          variant="filled"
          loading={isPending}
          onClick={() => (first ? fix(first.at) : onActivate())}
          data-autofocus
        >
          {first ? `Fix ${plural(places.length, 'problem')}` : label}
        </Button>
        <Button variant="subtle" color="gray" onClick={onClose} disabled={isPending}>
          Cancel
        </Button>
        <CurlButton call={call} />
      </div>
    </Modal>
  )
}

/** Describes the trigger and the entry rules. */
function WhoEnters({ draft: { trigger, triggerConfig, entry } }: { draft: AutomationDraft }) {
  const names = useConditionNames()
  const { filter, reentry = 'ALWAYS' } = entry
  return (
    <>
      <dl className="facts">
        <dt>Trigger</dt>
        <dd>{TRIGGERS[trigger].label(triggerConfig, (id) => names.list(id) ?? names.segment(id))}</dd>
        {filter && (
          <>
            <dt>Only if</dt>
            <dd>{describeCondition(filter, names)}</dd>
          </>
        )}
        <dt>Re-entry</dt>
        <dd>
          {reentry === 'ALWAYS'
            ? 'Every time'
            : reentry === 'ONCE'
              ? 'Once per contact'
              : `${duration(reentry.afterMinutes)} after the last entry`}
        </dd>
      </dl>
      <p className="t2" style={{ margin: '8px 0' }}>
        Only contacts who meet the trigger from now on enter.
      </p>
    </>
  )
}

/** A reason why the automation cannot be activated, and where to fix it. */
interface Problem extends Check {
  at: Selected
}

function problemsOf(draft: AutomationDraft): Problem[] {
  const tree = indexTree(draft.steps)
  const incomplete = findProblem(draft)
  return [
    ...(incomplete
      ? [
          {
            id: 'steps',
            name: incomplete.name,
            state: 'error' as const,
            fact: incomplete.problem,
            at: incomplete.at,
          },
        ]
      : []),
    ...tree.order.flatMap((id) => {
      const found = tree.find(id)
      const placeholder = found && placeholderOf(found.step)
      if (placeholder === undefined) return []
      const fact = `“${titleOf(found!.step)}” has text to replace: “${placeholder}”`
      return [{ id: `text ${id}`, name: `Step ${found!.number}`, state: 'error' as const, fact, at: id }]
    }),
  ]
}

function useActivationChecks(
  draft: AutomationDraft,
  problems: readonly Problem[],
  onFix: (at: Selected) => void,
): Check[] {
  const sender = useSenderCheck()
  const events = useEventChecks(draft)
  const tree = indexTree(draft.steps)
  const emails = tree.order.filter((id) => tree.find(id)?.step.type === 'EMAIL').length
  const fixable = problems.map(({ at, ...check }) => ({
    ...check,
    action: <Button onClick={() => onFix(at)}>Edit</Button>,
  }))
  const complete: Check = {
    id: 'steps',
    name: 'Steps',
    state: 'ok',
    fact: `Trigger and steps are complete, ${plural(emails, 'email')} without placeholders`,
  }
  return [...(problems.length > 0 ? fixable : [complete]), ...events, ...(emails > 0 ? [sender] : [])]
}

/** Checks that the events that the automation needs are received. */
function useEventChecks(draft: AutomationDraft): Check[] {
  const { workspace } = useWorkspace()
  const { data: known } = useEvents(EVENTS_MS)
  const uses = eventUses(draft)
  if (!known || uses.length === 0) return []
  const silent = silentEvents(uses, known)
  if (silent.length === 0)
    return [{ id: 'events', name: 'Events', state: 'ok', fact: 'All were received in the last 30 days' }]
  return silent.map(({ name, sentence, lastSeenAt }) => ({
    id: `event ${name}`,
    name: 'Event',
    state: 'warning',
    fact: `${sentence}, which was ${lastSeenAt === undefined ? 'never received' : `last received on ${dateOf(new Date(lastSeenAt))}`}`,
    action: (
      <Link
        className="link"
        to="/w/$workspaceId/events"
        params={{ workspaceId: workspace.id }}
        search={lastSeenAt === undefined ? {} : { name }}
      >
        Events
      </Link>
    ),
  }))
}

const titleOf = (step: Step): string => (step.type === 'EMAIL' && step.subject) || 'Email'
