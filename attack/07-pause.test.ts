/** PATCH {"status":"PAUSED"} waits for nobody (DELETE does): what was claimed before it is mailed after its answer. */
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer, type Connection } from './util.ts'

it('07 mailed while paused', async () => {
  const waiting: Connection[] = []
  const smtp = await rawServer({
    command(line, c) {
      if (!/^DATA/i.test(line)) return undefined
      waiting.push(c)
      c.socket.pause() // a slow server: it says 354 and takes the message some seconds later
      setTimeout(() => c.socket.resume(), 8_000)
      return undefined
    },
  })
  const service = await startService({ env: { SMTP_URL: smtp.url } })
  try {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    for (let n = 0; n < 8; n += 1) await enroll(service, automationId, await aContact(service))
    await eventually('five are being handed over', () => (waiting.length === 5 ? true : undefined))
    const { status, body } = await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    const at = Date.now()
    console.log('PATCH:', status, body.data.status)
    await new Promise((r) => setTimeout(r, 15_000))
    console.log('taken after the answer, in ms:', smtp.taken.map((m) => m.at - at))
  } finally {
    await service.stop()
    await smtp.close()
  }
}).timeout(60_000)
