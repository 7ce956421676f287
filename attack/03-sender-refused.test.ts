/**
 * A server that says of US that it does not know us (530 before MAIL, 550/553 about MAIL_FROM: a password that was
 * forgotten in SMTP_URL, a sender that is not verified, a quota that is used up): every contact's email is FAILED for good
 * and every sequence goes on without it. Mended by the operator a minute later, nobody is ever mailed.
 */
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer } from './util.ts'

for (const words of [
  '530 5.7.0 Authentication required',
  '553 5.7.1 <from@example.com>: Sender address rejected: not owned by user',
  '550 5.4.5 Daily user sending limit exceeded',
]) {
  it(`03 MAIL FROM is answered "${words}"`, async () => {
    let ready = false
    const smtp = await rawServer({ command: (line) => (/^MAIL/i.test(line) && !ready ? words : undefined) })
    const service = await startService({ env: { SMTP_URL: smtp.url } })
    try {
      const automationId = await anAutomation(service, { steps: [EMAIL] })
      const contacts = []
      for (let n = 0; n < 5; n += 1) contacts.push(await aContact(service))
      for (const contact of contacts) await enroll(service, automationId, contact)
      await eventually('all are settled', async () => {
        const all = await Promise.all(contacts.map(async (id) => (await activityOf(service, id))[0]))
        return all.every((m) => m && ['FAILED', 'SENT', 'DEFERRED'].includes(m.status)) ? true : undefined
      })
      ready = true // the operator mends it
      await new Promise((r) => setTimeout(r, 8_000))
      for (const id of contacts) {
        const [m] = await activityOf(service, id)
        console.log(m?.status, m?.error)
      }
      console.log('mails taken after it was mended:', smtp.taken.length)
    } finally {
      await service.stop()
      await smtp.close()
    }
  })
}
