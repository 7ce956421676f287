/** As 14, with the worker as a process of its own, that is stopped politely (SIGTERM) or killed 10 s after the 451. */
import { spawn } from 'node:child_process'
import { sql } from '../src/db/sql.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer, now } from './util.ts'

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  it(`14b the answer waits for RSET, ${signal}`, async () => {
    let answered = false
    const smtp = await rawServer({
      command: (line) => (/^RSET/i.test(line) ? '' : undefined),
      message: () => {
        if (answered) return '250 taken'
        answered = true
        return '451 4.3.0 try again later'
      },
    })
    const service = await startService({ worker: false, env: { SMTP_URL: smtp.url, WORKER_SHUTDOWN_SECONDS: '3' } })
    const { config } = service.context
    const row = async () => (await sql(service.context.orm.em.fork(), `select status, error from messages`))[0]
    const start = () =>
      spawn(process.execPath, ['src/bin/worker.ts'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          PATH: process.env['PATH'], HOME: process.env['HOME'],
          DATABASE_URL: config.DATABASE_URL, TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS,
          TEMPORAL_TASK_QUEUE: config.TEMPORAL_TASK_QUEUE, SMTP_URL: smtp.url, WORKER_SHUTDOWN_SECONDS: '3',
        },
      })
    const worker = start()
    let second
    try {
      const automationId = await anAutomation(service, { steps: [EMAIL] })
      await enroll(service, automationId, await aContact(service))
      await eventually('the 451', () => (answered ? true : undefined), 60_000)
      await new Promise((r) => setTimeout(r, 10_000))
      console.log(now(), '10 s after the 451:', await row())
      worker.kill(signal)
      await new Promise((r) => worker.once('exit', r))
      console.log(now(), signal, 'the worker has ended:', worker.exitCode, await row())
      second = start()
      const settled = await eventually('settled', async () => {
        const r = (await row()) as { status: string }
        return ['SENT', 'UNCONFIRMED', 'FAILED'].includes(r.status) ? r : undefined
      }, 120_000)
      console.log(now(), settled, 'taken:', smtp.taken.length)
    } finally {
      second?.kill('SIGKILL')
      worker.kill('SIGKILL')
      await service.stop()
      await smtp.close()
    }
  }).timeout(200_000)
}
