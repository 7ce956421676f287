import assert from 'node:assert/strict'
import { queueEmail } from '../../src/emails/queue-emails.ts'
import { newCall } from '../../src/platform/call.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'

const DAY_MS = 24 * 60 * 60_000

describe('a scheduled email', () => {
  let world: TimeSkipping
  useTimeSkipping((opened) => (world = opened))

  it('is sent at its time, also if the worker was restarted', async () => {
    const { dependencies, workspaceId, env } = world
    const sendAt = (await env.currentTimeMs()) + 100 * DAY_MS
    const input = { to: 'ada@example.com', subject: 'Later', text: 'Hi', scheduledAt: new Date(sendAt).toISOString() }
    const { id } = (await queueEmail(dependencies, workspaceId, input, newCall())).email
    const handle = env.client.workflow.getHandle(`email:${id}`)
    await world.whileWorking(() => env.sleep(50 * DAY_MS), 0)
    assert.equal(world.mails.length, 0)
    await world.stopWorker()
    await world.whileWorking(async () => assert.deepEqual(await handle.result(), { status: 'SENT' }), 0)
    const late = world.mails[0]!.virtualTime - sendAt
    assert.ok(late >= 0 && late < DAY_MS / 24, `sent ${late} ms after its time`)
  })
})
