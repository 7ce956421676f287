import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { RendererBusy } from '../../src/rendering/content.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { sendStep } from '../../src/enrollments/send-step.ts'
import type { WaitLimit } from '../../src/messages/send.ts'
import { aContact, activityOf, anAutomation, enroll } from '../support/factories.ts'
import { someLinks } from '../support/links.ts'
import { quietLog } from '../support/log.ts'
import { SENDER } from '../support/npm-start.ts'
import { stepOf } from '../support/step-claims.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('an email that cannot be rendered because the machine is busy', () => {
  it('defers the email, and sends it later', async () => {
    const service = await openWorkspace({ worker: false })
    const { em } = service.context.orm
    // Its mail is captured, whatever the instance does with that of others.
    await sql(em.fork(), `update workspaces set mode = 'test' where id = $1::uuid`, [service.workspaceId])
    const mail = createMail(service.context.config, em, { mailFrom: SENDER, links: someLinks })
    try {
      const contactId = await aContact(service)
      const automationId = await anAutomation(service)
      await enroll(service, automationId, contactId)
      const step = await stepOf(service, automationId, contactId)
      const send = (renderer = mail.renderer, patience: WaitLimit = { turn: new AbortController().signal }) =>
        sendStep({ ...mail, renderer, em, metrics: noMetrics, log: quietLog }, step, patience)

      const busy = { ...mail.renderer, render: () => Promise.reject(new RendererBusy('too busy')) }
      assert.deepEqual(await send(busy, 'at-once'), { kind: 'queue' }, 'it is queued')
      assert.deepEqual(await send(busy), { kind: 'deferred', reason: 'too busy', afterMs: 1_000 })
      assert.deepEqual(await send(busy), { kind: 'deferred', reason: 'too busy', afterMs: 2_000 })
      const [deferred] = await activityOf(service, contactId)
      assert.deepEqual([deferred?.status, deferred?.error], ['DEFERRED', 'too busy'])
      assert.deepEqual(await send(), { kind: 'final', status: 'CAPTURED', error: null, stop: false })
    } finally {
      await mail.renderer.close()
    }
  })
})
