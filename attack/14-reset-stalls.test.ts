/**
 * The server answers the message with 451 (not now) and is stuck before it answers RSET. The transport waits for RSET, up to
 * 600 s, before it tells anybody the 451: the message stays SENDING, DELETE is a 503, and a worker that stops politely, or is
 * killed, leaves it UNCONFIRMED: skipped, although the server has said that it has not got it.
 */
import { sql } from '../src/db/sql.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer, now } from './util.ts'

it('14 the answer waits for RSET', async () => {
  let answered = false
  const smtp = await rawServer({
    command: (line) => (/^RSET/i.test(line) ? '' : undefined),
    message: () => {
      if (answered) return '250 taken'
      answered = true
      return '451 4.3.0 try again later'
    },
  })
  const service = await startService({ env: { SMTP_URL: smtp.url, WORKER_SHUTDOWN_SECONDS: '2' } })
  const row = async () => (await sql(service.context.orm.em.fork(), `select status, error from messages`))[0]
  try {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, automationId, await aContact(service))
    await eventually('the 451', () => (answered ? true : undefined))
    await new Promise((r) => setTimeout(r, 15_000))
    console.log(now(), '15 s after the 451:', await row())
    const stopping = now()
    await service.stopWorkers()
    console.log(stopping, 'polite stop', now(), await row())
    await service.startWorker()
    const settled = await eventually('settled', async () => {
      const r = (await row()) as { status: string }
      return ['SENT', 'UNCONFIRMED', 'FAILED'].includes(r.status) ? r : undefined
    }, 120_000)
    console.log(now(), settled, 'taken:', smtp.taken.length)
    console.log(' ', smtp.log.join('\n  '))
  } finally {
    await service.stop()
    await smtp.close()
  }
}).timeout(200_000)
