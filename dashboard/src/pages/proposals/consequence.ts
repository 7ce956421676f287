import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import type { AutomationStatus } from '../../components/StatusBadge.tsx'
import { plural } from '../../lib/format.ts'
import type { Proposal } from './proposals.ts'

type Content = Partial<Schemas['Publication']>

/** Sentences about the proposed status. */
const STATUS: Record<AutomationStatus, string> = {
  ACTIVE: 'The automation is active right away, and contacts enter it.',
  PAUSED: 'The automation is paused: no contacts enter it, and no emails are sent until it is resumed.',
  DRAFT: 'The automation becomes a draft: no contacts enter it, and no emails are sent until it is activated.',
  ARCHIVED: 'The automation is archived: no more contacts enter it.',
}

/** The effect of an approval. */
export interface Consequence {
  text: string
  endsEnrollments: boolean
}

/** Describes what an approval does. Enrollments that end are counted as soon as the page opens. */
export function useConsequence({ kind, automationId, content: given }: Proposal): Consequence {
  const content = given as Content
  const { inside = 'KEEP', removedSteps } = content
  const endsEnrollments = inside === 'FINISH' || (inside === 'MOVE' && removedSteps === 'END')
  const { data } = useWorkspaceQuery(
    ['automations', automationId, 'publish preview', content],
    async (api, signal) => {
      const params = { path: { id: automationId! } }
      const { steps, exitOn, goal } = content
      const body = {
        ...(steps !== undefined && { steps }),
        ...(exitOn !== undefined && { exitOn }),
        ...(goal !== undefined && { goal }),
      }
      return (await api.POST('/automations/{id}/publish/preview', { params, body, signal })).data.data
    },
    { enabled: automationId !== null && inside !== 'KEEP' },
  )
  if (kind === 'SEND_CAMPAIGN') return { text: sendingText(given), endsEnrollments: false }
  const status = content.status ? STATUS[content.status] : 'The changes apply to contacts who enter from now on.'
  return { text: `${status} ${insideText(content, data)}`, endsEnrollments }
}

const sendingText = (content: object): string =>
  Object.keys(content).length === 0
    ? 'The campaign starts right away. Emails that were sent can’t be undone.'
    : 'The campaign is scheduled. You can unschedule it until it starts.'

/** @param preview `undefined` until it is counted */
function insideText(
  { inside = 'KEEP', removedSteps, status }: Content,
  preview: Schemas['PublicationPreview'] | undefined,
): string {
  if (inside === 'KEEP') return 'Contacts who are in the automation keep their steps.'
  if (inside === 'FINISH') {
    const ended = preview ? plural(preview.inside, 'enrollment') : 'the enrollments'
    const ahead = preview ? `Up to ${plural(preview.emailsAhead, 'remaining email')}` : 'Remaining emails'
    return `This ends ${ended} in older versions now. ${ahead} will not be sent. This can’t be undone.`
  }
  const steps = preview?.steps ?? []
  const continuing = removedSteps === 'END' ? [] : steps.filter(({ continuesAt }) => continuesAt !== null)
  const due = sumOf(steps, 'dueNow') + sumOf(continuing, 'removed')
  const isSending = status === undefined || status === 'ACTIVE'
  const atOnce = due > 0 && isSending ? ` ${plural(due, 'contact')} may get an email right away.` : ''
  const moves = `Contacts who are in the automation move to the new steps.${atOnce}`
  if (removedSteps !== 'END') return moves
  const removed = preview && sumOf(steps, 'removed')
  const ended = removed === undefined ? 'the enrollments' : plural(removed, 'enrollment')
  return `${moves} This ends ${ended} at removed steps now. This can’t be undone.`
}

const sumOf = (steps: Schemas['PublicationPreview']['steps'], what: 'dueNow' | 'removed'): number =>
  steps.reduce((sum, step) => sum + step[what], 0)
