/**
 * A worker is frozen (SIGSTOP) in the middle of a large message; its lease runs out, the DELETE is answered 200. It wakes: Node
 * runs what the socket is ready for before its timers, so that the rest of the message flows before the lease's timer breaks it off.
 */
import { spawn } from 'node:child_process'
import { sql } from '../src/db/sql.ts'
import { aContact, anAutomation, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer, now, type Connection } from './util.ts'

it('08b frozen in the middle of a large message', async () => {
  let slow: Connection | undefined
  const smtp = await rawServer({
    command(line, c) {
      if (!/^DATA/i.test(line) || slow) return undefined
      slow = c
      c.socket.pause()
      return undefined
    },
  })
  const service = await startService({ worker: false, env: { SMTP_URL: smtp.url } })
  const { config } = service.context
  const worker = spawn(process.execPath, ['src/bin/worker.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATABASE_URL: config.DATABASE_URL, TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE: config.TEMPORAL_TASK_QUEUE, SMTP_URL: smtp.url },
  })
  await sql(service.context.orm.em.fork(), `insert into installation (mail) values ('smtp') on conflict do nothing`)
  try {
    const html = `{% for i in (1..990) %}${'ü'.repeat(1_000)}{% endfor %}`
    const automationId = await anAutomation(service, { steps: [{ type: 'EMAIL', subject: 'large', html, text: process.env['SMALL'] ? 'x' : html }] })
    await enroll(service, automationId, await aContact(service))
    await eventually('DATA', () => slow, 60_000)
    await eventually('claimed', async () => (await sql(service.context.orm.em.fork(), `select from messages where status = 'SENDING'`))[0])
    await new Promise((r) => setTimeout(r, 2_000))
    worker.kill('SIGSTOP')
    console.log(now(), 'frozen; the server has read', slow!.socket.bytesRead)
    for (;;) {
      const { status } = await service.call('DELETE', `automations/${automationId}`)
      if (status === 503) continue
      console.log(now(), 'DELETE:', status)
      break
    }
    const at = Date.now()
    slow!.socket.resume()
    await new Promise((r) => setTimeout(r, 2_000))
    console.log(now(), 'what was in the kernel has come:', slow!.socket.bytesRead, 'bytes; taken:', smtp.taken.length)
    worker.kill('SIGCONT')
    await new Promise((r) => setTimeout(r, 5_000))
    console.log(now(), 'after SIGCONT:', slow!.socket.bytesRead, 'bytes; taken, ms after the answer:', smtp.taken.map((m) => m.at - at))
    console.log('\n ', smtp.log.join('\n  '))
  } finally {
    worker.kill('SIGCONT')
    worker.kill('SIGKILL')
    await service.stop()
    await smtp.close()
  }
}).timeout(150_000)
