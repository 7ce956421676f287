import type { Instance } from '../support/instance.ts'
import { aMember } from '../support/members.ts'

interface ReadStep {
  type: string
  subject?: string
}

/** Creates proposals of an agent: one for each status that a member can give. @returns the ID of one that waits */
export async function createProposals(service: Instance, { automationId }: { automationId: string }): Promise<string> {
  const key = await service.newKey({ workspaceId: service.workspaceId, name: 'Marketing agent' })
  const propose = async (content: object, reason: string) =>
    (await service.call('POST', `automations/${automationId}/proposals`, { content, reason }, { key })).body.data
      .id as string
  const decide = async (id: string, verb: string) => {
    const { browser } = await aMember(service, 'editor')
    await browser.ask('POST', `proposals/${id}/${verb}`, { workspaceId: service.workspaceId })
  }
  await decide(await propose({ status: 'PAUSED' }, 'Pause it until the new pricing page is live.'), 'reject')
  await decide(
    await propose({ onSendFailure: 'STOP' }, 'Contacts with a bounce should get no further email.'),
    'approve',
  )
  const { steps } = (await service.call('GET', `automations/${automationId}`)).body.data as { steps: ReadStep[] }
  const changed = steps.map((step, n) => (n === 0 ? { ...step, subject: 'Your first week with Orchard' } : step))
  return propose(
    {
      steps: [
        ...changed,
        { type: 'WAIT', delayMinutes: 2_880 },
        { type: 'EMAIL', subject: 'Can we help?', text: 'Just reply to this email.' },
      ],
    },
    'Contacts who open the first email on day 2 rarely open the second one. A clearer subject and a last question should help.',
  )
}
