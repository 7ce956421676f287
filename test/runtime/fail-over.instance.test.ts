import assert from 'node:assert/strict'
import { openLog } from '../../src/platform/log.ts'
import { startSmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { eventually } from '../support/eventually.ts'
import { activityOf, aContact, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { freePorts } from '../support/ports.ts'
import { startInstance } from '../support/instance.ts'

describe('an instance with two mail servers', function () {
  this.timeout(150_000)
  it('sends each email once through the second server while the first is unavailable', async () => {
    const [port] = await freePorts(1)
    const second = await startSmtpSink()
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_FALLBACK_URL: ` ${second.url} ` }
    const lines: string[] = []
    const log = openLog('warn', { write: (line) => void lines.push(line) })
    const service = await startInstance({ env, log })
    let first: Awaited<ReturnType<typeof startSmtpSink>> | undefined
    try {
      const automationId = await anAutomation(service, { steps: [EMAIL] })
      const contacts = await Promise.all(Array.from({ length: 12 }, () => aContact(service)))
      for (const contactId of contacts) await enroll(service, automationId, contactId)
      const statuses = () => Promise.all(contacts.map(async (id) => (await activityOf(service, id))[0]?.status))
      await eventually('all are sent', async () =>
        (await statuses()).every((status) => status === 'SENT') ? true : undefined,
      )
      assert.match(lines.join(''), /ECONNREFUSED.*The mail server cannot be used; messages wait/)
      assert.equal(second.mails.length, contacts.length)
      assert.equal(new Set(second.mails.map(({ to }) => to[0])).size, contacts.length)
      first = await startSmtpSink(undefined, port)
      // The first server is tried again after a while, by one email at a time.
      await eventually(
        'the first one is tried again',
        async () => {
          await enroll(service, automationId, await aContact(service))
          return first!.mails.length > 0 ? true : undefined
        },
        100_000,
      )
    } finally {
      await service.stop()
      await second.close()
      await first?.close()
    }
  })
})
