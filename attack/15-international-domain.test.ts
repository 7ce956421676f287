/** `ada@exämple.de` is accepted and enrolled; its envelope goes out in UTF-8 to a server that never offered SMTPUTF8. */
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer } from './util.ts'

it('15 a contact with an international domain', async () => {
  const smtp = await rawServer({
    // As Postfix does without SMTPUTF8.
    command: (line) => (/^RCPT/i.test(line) && /[^\x20-\x7e]/.test(line) ? '501 5.1.3 Bad recipient address syntax' : undefined),
  })
  const service = await startService({ env: { SMTP_URL: smtp.url } })
  try {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    for (const email of ['ada@exämple.de', 'bob@xn--exmple-cua.com']) {
      const id = await aContact(service, { email })
      await enroll(service, automationId, id)
      const m = await eventually('settled', async () => {
        const [m] = await activityOf(service, id)
        return m && ['FAILED', 'SENT'].includes(m.status) ? m : undefined
      })
      console.log(email, m.status, m.error)
    }
    console.log(' ', smtp.log.filter((l) => /RCPT/.test(l)).join('\n  '))
  } finally {
    await service.stop()
    await smtp.close()
  }
}).timeout(60_000)
