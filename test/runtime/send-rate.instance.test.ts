import assert from 'node:assert/strict'
import { aContact, anAutomation, EMAIL, enroll } from '../support/factories.ts'
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
    for (let n = 0; n < EMAILS; n += 1) await enroll(service, automationId, await aContact(service))
    await Promise.all([service.startWorker(), service.startWorker()])
    await eventually('all mails', () => (sink.mails.length === EMAILS ? true : undefined), 50_000)
    const times = sink.mails.map(({ at }) => at.getTime()).toSorted((a, b) => a - b)
    const seconds = (times.at(-1)! - times[0]!) / 1000
    // A limiter allows an initial burst. After it, two workers have the same rate as one.
    assert.ok(seconds >= EMAILS / RATE / 2, `${EMAILS} emails in ${seconds} s`)
  })
})
