import type { StepInput } from '../../src/automations/steps/index.ts'
import assert from 'node:assert/strict'
import { enrollContact } from '../../src/enrollments/enroll-contact.ts'
import { newCall } from '../../src/platform/call.ts'
import { bareHistory } from '../support/bare-sequence.ts'
import { startTimeSkipping, type TimeSkipping } from '../support/time-skipping.ts'

const DAY = 24 * 60 * 60_000
const email = (subject: string): StepInput => ({ type: 'EMAIL', subject, text: 'Hi' })
const wait = (delayMinutes: number): StepInput => ({ type: 'WAIT', delayMinutes })

describe('the workflow of an enrollment, with months skipped', () => {
  let world: TimeSkipping
  before(async () => {
    world = await startTimeSkipping()
  })
  after(() => world.stop())
  beforeEach(() => {
    world.mails.length = 0
  })

  const run = async (steps: StepInput[]) => {
    const automationId = await world.automation(steps)
    const contactId = await world.contact()
    const result = await world.whileWorking(async () => {
      await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId }, newCall())
      return (await world.handle(automationId, contactId).result()) as unknown
    })
    return { automationId, contactId, result }
  }

  it('sends an email immediately, after 30 days and after another year, each once', async () => {
    const automationId = await world.automation([
      email('1'),
      wait(30 * 24 * 60),
      email('2'),
      wait(365 * 24 * 60),
      email('3'),
    ])
    const contactId = await world.contact()
    await world.whileWorking(async () => {
      const virtualStart = await world.env.currentTimeMs()
      await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId }, newCall())
      await world.handle(automationId, contactId).result()
      assert.deepEqual(
        world.mails.map(({ mail }) => /^Subject: (.*)$/m.exec(mail.headers)?.[1]?.trim()),
        ['1', '2', '3'],
      )
      const days = world.mails.map(({ virtualTime }) => (virtualTime - virtualStart) / DAY)
      for (const [index, expected] of [0, 30, 395].entries()) {
        assert.ok(
          days[index]! >= expected && days[index]! < expected + 0.01,
          `mail ${index + 1} after ${days[index]} days`,
        )
      }
    })
  })

  for (const [emails, waits] of [
    [1, 0],
    [3, 2],
    [10, 10],
    [20, 40],
  ] as const) {
    it(`needs at most 8 events more than one written by hand: ${emails} EMAIL, ${waits} WAIT`, async () => {
      const plan = [
        ...Array.from({ length: Math.min(emails, waits) }, (_, n) => ['EMAIL', 10 + n] as const).flat(),
        ...Array.from({ length: Math.max(0, emails - waits) }, () => 'EMAIL' as const),
        ...Array.from({ length: Math.max(0, waits - emails) }, (_, n) => 100 + n),
      ]
      const { automationId, contactId } = await run(plan.map((step) => (step === 'EMAIL' ? email('x') : wait(step))))
      const ours = await historyLength(world.handle(automationId, contactId))
      const bare = (await bareHistory(world.env, plan)).events?.length ?? 0
      assert.ok(ours - bare <= 8, `ours ${ours} events, by hand ${bare}`)
    })
  }

  it('shows operators the current step, and no personal data', async () => {
    const automationId = await world.automation([email('1'), wait(60 * 24 * 30), email('2')])
    const contactId = await world.contact()
    await world.whileWorking(async () => {
      await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId }, newCall())
      await world.handle(automationId, contactId).result()
    })
    const history = JSON.stringify(await world.handle(automationId, contactId).fetchHistory())
    const decoded = history.replace(/"([A-Za-z0-9+/]{8,}={0,2})"/g, (_, text: string) =>
      Buffer.from(text, 'base64').toString(),
    )
    assert.ok(!decoded.includes('@example.com') && !history.includes('@example.com'))
    assert.ok(!decoded.includes('Ada'))
    assert.match(decoded, /3 of 3: EMAIL/)
  })
})

async function historyLength(handle: { fetchHistory(): Promise<{ events?: unknown[] | null }> }): Promise<number> {
  return (await handle.fetchHistory()).events?.length ?? 0
}
