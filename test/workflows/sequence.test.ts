import type { StepInput } from '../../src/automations/steps/index.ts'
import assert from 'node:assert/strict'
import { bareHistory } from '../support/bare-sequence.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'

const HOUR_MS = 60 * 60_000
const DAY = 24 * HOUR_MS
const email = (subject: string): StepInput => ({ type: 'EMAIL', subject, text: 'Hi' })
const wait = (delayMinutes: number): StepInput => ({ type: 'WAIT', delayMinutes })

describe('the workflow of an enrollment, with months skipped', () => {
  let world: TimeSkipping
  useTimeSkipping((opened) => (world = opened))

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
      await world.enroll(automationId, contactId)
      await world.handle(automationId, contactId).result()
      assert.deepEqual(world.subjects(), ['1', '2', '3'])
      const days = world.mails.map(({ virtualTime }) => (virtualTime - virtualStart) / DAY)
      for (const [index, expected] of [0, 30, 395].entries()) {
        assert.ok(
          days[index]! >= expected && days[index]! < expected + 0.01,
          `mail ${index + 1} after ${days[index]} days`,
        )
      }
    })
  })

  it('needs at most 8 events more than a plain workflow that does the same', async () => {
    const plans = [
      [1, 0],
      [3, 2],
      [10, 10],
      [20, 40],
    ].map(([emails = 0, waits = 0]) => [
      ...Array.from({ length: Math.min(emails, waits) }, (_, n) => ['EMAIL', 10 + n] as const).flat(),
      ...Array.from({ length: Math.max(0, emails - waits) }, () => 'EMAIL' as const),
      ...Array.from({ length: Math.max(0, waits - emails) }, (_, n) => 100 + n),
    ])
    const deviations: unknown[] = []
    for (const plan of plans) {
      const automationId = await world.automation(plan.map((step) => (step === 'EMAIL' ? email('x') : wait(step))))
      const contactId = await world.contact()
      const handle = world.handle(automationId, contactId)
      await world.whileWorking(async () => {
        await world.enroll(automationId, contactId)
        await handle.result()
      })
      const [ours, byHand] = [await handle.fetchHistory(), await bareHistory(world.env, plan)].map(
        ({ events }) => events!.length,
      )
      if (ours! - byHand! > 8) deviations.push({ plan, ours, byHand })
    }
    assert.deepEqual(deviations, [])
  })

  it('sends an email once after hours of deferrals, within six minutes after the mail server accepts mail again', async () => {
    const automationId = await world.automation([email('late')])
    const contactId = await world.contact()
    world.sink.behave({ code: 451, text: '4.3.0 later', at: 'rcpt' })
    const begin = await world.env.currentTimeMs()
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      await world.env.sleep(6 * HOUR_MS)
      assert.equal(world.mails.length, 0)
      world.sink.behave('accept')
      await world.handle(automationId, contactId).result()
    })
    assert.deepEqual(world.subjects(), ['late'])
    const after = world.mails[0]!.virtualTime - begin
    assert.ok(after >= 6 * HOUR_MS && after < 6 * HOUR_MS + 6 * 60_000, `${after} ms`)
  })

  it('shows operators the current step, and no personal data', async () => {
    const automationId = await world.automation([email('1'), wait(60 * 24 * 30), email('2')])
    const contactId = await world.contact()
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
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
