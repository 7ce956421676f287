import assert from 'node:assert/strict'
import { aCampaign } from '../support/campaigns.ts'
import { aContact, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import type { Instance } from '../support/instance.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const RATE = 4
const EMAILS = 24

describe('SEND_RATE', () => {
  let service: Instance
  let sink: SmtpSink
  useInstanceAndSink((started) => ({ service, sink } = started), { worker: false, env: { SEND_RATE: String(RATE) } })

  it('applies to all workers together, and delays emails without dropping any', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const listId = await aList(service)
    for (let n = 0; n < EMAILS / 3; n += 1) {
      const contactId = await aContact(service)
      await service.call('POST', `lists/${listId}/contacts`, { contactId })
      await enroll(service, automationId, contactId)
      await service.call('POST', 'emails', { to: `receipt-${n}@example.com`, subject: 'Receipt', text: 'Thank you' })
    }
    await aCampaign(service, [listId])
    await Promise.all([service.startWorker(), service.startWorker()])
    await eventually('all mails', () => (sink.mails.length === EMAILS ? true : undefined), 50_000)
    const times = sink.mails.map(({ at }) => at.getTime()).toSorted((a, b) => a - b)
    const seconds = (times.at(-1)! - times[0]!) / 1000
    // Turns are evenly spaced, but the first email waits for a connection, and the last one does not.
    assert.ok(seconds >= (EMAILS / RATE) * 0.75, `${EMAILS} emails in ${seconds} s`)
    assert.ok(seconds <= (EMAILS / RATE) * 3, `${EMAILS} emails in ${seconds} s`)
  })
})
