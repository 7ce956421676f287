import assert from 'node:assert/strict'
import fc from 'fast-check'
import { updateAutomation } from '../../src/automations/automations.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { applyChange } from '../../src/contacts/apply-change.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { evaluate, type ModelContact } from '../segments/evaluate-condition.ts'
import { type DueDate, EnrollmentModel, type Happening, type LeaveRule } from './enrollment-model.ts'
import { aCase, type Case, inOrder, numbered, SERVER } from './random-automations.ts'

/** `ENROLLMENT_CASES=500` runs more cases, and `ENROLLMENT_SEED` those of a failed run, and looks for the smallest that fails. */
const CASES = Number(process.env['ENROLLMENT_CASES'] ?? 20)
const SEED = process.env['ENROLLMENT_SEED']
const DAY = 24 * 60
const MAX_WAITS = 100

const DUE: Record<DueDate, string | undefined> = {
  ahead: undefined,
  past: '2020-01-01',
  soon: 'soon',
  missing: undefined,
}

describe('random automations, contacts and events', () => {
  let world: TimeSkipping
  let server: Awaited<ReturnType<typeof startWebhookServer>>
  // Each case may skip five years.
  useTimeSkipping((opened) => (world = opened), { clock: 'own' })
  before(async () => {
    server = await startWebhookServer()
    server.receiver.answer = ({ url, headers }) => {
      const { searchParams } = new URL(url, SERVER)
      const attempts = server.requests.filter((each) => each.headers['webhook-id'] === headers['webhook-id']).length
      return searchParams.has('fails') && attempts === 1 ? 503 : { plan: searchParams.get('plan') }
    }
  })
  after(() => server.stop())

  it(`send what the model says in ${CASES} cases`, async function () {
    this.timeout(CASES * 60_000)
    const ends: Record<string, number> = {}
    const property = fc.asyncProperty(aCase, async (each) => {
      const end = await compare(each)
      ends[end] = (ends[end] ?? 0) + 1
    })
    // Each smaller case that fails takes long.
    const options = SEED === undefined ? { endOnFailure: true } : { seed: Number(SEED) }
    // Without cached workflows, each task replays the workflow from its first event.
    await world.whileWorking(() => fc.assert(property, { numRuns: CASES, ...options }), 0)
    if (CASES >= 200) assert.equal(Object.keys(ends).length, 4, JSON.stringify(ends))
  })

  /** Runs a case and compares it with the model at each wait. @returns how it ended */
  async function compare({ steps: drawn, goal, exitOn, entryFilter, metadata, due, startData, happenings }: Case) {
    const { workspaceId, dependencies, orm } = world
    world.mails.length = 0
    server.requests.length = 0
    const now = await world.env.currentTimeMs()
    const list = numbered(drawn, now, server.url)
    const contactId = await world.contact()
    const dueAt = due === 'ahead' ? new Date(now + 5 * 365 * DAY * 60_000).toISOString() : DUE[due]
    const fields = { ...metadata, ...(dueAt !== undefined && { due: dueAt }) }
    const change = (set: Record<string, unknown>) =>
      orm.em
        .fork()
        .transactional((unit) => applyChange(unit, { workspaceId, contactId, depth: 0 }, { set: { metadata: set } }))
    await change(fields)
    const trigger = `go-${newId()}`
    const automationId = await world.automation(list, {
      triggerConfig: { eventName: trigger },
      ...{ goal, exitOn },
      ...(entryFilter && { entry: { filter: entryFilter as unknown as Record<string, unknown> } }),
    })
    const fire = (name: string, data: unknown) =>
      fireEvent(dependencies, workspaceId, contactId, { name, data }, newCall())
    const fired = await fire(trigger, startData)
    const contact = modelContact(contactId, fields)
    const mayEnter =
      entryFilter === undefined || evaluate(entryFilter, contact, { at: 0, eventData: startData, segments: new Map() })
    assert.equal(fired?.effects.started.length, mayEnter ? 1 : 0)
    if (!mayEnter) return 'REFUSED'

    const rules: LeaveRule[] = [
      ...(goal ? [{ status: 'GOAL_REACHED' as const, ...goal }] : []),
      ...exitOn.map((rule) => ({ status: 'EXITED' as const, ...rule })),
    ]
    const model = new EnrollmentModel(list, { rules, contact, startData, due })
    const positions = new Map(inOrder(list).map((step, position) => [step, position]))
    const handle = world.handle(automationId, contactId)
    const statusOf = async () =>
      (
        await sql<{ status: string }>(orm.em.fork(), 'select status from enrollments where automation_id = $1', [
          automationId,
        ])
      )[0]?.status
    /** Waits until the workflow is where the model is. @returns the end of its wait */
    const arrive = async () => {
      let seen: unknown
      const position = positions.get(model.step!)
      const wakeAt = await eventually(
        'the workflow waits where the model does',
        async () => {
          if (model.status !== 'ACTIVE') {
            seen = await statusOf()
            return seen === model.status ? 0 : undefined
          }
          const state = await handle.query(stateQuery)
          seen = { ...state, sent: world.subjects() }
          if (state.position !== position || state.paused !== model.isHeld) return undefined
          return model.isHeld ? 0 : (state.wakeAt ?? undefined)
        },
        20_000,
      ).catch(() => assert.deepEqual(seen, { position, ...pick(model) }))
      assert.deepEqual(world.subjects(), model.sent)
      return wakeAt!
    }
    try {
      let wakeAt = await arrive()
      const act = async (next: Happening) => {
        const isNoWake = next.kind === 'wake' && model.isHeld
        if (isNoWake) return
        model.apply(next)
        if (next.kind === 'wake') await world.env.sleep(Math.max(0, wakeAt - (await world.env.currentTimeMs())) + 1)
        if (next.kind === 'event') await fire(next.name, next.data)
        if (next.kind === 'set') await change({ plan: next.plan })
        if (next.kind === 'pause') await updateAutomation(orm.em, workspaceId, automationId, { status: 'PAUSED' })
        if (next.kind === 'resume') {
          await updateAutomation(orm.em, workspaceId, automationId, { status: 'ACTIVE' })
          await dependencies.enrollments.wake({ automationId, contactId, concurrencyKey: '' })
        }
        wakeAt = await arrive()
      }
      for (const next of happenings) if (model.status === 'ACTIVE') await act(next)
      if (model.status === 'ACTIVE') await act({ kind: 'resume' })
      for (let n = 0; model.status === 'ACTIVE' && n < MAX_WAITS; n += 1) await act({ kind: 'wake' })
      await handle.result()
      assert.deepEqual({ status: await statusOf(), sent: world.subjects() }, { status: model.status, sent: model.sent })
      return model.status
    } finally {
      await dependencies.enrollments.cancel({ automationId, contactId, concurrencyKey: '' })
    }
  }
})

const pick = ({ step, isHeld, status, sent }: EnrollmentModel) => ({ step, isHeld, status, sent })

const modelContact = (id: string, metadata: Record<string, unknown>): ModelContact => ({
  ...{ id, metadata, email: `${id}@example.com`, firstName: 'Ada', createdAt: 0, updatedAt: 0 },
  ...{ tags: [], lists: [], events: [], messages: [] },
})
