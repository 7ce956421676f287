import { Button, Modal } from '@mantine/core'
import { useEventNames } from '../../api/queries.ts'
import { useSenderCheck } from '../../components/use-sender-check.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import type { ApiCall } from '../../lib/curl.ts'
import { plural } from '../../lib/format.ts'
import { type Check, Checklist } from '../../primitives/Checklist.tsx'
import type { Selected } from './canvas-context.ts'
import type { AutomationDraft } from './draft.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { placeholderOf } from './placeholders.ts'
import { findProblem } from './problems.ts'
import { indexTree } from './step-tree.ts'
import type { Step } from './steps.ts'

/** A check, and where to fix it. */
interface Found extends Check {
  at?: Selected
}

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
  const checks = useActivationChecks(draft)
  const problems = checks.filter(({ state }) => state === 'error')
  const press = () => {
    const first = problems[0]
    if (!first) return onActivate()
    onClose()
    if (first.at !== undefined) onFix(first.at)
  }
  return (
    <Modal opened onClose={onClose} title={`${label} “${draft.name}”`} centered size="lg">
      <Checklist checks={checks} />
      <p className="t2" style={{ marginTop: 12 }}>
        Contacts enter from now on. Those who met the trigger before do not.
      </p>
      <div className="row" style={{ marginTop: 16, flexWrap: 'wrap' }}>
        <Button variant="filled" loading={isPending} onClick={press} data-autofocus>
          {problems.length > 0 ? `Fix ${plural(problems.length, 'problem')}` : label}
        </Button>
        <Button variant="subtle" color="gray" onClick={onClose} disabled={isPending}>
          Cancel
        </Button>
        <CurlButton call={call} />
      </div>
    </Modal>
  )
}

function useActivationChecks(draft: AutomationDraft): Found[] {
  const sender = useSenderCheck()
  const received = new Set(useEventNames().map((name) => name.toLowerCase()))
  const tree = indexTree(draft.steps)
  const steps = tree.order.flatMap((id) => tree.find(id)?.step ?? [])
  const problem = findProblem(draft)
  const unwritten = steps.find((step) => placeholderOf(step) !== undefined)
  const events = [draft.trigger === 'EVENT' ? draft.triggerConfig['eventName'] : undefined, ...steps.map(eventOf)]
  const unknown = events.filter((name) => typeof name === 'string' && !received.has(name.toLowerCase()))
  const emails = steps.filter(({ type }) => type === 'EMAIL').length
  return [
    problem
      ? { id: 'steps', name: 'Steps', state: 'error', fact: `${problem.name}: ${problem.problem}`, at: problem.at }
      : { id: 'steps', name: 'Steps', state: 'ok', fact: 'Trigger and steps are complete' },
    unwritten
      ? {
          id: 'texts',
          name: 'Texts',
          state: 'error',
          fact: `“${titleOf(unwritten)}” has text to replace: “${placeholderOf(unwritten)}”`,
          at: unwritten.id,
        }
      : { id: 'texts', name: 'Texts', state: 'ok', fact: `${plural(emails, 'email')} without placeholders` },
    ...(events.some((name) => name !== undefined)
      ? [
          unknown.length > 0
            ? {
                id: 'events',
                name: 'Events',
                state: 'warning' as const,
                fact: `Never received: ${[...new Set(unknown)].join(', ')}`,
              }
            : { id: 'events', name: 'Events', state: 'ok' as const, fact: 'All were received before' },
        ]
      : []),
    ...(emails > 0 ? [sender] : []),
  ]
}

const eventOf = (step: Step): unknown => (step.type === 'WAIT_FOR_EVENT' ? step.eventName : undefined)
const titleOf = (step: Step): string => (step.type === 'EMAIL' && step.subject) || 'Email'
