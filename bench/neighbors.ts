import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createWorkspace } from '../src/workspaces/create-workspace.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startApiProcess, startWorkerProcess } from '../test/support/processes.ts'
import { rehearsing } from './neighbors/rehearsing.ts'
import { startService, type Service } from './service.ts'
import { startSmtpSink } from '../scripts/cluster/smtp-sink.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { get, makeContacts, post } from './load.ts'

const TURNS = 60
const PAUSE_MS = 100
const ROUNDS = 5
/** Number of automations that the other workspace's event triggers, and how long it runs before the measurement. */
const LISTENERS = 50
const HEAD_START_MS = 10_000
const MAIL_PATIENCE_MS = 120_000
/** The default limit of a key. */
const RATE_LIMIT = 120

interface Seen {
  calls: number[]
  mails: number[]
}

/** Causes the load of a workspace until it is stopped. */
type Load = (service: Service, baseUrl: string, workspaceId: string) => Promise<{ stop(): Promise<unknown> }>

interface Neighbors {
  name: string
  title: string
  atMost: number
  load: Load
  pick: (seen: Seen) => readonly number[]
}

/** The response times of a workspace while another one causes a load ÷ while that is idle. */
const besides = ({ name, title, atMost, load, pick }: Neighbors): Benchmark => ({
  name,
  title,
  goal: { atMost },
  unit: 'ms',
  async prepare() {
    const arrived = new Map<string, number>()
    const sink = await startSmtpSink((mail) => {
      arrived.set(mail.to[0] ?? '', performance.now())
      sink.mails.length = 0
    })
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const worker = startWorkerProcess(service, { SMTP_URL: sink.url })
    const { em } = service.context.orm
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    let batches = 0

    async function live(): Promise<Seen> {
      const prefix = `neighbor-${(batches += 1)}`
      const contacts = await makeContacts(service, TURNS, prefix)
      const read = (path: string) => get(api.baseUrl, service.key, path)
      const calls: number[] = []
      const enrolledAt = new Map<string, number>()
      for (const contactId of contacts) {
        const { data } = (await read(`contacts/${contactId}`)) as { data: { email: string } }
        calls.push(
          await timed(() => read(`contacts/${contactId}`)),
          await timed(() => read('contacts')),
          await timed(() => post(api.baseUrl, service.key, 'contacts', { email: data.email, firstName: 'Bo' }, 200)),
        )
        enrolledAt.set(data.email, performance.now())
        calls.push(
          await timed(() => post(api.baseUrl, service.key, `automations/${automationId}/enroll`, { contactId })),
        )
        await delay(PAUSE_MS)
      }
      const came = [...enrolledAt.keys()]
      await eventually('their mails', () => (came.every((to) => arrived.has(to)) ? true : undefined), MAIL_PATIENCE_MS)
      return { calls, mails: came.map((to) => arrived.get(to)! - enrolledAt.get(to)!) }
    }

    const measure = async () => percentile(pick(await live()), 0.95)
    await measure()
    const quiet: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) quiet.push(await measure())

    const other = await createWorkspace(em, { name: 'Other', mode: 'live' })
    const its = await load(service, api.baseUrl, other.id)
    await delay(HEAD_START_MS)
    return {
      async pair(round) {
        return { ours: await measure(), bare: quiet[round] ?? NaN }
      },
      async close() {
        await its.stop()
        await worker.kill()
        await api.kill()
        await service.stop()
        await sink.close()
      },
    }
  },
})

/** The worst load that is known: see neighbors/worst.ts. */
const worstLoad: Load = async (service, baseUrl, workspaceId) => {
  const own = await service.newKey({ workspaceId })
  const call = (method: string, path: string, body: object) => service.call(method, path, body, { key: own })
  const eventName = 'to many'
  const heavy = { type: 'EMAIL', subject: 'Heavy', html: '{% for i in (1..20000) %}{{ i }}{% endfor %}' }
  const active = { name: 'Worst', status: 'ACTIVE', trigger: 'EVENT', triggerConfig: { eventName } }
  for (let n = 0; n < LISTENERS; n += 1) await call('POST', 'automations', { ...active, steps: [wait(60), EMAIL] })
  await call('POST', 'automations', { ...active, trigger: 'SIGNUP', triggerConfig: {}, steps: [heavy] })
  const { body } = await call('POST', 'automations', { ...active, status: 'DRAFT', steps: [EMAIL] })
  const key = await service.newKey({ workspaceId, rateLimit: RATE_LIMIT })
  const worst = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('./neighbors/worst.ts', import.meta.url)),
      ...[baseUrl, key, eventName, (body as { data: { id: string } }).data.id],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return { stop: () => Promise.resolve(worst.kill('SIGKILL')) }
}

export const neighbors = besides({
  name: 'neighbors',
  title: 'p95 of a workspace’s requests while another one causes the worst known load ÷ while it is idle',
  atMost: 2,
  load: worstLoad,
  pick: ({ calls }) => calls,
})
export const neighborsMail = besides({
  name: 'neighbors/mail',
  title: 'p95 of the time from enroll request to mail, likewise',
  atMost: 2,
  load: worstLoad,
  pick: ({ mails }) => mails,
})
export const neighborsRehearsal = besides({
  name: 'neighbors/rehearsal',
  title:
    'p95 of a workspace’s requests while another one rehearses 100,000 contacts again and again ÷ while it is idle',
  atMost: 1.5,
  load: rehearsing,
  pick: ({ calls }) => calls,
})
