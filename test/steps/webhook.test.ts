import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { TestWorkflowEnvironment } from '@temporalio/testing'
import { updateAutomation } from '../../src/automations/automations.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { createList } from '../../src/lists/lists.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { Renderer } from '../../src/rendering/renderer.ts'
import type { WebhookRequest } from '../../src/steps/send-request.ts'
import { runStep } from '../../src/steps/run-step.ts'
import { readSigningSecrets } from '../../src/steps/signing-secret.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
type TestConnection = TestWorkflowEnvironment['connection'] & {
  testService: { unlockTimeSkipping(of: object): Promise<unknown>; lockTimeSkipping(of: object): Promise<unknown> }
}
type WebhookInput = Extract<StepInput, { type: 'WEBHOOK' }>

describe('a webhook', () => {
  let world: TimeSkipping
  let server: Awaited<ReturnType<typeof startWebhookServer>>
  let automationId: string
  /** The environment's time at each request. */
  const times: number[] = []
  useTimeSkipping((opened) => (world = opened))
  before(async () => {
    server = await startWebhookServer()
  })
  after(() => server.stop())
  beforeEach(() => {
    forget()
    answers(() => 200)
  })

  function forget() {
    for (const list of [world.mails, server.requests, times]) list.length = 0
  }

  function answers(answer: (attempt: number, response: ServerResponse) => unknown) {
    server.receiver.answer = async (_request, response) => {
      times.push(await world.env.currentTimeMs())
      return answer(times.length, response)
    }
  }
  const webhook = (input: Partial<WebhookInput> = {}): StepInput => ({ type: 'WEBHOOK', url: server.url, ...input })
  const email = (subject: string): StepInput => ({ type: 'EMAIL', subject, text: 'Hi' })

  async function enrolled(steps: StepInput[], metadata: Record<string, unknown> = {}) {
    automationId = await world.automation(steps)
    const contactId = await world.contact(metadata)
    await world.enroll(automationId, contactId)
    return { contactId, handle: world.handle(automationId, contactId) }
  }

  const run = (steps: StepInput[], metadata: Record<string, unknown> = {}) =>
    world.whileWorking(async () => {
      const enrollment = await enrolled(steps, metadata)
      await enrollment.handle.result()
      return enrollment
    })

  async function runOf(contactId: string) {
    const [found] = await sql<{
      detail: Record<string, unknown>
      attempts: number
      until: string | null
      save_as: string | null
      output: unknown
    }>(world.orm.em.fork(), `select * from step_runs where contact_id = $1 and type = 'WEBHOOK'`, [contactId])
    return found!
  }

  it('renders the texts of its body and its headers, and is signed', async () => {
    const { contactId } = await run(
      [
        webhook({
          method: 'PUT',
          headers: { 'X-Plan': '{{ contact.metadata.plan }}\r\nX-Other: 1' },
          body: {
            id: '{{ contact.id }}',
            age: '{{ contact.metadata.age }}',
            name: '{{ contact.metadata.name }}',
            '{{ key }}': [1, null, true, 'plain', { deep: '{% if contact.firstName %}yes{% endif %}' }],
          },
        }),
      ],
      { plan: 'pro', age: 41, name: '"<b>&\n' },
    )
    const [request] = server.requests
    assert.equal(server.requests.length, 1)
    assert.equal(request!.method, 'PUT')
    assert.equal(request!.headers['x-plan'], 'pro X-Other: 1')
    assert.equal(request!.headers['x-other'], undefined)
    assert.deepEqual(JSON.parse(request!.body), {
      id: contactId,
      age: '41',
      name: '"<b>&\n',
      '{{ key }}': [1, null, true, 'plain', { deep: 'yes' }],
    })
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request!.headers
    const [secret] = await readSigningSecrets(world.orm.em.fork(), world.secrets, world.workspaceId)
    const key = Buffer.from(secret!.replace('whsec_', ''), 'base64')
    const expected = createHmac('sha256', key).update(`${String(id)}.${String(timestamp)}.${request!.body}`)
    assert.equal(signature, `v1,${expected.digest('base64')}`)
    assert.ok(Math.abs(Number(timestamp) - Date.now() / 1_000) < 60)
    assert.equal(request!.headers['idempotency-key'], id)
  })

  it('sends no body if that is null', async () => {
    await run([webhook({ method: 'GET' })])
    const [request] = server.requests
    assert.deepEqual([request!.method, request!.body, request!.headers['content-type']], ['GET', '', undefined])
  })

  it('saves its response for conditions and emails', async () => {
    answers((attempt) => ({ plan: attempt === 1 ? 'free' : 'pro', limits: { seats: 12 } }))
    const { contactId } = await run([
      webhook({ saveAs: 'account' }),
      webhook({ saveAs: 'account', body: { was: '{{ steps.account.plan }}' } }),
      {
        type: 'CONDITION',
        branches: [
          {
            name: 'pro',
            if: { stepData: 'account.plan', is: 'equal', value: 'pro' },
            steps: [email('{{ steps.account.plan }} with {{ steps.account.limits.seats }} seats')],
          },
        ],
        else: [email('other')],
      },
    ])
    assert.deepEqual(world.subjects(), ['pro with 12 seats'])
    assert.deepEqual(JSON.parse(server.requests[1]!.body), { was: 'free' })
    assert.equal((await runOf(contactId)).save_as, 'account')
  })

  it('ends the enrollment right before the next email, if an exit rule or the goal is about its response', async () => {
    const rules = {
      exitOn: [{ condition: { stepData: 'account.plan', is: 'equal', value: 'free' } }],
      goal: { condition: { stepData: 'account.plan', is: 'equal', value: 'pro' } },
    } as const
    const ended: Record<string, [string, number]> = {}
    for (const plan of ['free', 'pro', 'team']) {
      forget()
      answers(() => ({ plan }))
      const id = await world.automation([webhook({ saveAs: 'account' }), email('Of the plan')], rules)
      const contactId = await world.contact()
      const { status } = await world.whileWorking(async () => {
        await world.enroll(id, contactId)
        return (await world.handle(id, contactId).result()) as { status: string }
      })
      ended[plan] = [status, world.mails.length]
    }
    assert.deepEqual(ended, { free: ['EXITED', 0], pro: ['GOAL_REACHED', 0], team: ['COMPLETED', 1] })
  })

  it('stores no response without saveAs', async () => {
    answers(() => ({ secret: 1 }))
    const { contactId } = await run([webhook()])
    const { save_as, output, detail } = await runOf(contactId)
    assert.deepEqual(
      { save_as, output, detail },
      {
        save_as: null,
        output: null,
        detail: { attempt: 1, status: 200, problem: null, isDone: true },
      },
    )
  })

  it('continues after a response that cannot be saved', async () => {
    const unusable = 'The response has a value that cannot be stored, and is not saved'
    const deviations: unknown[] = []
    for (const [what, text, expected] of [
      ['a NUL character', '{"a":"\\u0000"}', unusable],
      ['half of a surrogate pair', '{"a":"\\ud800"}', unusable],
      ['too many levels', '['.repeat(10_000) + ']'.repeat(10_000), unusable],
      ['no JSON', '<html>', 'The response is not JSON, and is not saved'],
      ['no content', '', 'The response is not JSON, and is not saved'],
      ['more than 64 KB', JSON.stringify('x'.repeat(70_000)), 'The response is larger than 64 KB, and is not saved'],
    ] as const) {
      forget()
      answers((_attempt, response) => response.end(text))
      const { contactId } = await run([webhook({ saveAs: 'account' }), email('after {{ steps.account }}')])
      const { detail, save_as } = await runOf(contactId)
      const found = [world.subjects(), server.requests.length, detail['problem'], detail['isDone'], save_as]
      if (!isDeepStrictEqual(found, [['after'], 1, expected, true, null])) deviations.push([what, found])
    }
    assert.deepEqual(deviations, [])
  })

  it('is repeated with the same ID for three days, across a restart of the worker, and then continues', async () => {
    answers(() => 503)
    const start = await world.env.currentTimeMs()
    const { handle, contactId } = await world.whileWorking(async () => {
      const enrollment = await enrolled([webhook({ body: { at: '{{ contact.id }}' } }), email('after')])
      const { testService } = world.env.connection as TestConnection
      await testService.unlockTimeSkipping({})
      await eventually('some attempts', () => server.requests.length >= 4 || undefined)
      await testService.lockTimeSkipping({})
      return enrollment
    }, 0)
    const before = server.requests.length
    assert.ok(before < 9, `${before} attempts`)
    await world.stopWorker()
    await world.whileWorking(() => handle.result())
    assert.equal(server.requests.length, 9)
    assert.equal(new Set(server.requests.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(server.requests.map(({ body }) => body)).size, 1)
    const days = (times.at(-1)! - start) / DAY_MS
    assert.ok(days > 2.8 && days < 3.3, `the last attempt after ${days} days`)
    assert.deepEqual(world.subjects(), ['after'])
    const { attempts, detail } = await runOf(contactId)
    assert.deepEqual([attempts, detail['status'], detail['isDone']], [9, 503, false])
  })

  it('is repeated until it succeeds', async () => {
    answers((attempt) => (attempt < 3 ? 500 : { plan: 'pro' }))
    await run([webhook({ saveAs: 'account' }), email('{{ steps.account.plan }}')])
    assert.equal(server.requests.length, 3)
    assert.deepEqual(world.subjects(), ['pro'])
  })

  it('is repeated after a response 301, without being redirected, and not after one that rejects it', async () => {
    const deviations: unknown[] = []
    for (const status of [301, 400, 401, 404, 410, 422]) {
      forget()
      answers((attempt, response) => {
        if (attempt > 1) return 200
        return response.writeHead(status, { Location: `${server.url}/other` }).end()
      })
      await run([webhook(), email('after')])
      const found = [server.requests.map(({ url }) => url), world.subjects()]
      if (!isDeepStrictEqual(found, [status < 400 ? ['/hook', '/hook'] : ['/hook'], ['after']]))
        deviations.push([status, found])
    }
    assert.deepEqual(deviations, [])
  })

  it('waits as long as a response 429 says in Retry-After, from a minute to a day', async () => {
    for (const [asked, hours] of [
      ['7200', 2],
      ['999999999', 24],
      ['1', 1 / 60],
      ['soon', 1 / 60],
    ] as const) {
      forget()
      answers((attempt, response) => (attempt > 1 ? 200 : response.writeHead(429, { 'Retry-After': asked }).end()))
      await run([webhook()])
      assert.equal(times.length, 2)
      const passed = (times[1]! - times[0]!) / HOUR_MS
      assert.ok(passed >= hours - 0.001 && passed < hours + 0.02, `${asked}: after ${passed} hours`)
    }
  })

  it('holds while its automation is paused', async () => {
    answers(async (attempt) => {
      if (attempt > 1) return 200
      await updateAutomation(world.orm.em, world.workspaceId, automationId, { status: 'PAUSED' })
      return 500
    })
    await world.whileWorking(async () => {
      const { handle, contactId } = await enrolled([webhook(), email('after')])
      await eventually('it waits', async () => (await runOf(contactId))?.until ?? undefined)
      await world.env.sleep('2 days')
      await eventually('it is paused', async () => ((await handle.query(stateQuery)).paused ? true : undefined))
      assert.equal(server.requests.length, 1)
      await updateAutomation(world.orm.em, world.workspaceId, automationId, { status: 'ACTIVE' })
      await world.dependencies.enrollments.wake({ automationId, contactId, concurrencyKey: '' })
      await handle.result()
    })
    assert.equal(server.requests.length, 2)
    assert.deepEqual(world.subjects(), ['after'])
  })

  it('does not delay emails while its server hangs, and is called ten times concurrently', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<number>()
    const open = new Set<ServerResponse>()
    let most = 0
    answers((_attempt, response) => {
      open.add(response)
      most = Math.max(most, open.size)
      response.on('close', () => open.delete(response))
      return released
    })
    const vip = { metadata: 'vip', is: 'equal', value: true }
    automationId = await world.automation([
      { type: 'CONDITION', branches: [{ name: 'VIP', if: { not: vip }, steps: [email('prompt')] }], else: [webhook()] },
    ])
    const enter = async (metadata: Record<string, unknown>) => {
      const contactId = await world.contact(metadata)
      await world.enroll(automationId, contactId)
      return contactId
    }
    await world.whileWorking(async () => {
      const contactIds = await Promise.all(Array.from({ length: 40 }, () => enter({ vip: true })))
      await eventually('the server is busy', () => open.size === 10 || undefined)
      await enter({})
      await eventually('the email was sent', () => world.subjects().includes('prompt') || undefined)
      assert.equal(most, 10)
      release(200)
      for (const contactId of contactIds) await world.handle(automationId, contactId).result()
    })
    assert.equal(new Set(server.requests.map(({ headers }) => headers['webhook-id'])).size, 40)
  })

  it('is not sent if the automation is paused, or the contact erased, while it is rendered', async () => {
    await world.stopWorker()
    for (const stop of ['pause', 'erase'] as const) {
      const { contactId } = await enrolled([webhook({ body: ['{{ contact.email }}'] })])
      const [row] = await sql<{ id: string; step_id: string }>(
        world.orm.em.fork(),
        `select enrollments.id, steps -> 0 ->> 'id' as step_id from enrollments
         join automation_versions using (automation_id, version) where contact_id = $1`,
        [contactId],
      )
      const sent: WebhookRequest[] = []
      const renderTexts: Renderer['renderTexts'] = async () => {
        if (stop === 'pause')
          await updateAutomation(world.orm.em, world.workspaceId, automationId, { status: 'PAUSED' })
        else await sql(world.orm.em.fork(), 'delete from contacts where id = $1', [contactId])
        return { texts: ['x'] }
      }
      const dependencies = {
        em: world.orm.em,
        log: quietLog,
        secrets: world.secrets,
        renderer: { ...world.renderer, renderTexts },
        sendRequest: (request: WebhookRequest) => {
          sent.push(request)
          return Promise.resolve({ status: 200, retryAfter: null, text: null })
        },
      }
      const now = Date.now()
      const step = { workspaceId: world.workspaceId, automationId, enrollmentId: row!.id, stepId: row!.step_id, now }
      assert.deepEqual(await runStep(dependencies, step), { next: 'retry', until: now })
      assert.deepEqual(await runStep(dependencies, step), { next: stop === 'pause' ? 'paused' : 'gone' })
      assert.equal(sent.length, 0)
      await world.dependencies.enrollments.cancel({ automationId, contactId, concurrencyKey: '' })
    }
  })

  it('is not sent if a template makes it invalid, and the enrollment continues', async () => {
    const long = '{% for n in (1..9999999) %}{% endfor %}'
    for (const [input, expected] of [
      [{ body: ['{{ "%00" | url_decode }}'] }, /^Template error in body\.0: .*NUL/],
      [{ body: { a: { b: long } } }, /^Template error in body\.a\.b: /],
      [{ headers: { 'X-Name': '{{ "Zoë" }}' } }, /^Template error in headers\.X-Name: .*ASCII$/],
      [
        { body: ['{% for i in (1..30000) %}0123456789{% endfor %}'] },
        /^Template error in body: becomes larger than 256 KB$/,
      ],
    ] as const) {
      forget()
      const { contactId } = await run([webhook(input), email('after')])
      const { detail } = await runOf(contactId)
      assert.match(String(detail['problem']), expected)
      assert.deepEqual([server.requests.length, world.subjects(), detail['isDone']], [0, ['after'], false])
    }
  })

  it('leaves nothing of the contact in Temporal', async () => {
    answers(() => ({ plan: 'a-secret-plan' }))
    const { handle } = await run([webhook({ saveAs: 'account', body: ['{{ contact.metadata.note }}'] })], {
      note: 'a-secret-note',
    })
    const history = Buffer.from(JSON.stringify(await handle.fetchHistory())).toString()
    for (const [, payload = ''] of history.matchAll(/"data":"([^"]*)"/g)) {
      const text = Buffer.from(payload, 'base64').toString()
      assert.ok(!text.includes('a-secret'), text)
    }
  })

  it('and an email may use each variable of the contact, with dates in their time zone', async () => {
    const list = await createList(world.orm.em, world.workspaceId, { name: 'Product news' }, newId())
    const variables =
      "{{ contact.id }} {{ contact.externalId }} {{ contact.tags | join: ',' }} {{ contact.lists | join: ',' }} " +
      "{{ contact.metadata.at | date: '%H:%M' }} {{ contact.metadata.day | date: '%Y-%m-%d' }}"
    const { contactId } = await run(
      [
        { type: 'UPDATE_CONTACT', addTags: ['VIP', 'beta'], addToLists: [list.id] },
        webhook({ body: [variables, '{{ contact.createdAt }}'] }),
        email(variables),
      ],
      { timezone: 'America/New_York', at: '2026-07-01T12:00:00Z', day: '2026-12-24' },
    )
    const expected = `${contactId}  beta,VIP Product news 08:00 2026-12-24`
    const [first, createdAt] = JSON.parse(server.requests[0]!.body) as string[]
    assert.equal(first, expected)
    assert.ok(createdAt && new Date(createdAt).toISOString() === createdAt)
    assert.deepEqual(world.subjects(), [expected.replace('  ', ' ')])
  })
})
