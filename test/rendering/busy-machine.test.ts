import assert from 'node:assert/strict'
import { createMail } from '../../src/parts/mail.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { RendererBusy } from '../../src/rendering/content.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { sendMessage } from '../../src/messages/send-message.ts'
import type { Patience } from '../../src/messages/sending.ts'
import { aContact, activityOf, anAutomation, enroll } from '../support/factories.ts'
import { someLinks } from '../support/links.ts'
import { quietLog } from '../support/log.ts'
import { SENDER } from '../support/npm-start.ts'
import { startService } from '../support/service.ts'

describe('an email that a busy machine cannot render in time', () => {
  it('is put off, and sent later', async () => {
    const service = await startService({ worker: false })
    const { em } = service.context.orm
    const mail = createMail(service.context.config, em, { mailFrom: SENDER, links: someLinks })
    try {
      const contactId = await aContact(service)
      const automationId = await anAutomation(service)
      await enroll(service, automationId, contactId)
      const { body } = await service.call('GET', `automations/${automationId}`)
      const [row] = await sql<{ id: string }>(em.fork(), 'select id from enrollments')
      const key = { enrollmentId: row!.id, stepId: body.data.steps[0].id as string, visit: 0 }
      const send = (renderer = mail.renderer, patience: Patience = { turn: new AbortController().signal }) =>
        sendMessage({ ...mail, renderer, em, metrics: noMetrics, log: quietLog }, key, automationId, patience)

      const busy = { ...mail.renderer, render: () => Promise.reject(new RendererBusy('too busy')) }
      assert.deepEqual(await send(busy, 'at-once'), { kind: 'queue' }, 'where it may wait, it is tried again')
      assert.deepEqual(await send(busy), { kind: 'deferred', reason: 'too busy', afterMs: 1_000 })
      assert.deepEqual(await send(busy), { kind: 'deferred', reason: 'too busy', afterMs: 2_000 })
      const [deferred] = await activityOf(service, contactId)
      assert.deepEqual([deferred?.status, deferred?.error], ['DEFERRED', 'too busy'])
      assert.deepEqual(await send(), { kind: 'settled', status: 'CAPTURED', stop: false })
    } finally {
      await mail.renderer.close()
      await service.stop()
    }
  })
})
