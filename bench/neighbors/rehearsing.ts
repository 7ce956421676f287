import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/platform/db/sql.ts'
import { EMAIL, wait } from '../../test/support/factories.ts'
import type { Service } from '../service.ts'

const CONTACTS = 100_000
const POLL_MS = 500

/** Eleven steps, with a condition that reads attributes and tags. */
const STEPS = [
  EMAIL,
  wait(1_440),
  {
    type: 'CONDITION',
    branches: [
      {
        name: 'Pro',
        if: { all: [{ metadata: 'plan', is: 'equal', value: 'pro' }, { not: { tag: 'vip' } }] },
        steps: [EMAIL],
      },
    ],
    else: [EMAIL],
  },
  { type: 'WAIT_UNTIL', until: { timeOfDay: '09:00' }, timezone: 'contact' },
  { type: 'WAIT_FOR_EVENT', eventName: 'order.placed', timeoutMinutes: 7_200, received: [EMAIL], timedOut: [] },
  { type: 'UPDATE_CONTACT', addTags: ['done'] },
  wait(4_320),
  EMAIL,
]

/** Rehearses an automation for all contacts of a workspace, again and again. */
export async function rehearsing(service: Service, _baseUrl: string, workspaceId: string) {
  await sql(
    service.context.orm.em.fork(),
    `insert into contacts (id, workspace_id, email, email_key, metadata, created_at)
     select gen_random_uuid(), $1::uuid, n || '@example.com', n || '@example.com',
       jsonb_build_object('plan', case when n % 3 = 0 then 'pro' else 'free' end), now() - interval '10 days'
     from generate_series(1, $2::integer) n`,
    [workspaceId, CONTACTS],
  )
  const key = await service.newKey({ workspaceId })
  const call = async (method: string, path: string, body?: object) => {
    const { body: answer, status } = await service.call(method, path, body, { key })
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return (answer as { data: { id: string; status: string } }).data
  }
  const { id } = await call('POST', 'automations', {
    name: 'Rehearsed',
    status: 'ACTIVE',
    trigger: 'SIGNUP',
    steps: STEPS,
  })
  let isStopped = false
  async function run(): Promise<void> {
    while (!isStopped) {
      const rehearsal = await call('POST', `automations/${id}/rehearse`, {
        events: [{ eventName: 'order.placed', afterMinutes: 4_320, share: 0.2 }],
      })
      while (!isStopped && (await call('GET', `rehearsals/${rehearsal.id}`)).status === 'RUNNING') await delay(POLL_MS)
      if (!isStopped) rounds += 1
    }
  }
  let rounds = 0
  const running = run()
  return {
    async stop() {
      isStopped = true
      await running
      console.log(`${rounds} rehearsals of ${CONTACTS} contacts ended`)
    },
  }
}
