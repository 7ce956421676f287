/** Is a wait measured from when the email was taken, where the server took 7 s for it? */
import { aContact, anAutomation, EMAIL, enroll, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer } from './util.ts'

it('17 a wait behind a slow server', async () => {
  const smtp = await rawServer({ message: () => new Promise((done) => setTimeout(() => done('250 taken'), 7_000)) })
  const service = await startService({ env: { SMTP_URL: smtp.url } })
  try {
    const automationId = await anAutomation(service, { steps: [EMAIL, wait(1), EMAIL] })
    await enroll(service, automationId, await aContact(service))
    await eventually('both', () => (smtp.taken.length === 2 ? true : undefined), 90_000)
    // `at` is before the answer: the message was whole then.
    console.log('between the two answers:', smtp.taken[1]!.at - smtp.taken[0]!.at, 'ms')
    console.log(' ', smtp.log.join('\n  '))
  } finally {
    await service.stop()
    await smtp.close()
  }
}).timeout(120_000)
