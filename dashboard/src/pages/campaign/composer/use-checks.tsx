import { useSender } from '../../../api/queries.ts'
import { useDebouncedValue } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace, useWorkspaceQuery } from '../../../api/workspace.tsx'
import { useSenderCheck } from '../../../components/use-sender-check.tsx'
import { explainProblem } from '../../../lib/liquid-problem.ts'
import { count, plural } from '../../../lib/format.ts'
import type { Check } from '../../../primitives/Checklist.tsx'
import { leftOutText } from '../../suppressions/reasons.ts'
import { fromDesign } from '../../../editor/content.ts'
import { problemsInBlocks } from '../../../editor/problems.ts'
import { bodyOf, hasBody } from './fields.ts'
import { letterOf } from './AbTestFields.tsx'
import { isMissing, isPast, type SendTime } from './send-time.ts'
import type { AudienceCount } from './use-audience-count.ts'
import type { CampaignDraft } from './use-campaign-draft.ts'

const PAUSE_MS = 500
/** Links of the starters, which the author replaces. */
const DUMMY_LINK = /^https?:\/\/example\.com\b/i
/** Gmail cuts off what is longer. */
const MAX_KB = 102

/** The checks before a campaign is sent. @param isTested whether a test email of this content was sent */
export function useChecks(draft: CampaignDraft, audience: AudienceCount, time: SendTime, isTested: boolean): Check[] {
  const sender = useSenderCheck()
  const testChecks = useTestChecks(draft, time)
  const email = useEmailChecks(draft)
  const { isChosen, recipients, suppressed } = audience
  const leftOut = suppressed.reduce((sum, each) => sum + each.count, 0)
  return [
    {
      id: 'audience',
      name: 'Audience',
      ...(!isChosen
        ? { state: 'error', fact: 'Choose a list or segment' }
        : recipients === 0
          ? { state: 'error', fact: 'Has no recipients' }
          : { state: 'ok', fact: recipients === undefined ? 'Counting…' : plural(recipients, 'contact') }),
    },
    {
      id: 'suppressed',
      name: 'Suppressed',
      state: 'ok',
      fact: leftOut === 0 ? 'No contact is left out' : `Left out: ${leftOutText(suppressed)}`,
    },
    ...email,
    sender,
    ...timeChecks(time),
    ...testChecks,
    {
      id: 'test',
      name: 'Test email',
      ...(isTested
        ? { state: 'ok', fact: 'Sent with this content' }
        : { state: 'warning', fact: 'Not sent with this content. The button is below the preview' }),
    },
  ]
}

function timeChecks(time: SendTime): Check[] {
  const check = (fact: string): Check => ({ id: 'time', name: 'Send time', state: 'error', fact })
  if (isMissing(time)) return [check('Choose a date and time')]
  return isPast(time) ? [check('The time has passed. Choose a later one')] : []
}

/** Checks that the winner of an A/B test can be found. */
function useTestChecks({ fields: { abTest } }: CampaignDraft, time: SendTime): Check[] {
  const { workspace } = useWorkspace()
  const { data: sender } = useSender()
  if (abTest === null || abTest.testPercent === 100) return []
  const check = (fact: string, action?: ReactNode): Check => ({
    id: 'winner',
    name: 'A/B test',
    state: 'error',
    fact,
    ...(action !== undefined && { action }),
  })
  if (time.kind === 'local')
    return [check('A winner needs one send time. Test 100% of the audience, or send at one time')]
  const isTracked = abTest.winnerBy === 'OPENED' ? sender?.trackOpens : sender?.trackClicks
  if (isTracked !== false) return []
  return [
    check(
      `The sender does not track ${abTest.winnerBy === 'OPENED' ? 'opens' : 'clicks'}, so there is no winner`,
      <Link className="link" to="/w/$workspaceId/sender" params={{ workspaceId: workspace.id }}>
        Sender
      </Link>,
    ),
  ]
}

/** Checks the email as it would be rendered. */
function useEmailChecks({ fields, form }: CampaignDraft): Check[] {
  const { templateId, subject, previewText, text, abTest } = fields
  const [content] = useDebouncedValue({ subject, previewText, text, ...bodyOf(fields) }, PAUSE_MS)
  const isWritten = templateId !== null || hasBody(fields)
  const nodes = fields.format === 'BLOCKS' && templateId === null ? fromDesign(fields.design).nodes : []
  const [ofBlocks] = problemsInBlocks(nodes).filter(({ isError }) => isError)
  const { data } = useWorkspaceQuery(
    templateId === null ? ['template-preview', content, null] : ['template-preview', [templateId], null],
    async (api, signal) =>
      templateId === null
        ? (await api.POST('/templates/preview', { body: content, signal })).data.data
        : (await api.POST('/templates/{id}/preview', { params: { path: { id: templateId } }, body: {}, signal })).data
            .data,
    { enabled: isWritten, keepPrevious: true },
  )
  const without = [
    subject,
    ...(abTest?.variants ?? []).map((each) => (each.templateId == null ? (each.subject ?? '') : '-')),
  ]
    .map((each, n) => (n === 0 && templateId !== null ? '-' : each.trim()))
    .flatMap((each, n) => (each === '' ? [abTest === null ? 'Subject' : `Subject ${letterOf(n)}`] : []))
  const invalid = Object.values(form.errors)[0]
  const checks: Check[] = []
  const add = (id: string, name: string, state: Check['state'], fact: ReactNode) =>
    checks.push({ id, name, state, fact })
  if (invalid !== undefined) add('content', 'Content', 'error', invalid)
  else if (without.length > 0) add('content', 'Subject', 'error', `${without.join(' and ')} is empty`)
  else if (!isWritten) add('content', 'Content', 'error', 'Write the email, or choose a template')
  else if (ofBlocks) add('content', ofBlocks.title, 'error', ofBlocks.text)
  else if (data && data.problems.length > 0)
    add('content', 'Content', 'error', explainProblem(data.problems[0]!.problem))
  else add('content', 'Content', 'ok', 'Subject and body are set')
  if (!data || !isWritten) return checks
  const unknown = [...new Set(data.unknownVariables.map(({ variable }) => variable))]
  if (unknown.length > 0)
    add('variables', 'Variables', 'error', `${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} unknown`)
  else add('variables', 'Variables', 'ok', 'All are known')
  const broken = data.links.filter((url) => !/^(https?:|mailto:|tel:|sms:)./i.test(url))
  const dummy = data.links.filter((url) => DUMMY_LINK.test(url))
  if (dummy.length > 0) add('links', 'Links', 'error', `${dummy[0]!} is the link of a starter. Replace it`)
  else if (broken.length > 0) add('links', 'Links', 'error', `${broken[0]!} isn’t a web or email address`)
  else add('links', 'Links', 'ok', data.links.length === 0 ? 'None' : plural(data.links.length, 'link'))
  if (fields.category === 'marketing') add('unsubscribe', 'Unsubscribe', 'ok', 'Link and one-click header are added')
  const kb = Math.ceil(data.bytes / 1024)
  add('size', 'Size', kb > MAX_KB ? 'warning' : 'ok', `${count(kb)} KB. Gmail cuts off after ${MAX_KB} KB`)
  return checks
}
