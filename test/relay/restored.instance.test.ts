import assert from 'node:assert/strict'
import type { Place } from '../../src/automation-engine/enrollment.ts'
import type { Client } from '@temporalio/client'
import { beginEnrollment } from '../../activities/begin-enrollment.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { recordEnrollment } from '../../src/enrollments/record-enrollment.ts'
import { isStillEnrolled } from '../../src/enrollments/reconcile-enrollments.ts'
import { readSendingGate } from '../../src/instance/sending-gate-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { reconcile } from '../../src/relay/reconcile.ts'
import { enableSending, markRestored } from '../../src/relay/restored.ts'
import { createEnrollments } from '../../src/temporal/client.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import type { Instance } from '../support/instance.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import { withPageSizes } from '../support/page-sizes.ts'
import { look } from '../support/step-claims.ts'
import { withWaits } from '../support/waits.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const SEQUENCE = { steps: [{ ...EMAIL, subject: 'first' }, wait(60), { ...EMAIL, subject: 'second' }] }

describe('a restore', () => {
  let service: Instance
  let sink: SmtpSink
  withWaits({ sendingDisabled: 500 })
  // A reconciliation reads all that the tests before have left.
  withPageSizes({ reconciliation: 7 })
  useInstanceAndSink((started) => ({ service, sink } = started))
  afterEach(() =>
    sql(em(), `update instance set restored_at = null, lost_until = null, backed_up_at = null, mail = 'smtp'`),
  )

  const em = () => service.context.orm.em.fork()
  const handleOf = (automationId: string, contactId: string) =>
    service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
  const rowsOf = (contactId: string) =>
    sql<{ id: string; status: string }>(
      em(),
      'select id, status from enrollments where contact_id = $1::uuid order by enrolled_at',
      [contactId],
    )
  /** Deletes a workflow. Temporal's list, which a reconciliation reads first, has it for a while after it is gone. */
  async function deleteWorkflow(automationId: string, contactId: string) {
    await service.context.temporal.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: `enrollment:${automationId}:${contactId}` },
    })
    const isGone = async () => {
      for await (const listed of service.context.dependencies.enrollments.listRunning())
        if (listed.automationId === automationId && listed.contactId === contactId) return false
      return handleOf(automationId, contactId)
        .describe()
        .then(
          () => false,
          () => true,
        )
    }
    await eventually('the workflow is gone', async () => (await isGone()) || undefined)
  }

  describe('and its reconciliation', () => {
    const statusIn = async (automationId: string, contactId: string) =>
      (
        await handleOf(automationId, contactId)
          .describe()
          .catch(() => undefined)
      )?.status.name
    const finalMessages = (contactId: string, count: number) =>
      eventually('its emails are final', async () => {
        const all = await activityOf(service, contactId)
        return all.length === count && all.every(({ status }) => status !== 'SENDING') ? all : undefined
      })
    /** The contacts of the current test. */
    const own = new Set<string>()
    beforeEach(() => own.clear())
    /** Creates an enrollment that waits and is listed by Temporal. */
    async function waiting(fields: object = {}) {
      const automationId = await anAutomation(service, { ...SEQUENCE, ...fields })
      const contactId = await aContact(service)
      own.add(contactId)
      await enroll(service, automationId, contactId)
      await finalMessages(contactId, 1)
      const [row] = await rowsOf(contactId)
      await eventually('it is listed', async () => {
        for await (const { enrollmentId } of service.context.dependencies.enrollments.listRunning())
          if (enrollmentId === row!.id) return true
        return undefined
      })
      return { automationId, contactId, enrollmentId: row!.id }
    }
    const differences = async (isDry = false, lostUntil?: null) => {
      const { differences: all, failed } = await reconcile(service.context.dependencies, { isDry, lostUntil })
      assert.equal(failed, 0)
      return all.filter(({ contactId }) => own.has(contactId))
    }

    it('restarts an enrollment without a workflow where it was, and only reports it in a dry run', async () => {
      const one = await waiting()
      await deleteWorkflow(one.automationId, one.contactId)
      const expected = [{ ...one, what: 'resumed' }]
      assert.deepEqual(await differences(true), expected)
      assert.equal(await statusIn(one.automationId, one.contactId), undefined)
      assert.deepEqual(await differences(), expected)
      assert.equal(await statusIn(one.automationId, one.contactId), 'RUNNING')
      await eventually('it is listed', async () => ((await differences(true)).length === 0 ? true : undefined))
      assert.equal((await activityOf(service, one.contactId)).length, 1)
    })

    it('records a running workflow that is missing from an older database, which continues and sends nothing twice', async () => {
      const one = await waiting()
      await sql(em(), 'delete from messages where enrollment_id = $1::uuid', [one.enrollmentId])
      await sql(em(), 'delete from enrollments where id = $1::uuid', [one.enrollmentId])
      assert.deepEqual(await differences(true), [{ ...one, what: 'recorded' }])
      assert.deepEqual(await differences(), [{ ...one, what: 'recorded' }])
      assert.deepEqual(await rowsOf(one.contactId), [{ id: one.enrollmentId, status: 'ACTIVE' }])
      assert.deepEqual(await differences(), [])
      // Nothing is sent again while it waits.
      assert.deepEqual(await activityOf(service, one.contactId), [])
    })

    it('ends workflows whose enrollment has ended in the database, or whose contact it does not have', async () => {
      const through = await waiting()
      const unknown = await waiting()
      await sql(
        em(),
        `update enrollments set status = 'COMPLETED', ended_at = now(), wakes_at = null where id = $1::uuid`,
        [through.enrollmentId],
      )
      await sql(em(), 'delete from contacts where id = $1::uuid', [unknown.contactId])
      const found = await differences()
      assert.deepEqual(
        new Map(found.map(({ enrollmentId, what }) => [enrollmentId, what])),
        new Map([
          [through.enrollmentId, 'closed'],
          [unknown.enrollmentId, 'removed'],
        ]),
      )
      for (const { automationId, contactId } of [through, unknown])
        await eventually('it is over', async () =>
          (await statusIn(automationId, contactId)) === 'CANCELLED' ? true : undefined,
        )
      assert.deepEqual(await rowsOf(through.contactId), [{ id: through.enrollmentId, status: 'COMPLETED' }])
    })

    it('ends enrollments whose workflow an operator has terminated', async () => {
      const one = await waiting()
      await handleOf(one.automationId, one.contactId).terminate()
      await eventually('it is listed as terminated', async () =>
        (await differences(true)).some(({ what }) => what === 'ended') ? true : undefined,
      )
      assert.deepEqual(await differences(), [{ ...one, what: 'ended' }])
      assert.deepEqual(await rowsOf(one.contactId), [{ id: one.enrollmentId, status: 'CANCELLED' }])
    })

    it('enables sending on a restored instance, which sends nothing before', async () => {
      await markRestored(em())
      const automationId = await anAutomation(service)
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      await eventually('it is deferred', async () => {
        const { raw } = await handleOf(automationId, contactId).describe()
        return raw.pendingActivities?.some(({ lastFailure }) => lastFailure) ? true : undefined
      })
      assert.deepEqual(await activityOf(service, contactId), [])
      assert.equal((await differences(false, null)).length, 0)
      const [message] = await finalMessages(contactId, 1)
      assert.equal(message!.status, 'SENT')
    })

    it('treats everything due until a date as lost if it is unknown, even if the backup was captured', async () => {
      for (const mail of ['capture', 'smtp']) {
        await sql(em(), 'update instance set mail = $1', [mail])
        await service.stopWorkers()
        await markRestored(em())
        const automationId = await anAutomation(service)
        const contactId = await aContact(service)
        await enroll(service, automationId, contactId)
        // The original continued after the restore, was set to live, and was stopped.
        await differences()
        await sql(em(), `update instance set mail = 'smtp'`)
        await service.startWorker()
        const [message] = await finalMessages(contactId, 1)
        assert.equal(message!.status, 'UNCONFIRMED')
        const bulk = await service.call('POST', 'messages/retry', { status: 'FAILED' })
        assert.match(bulk.headers.get('x-warning') ?? '', /are left out\. To include them, set \/evenIfSent/)
      }
    })

    it('rejects a loss that ended before the newest data of the backup', async () => {
      await enroll(service, await anAutomation(service), await aContact(service))
      await markRestored(em())
      const lostUntil = new Date('2020-01-01T00:00:00Z')
      for (const refused of [enableSending(em(), lostUntil), reconcile(service.context.dependencies, { lostUntil })])
        await assert.rejects(refused, { message: /The backup has data from/ })
      assert.equal((await readSendingGate(em())).isOpen, false)
      await enableSending(em(), null)
      assert.deepEqual(await readSendingGate(em()), { isOpen: true, mail: 'smtp', lostUntil: null })
    })

    it('runs before a workflow that only a newer Temporal has is treated as ended', async () => {
      const ids = {
        automationId: await anAutomation(service),
        contactId: await aContact(service),
        enrollmentId: newId(),
      }
      const { automationId, enrollmentId } = ids
      const step = { workspaceId: service.workspaceId, automationId, enrollmentId, stepId: newId() }
      const triggerEventId = newId()
      const begin = () =>
        beginEnrollment({ em: em() } as never, {
          ...ids,
          instanceId: '',
          dedupKey: `event:${triggerEventId}`,
          triggerEventId,
          enrolledAt: new Date().toISOString(),
        })
      await markRestored(em())
      assert.equal((await look(service, step)).kind, 'disabled')
      await assert.rejects(begin(), /retrying until it is reconciled/)
      await enableSending(em(), null)
      assert.equal((await look(service, step)).kind, 'gone')
      assert.equal(await begin(), null)
    })

    it('ends the workflows of contacts who were removed before the reconciliation, including those that only Temporal has', async () => {
      const one = await waiting()
      // The database is from before this enrollment, when the contact was in another one.
      const earlier = newId()
      await sql(em(), 'delete from messages where enrollment_id = $1::uuid', [one.enrollmentId])
      await sql(em(), 'update enrollments set id = $2::uuid, dedup_key = $2::text where id = $1::uuid', [
        one.enrollmentId,
        earlier,
      ])
      await markRestored(em())
      const path = `automations/${one.automationId}/enrollments/${one.contactId}`
      assert.equal((await service.call('DELETE', path)).status, 200)
      assert.deepEqual(
        (await rowsOf(one.contactId)).map(({ status }) => status),
        ['CANCELLED', 'CANCELLED'],
      )
      await eventually('its workflow is over', async () =>
        (await statusIn(one.automationId, one.contactId)) === 'RUNNING' ? undefined : true,
      )
    })

    describe('after a restore that may have lost sent emails', () => {
      const lost = (until: Date) => sql(em(), 'update instance set lost_until = $1::timestamptz', [until.toISOString()])
      const mailsTo = (email: string) => sink.mails.filter((mail) => mail.to.includes(email)).length

      it('leaves emails due by then UNCONFIRMED, and their followers due by then, and sends the rest', async () => {
        const steps = ['one', 'two'].map((subject) => ({ ...EMAIL, subject }))
        const automationId = await anAutomation(service, {
          steps: [...steps, wait(60), { ...EMAIL, subject: 'three' }],
        })
        const contactId = await aContact(service)
        await service.stopWorkers()
        await enroll(service, automationId, contactId)
        await lost(new Date(Date.now() + 60_000))
        await service.startWorker()
        const all = await finalMessages(contactId, 2)
        assert.deepEqual(
          all.map(({ status }) => status),
          ['UNCONFIRMED', 'UNCONFIRMED'],
        )
        assert.match(all[0]!.error!, /it may have been sent/)
        // They identify the email in the mail server's log.
        const email = await addressOf(service, contactId)
        assert.equal(all[0]!.to, email)
        assert.match(all[0]!.messageId!, /^<\w+@example\.com>$/)
        assert.equal(mailsTo(email), 0)
      })

      it('leaves a transactional email UNCONFIRMED that a worker took while sending was disabled', async () => {
        await service.stopWorkers()
        await markRestored(em())
        const receipt = { to: 'receipt@example.com', subject: 'Receipt', text: 'Thank you' }
        const { id } = (await service.call('POST', 'emails', receipt)).body.data as { id: string }
        await service.startWorker()
        const isTaken = 'select from messages where id = $1::uuid and lease_until is not null'
        await eventually('a worker takes it', async () => (await sql(em(), isTaken, [id])).length > 0 || undefined)
        await differences()
        await sql(em(), 'update messages set lease_until = null where id = $1::uuid', [id])
        const status = await eventually('it is final', async () => {
          const { data } = (await service.call('GET', `emails/${id}`)).body as { data: { status: string } }
          return data.status === 'QUEUED' ? undefined : data.status
        })
        assert.equal(status, 'UNCONFIRMED')
      })

      it('leaves an email UNCONFIRMED whose earlier step runs again after the restore', async () => {
        const tagged = { type: 'UPDATE_CONTACT', addTags: ['restored'] }
        const branches = [{ name: 'yes', if: { tag: 'restored' }, steps: [EMAIL] }]
        const automationId = await anAutomation(service, { steps: [tagged, { type: 'CONDITION', branches, else: [] }] })
        const contactId = await aContact(service)
        await service.stopWorkers()
        await enroll(service, automationId, contactId)
        // The original ran both steps and sent the email before the loss. This instance runs them after it.
        await sql(em(), 'update instance set backed_up_at = now(), lost_until = now()')
        await service.startWorker()
        const [message] = await finalMessages(contactId, 1)
        assert.equal(message!.status, 'UNCONFIRMED')
        assert.equal(mailsTo(await addressOf(service, contactId)), 0)
      })

      for (const [begins, startedAt] of [
        ['before', `now() - interval '1 hour'`],
        ['after', 'now()'],
      ] as const)
        it(`sends an email after an event that arrives after the reconciliation, for a wait that began ${begins} the backup`, async () => {
          const eventName = `paid after the loss, waiting from ${begins}`
          const waits = { type: 'WAIT_FOR_EVENT', eventName, timeoutMinutes: 60, received: [EMAIL] }
          const automationId = await anAutomation(service, { steps: [waits] })
          const contactId = await aContact(service)
          await enroll(service, automationId, contactId)
          await eventually('it waits', async () => {
            const rows = await sql(em(), 'select from step_runs where contact_id = $1::uuid', [contactId])
            return rows.length > 0 || undefined
          })
          const of = 'where contact_id = $1::uuid'
          await sql(em(), `update enrollments set enrolled_at = now() - interval '1 hour' ${of}`, [contactId])
          await sql(em(), `update step_runs set started_at = ${startedAt} ${of}`, [contactId])
          // Reconciled a moment ago.
          await sql(em(), `update instance set backed_up_at = now() - interval '30 minutes', lost_until = now()`)
          await anEvent(service, contactId, eventName)
          const [message] = await finalMessages(contactId, 1)
          assert.equal(message!.status, 'SENT')
        })

      it('uses the time of an event, no matter how late it starts an enrollment', async () => {
        const automationId = await anAutomation(service, { triggerConfig: { eventName: 'before the loss' } })
        const contactId = await aContact(service)
        await service.stopWorkers()
        await anEvent(service, contactId, 'before the loss')
        // The event is older than the loss, and its enrollment began after it.
        await sql(
          em(),
          `update trigger_events set created_at = now() - interval '1 hour' where contact_id = $1::uuid`,
          [contactId],
        )
        await lost(new Date(Date.now() - 30 * 60_000))
        await service.startWorker()
        const [message] = await finalMessages(contactId, 1)
        assert.equal(message!.status, 'UNCONFIRMED')
        const later = await aContact(service)
        await enroll(service, automationId, later)
        assert.equal((await finalMessages(later, 1))[0]!.status, 'SENT')
      })
    })
  })

  describe('of an instance', () => {
    const isOpen = async () => (await readSendingGate(em())).isOpen

    /** Three messages: one is being sent, and two are to be retried. */
    async function withRetries() {
      const automationId = await anAutomation(service)
      const contacts = await Promise.all([1, 2, 3].map(() => aContact(service)))
      for (const contactId of contacts) {
        await enroll(service, automationId, contactId)
        await eventually('it is sent', async () =>
          (await activityOf(service, contactId))[0]?.status === 'SENT' ? true : undefined,
        )
      }
      await sql(
        em(),
        `update messages set status = 'FAILED', retry_at = now() where automation_id = $1::uuid and contact_id <> $2::uuid`,
        [automationId, contacts[0]],
      )
      await sql(
        em(),
        `update messages set status = 'SENDING', final_at = null, lease_until = now() + interval '30 seconds'
         where contact_id = $1::uuid`,
        [contacts[0]],
      )
      const statuses = async () => {
        const rows = await sql<{ status: string; retry_at: string | null }>(
          em(),
          'select status, retry_at from messages where automation_id = $1::uuid',
          [automationId],
        )
        return rows.map(({ status, retry_at }) => (retry_at === null ? status : 'to be retried')).toSorted()
      }
      return { statuses, automationId }
    }

    it('sends nothing, even if the backup has no row for the instance', async () => {
      const [row] = await sql<{ id: string }>(em(), 'delete from instance returning id')
      await markRestored(em())
      await sql(em(), 'update instance set id = $1::uuid', [row!.id])
      assert.equal(await isOpen(), false)
    })

    for (const [what, enable] of [
      ['reconciled', (lostUntil?: null) => reconcile(service.context.dependencies, { lostUntil })],
      ['waived', (lostUntil?: null) => enableSending(em(), lostUntil)],
    ] as const) {
      it(`makes retries UNCONFIRMED when that is ${what}, because they may have been sent`, async () => {
        const { statuses } = await withRetries()
        await markRestored(em())
        assert.deepEqual(await statuses(), ['UNCONFIRMED', 'to be retried', 'to be retried'])
        await enable()
        assert.deepEqual(await statuses(), ['UNCONFIRMED', 'UNCONFIRMED', 'UNCONFIRMED'])
        assert.equal(await isOpen(), true)
      })

      it(`retries immediately when that is ${what} and nothing was lost`, async () => {
        const { statuses, automationId } = await withRetries()
        await markRestored(em())
        await service.stopWorkers()
        await enable(null)
        assert.deepEqual(await statuses(), ['UNCONFIRMED', 'to be retried', 'to be retried'])
        const waking = `select from outbox where kind = 'WAKE_RETRIES' and automation_id = $1::uuid`
        assert.equal((await sql(em(), waking, [automationId])).length, 1)
        await service.startWorker()
      })
    }

    it('accepts no retries', async () => {
      await markRestored(em())
      const bulk = await service.call('POST', 'messages/retry', { status: 'FAILED' })
      assert.equal(bulk.refused, '503 not_reconciled')
    })

    it('is not changed by a reconciliation that is not needed', async () => {
      const { statuses } = await withRetries()
      const { isSending, wasSending } = await reconcile(service.context.dependencies)
      assert.deepEqual([isSending, wasSending], [true, true])
      assert.deepEqual((await readSendingGate(em())).lostUntil, null)
      assert.ok(!(await statuses()).includes('UNCONFIRMED'))
    })

    it('never reuses a revision of an automation or a draft', async () => {
      const id = await anAutomation(service, { steps: [EMAIL] })
      const path = `automations/${id}`
      const ifMatch = (etag: string) => ({ headers: { 'if-match': etag } })
      const revisionOf = (etag: string) => Number(etag.replaceAll('"', ''))
      const etagOf = async () => (await service.call('GET', path)).headers.get('etag')!
      const rename = () => service.call('PATCH', path, { name: 'Lost' })
      const before = await etagOf()
      const draft = { content: {}, basedOn: revisionOf(before) }
      const save = (etag: string) => service.call('PUT', `${path}/draft`, draft, ifMatch(etag))
      const kept = (await save('"0"')).headers.get('etag')!
      await rename()
      await rename()
      const read = await etagOf()
      const lost = (await save(kept)).headers.get('etag')!
      // The state in the backup.
      await sql(em(), 'update automations set revision = $2 where id = $1', [id, revisionOf(before)])
      await sql(em(), 'update automation_drafts set revision = $2 where automation_id = $1', [id, revisionOf(kept)])
      await sql(em(), `select setval('draft_revisions', $1::bigint)`, [revisionOf(kept)])
      await markRestored(em())
      await enableSending(em(), null)
      const restored = await service.call('GET', `${path}/draft`)
      assert.deepEqual([restored.body.data.isStale, restored.headers.get('etag')], [false, kept])
      await rename()
      await rename()
      const outdated = await service.call('PATCH', path, { name: 'Old' }, ifMatch(read))
      assert.equal(outdated.refused, '412 revision_conflict')
      await save(kept)
      assert.equal((await save(lost)).refused, '412 revision_conflict')
    })

    it('rejects a worker with another Temporal server until the database is marked as restored', async () => {
      await service.stopWorkers()
      await sql(em(), `update instance set temporal_namespace_id = gen_random_uuid()::text`)
      await assert.rejects(service.startWorker(), /uses another Temporal server/)
      await markRestored(em())
      await service.startWorker()
      assert.equal(await isOpen(), false)
    })
  })

  // Temporal's data comes from a backup and is older than the database, or is lost.
  describe('of a Temporal that is older than the database', () => {
    const waits = (automationId: string, contactId: string) =>
      eventually('it waits', async () => {
        const { wakeAt } = await handleOf(automationId, contactId).query(stateQuery)
        return wakeAt ?? undefined
      })
    const enrolledIn = async (automationId: string, contactId: string) =>
      (await handleOf(automationId, contactId).describe()).memo?.['enrollmentId']

    /** Creates an enrollment after its first email that Temporal does not have. */
    async function forgotten(trigger: object = {}) {
      const steps = [{ ...EMAIL, subject: 'first' }, wait(60), { ...EMAIL, subject: 'second' }]
      const automationId = await anAutomation(service, { steps, ...trigger })
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      const wakeAt = await waits(automationId, contactId)
      await deleteWorkflow(automationId, contactId)
      const [row] = await rowsOf(contactId)
      return { automationId, contactId, wakeAt, enrollmentId: row!.id }
    }

    for (const [way, again] of [
      ['a call', (automationId: string, contactId: string) => enroll(service, automationId, contactId)],
      [
        'a tag',
        (_automationId: string, contactId: string) =>
          service.call('POST', `contacts/${contactId}/tags`, { tags: ['a tag'] }),
      ],
    ] as const) {
      it(`continues a lost enrollment where it left off when the contact enters again through ${way}`, async () => {
        const { automationId, contactId, wakeAt, enrollmentId } = await forgotten({
          trigger: 'TAG_ADDED',
          triggerConfig: { tagName: way },
        })
        assert.ok((await again(automationId, contactId)).status < 300)
        // The wait began when the email was sent, according to every clock.
        assert.ok(Math.abs((await waits(automationId, contactId)) - wakeAt) < 5_000)
        assert.equal(await enrolledIn(automationId, contactId), enrollmentId)
        assert.deepEqual(await rowsOf(contactId), [{ id: enrollmentId, status: 'ACTIVE' }])
        assert.equal((await activityOf(service, contactId)).length, 1)
      })
    }

    describe('with more enrollments than a page', () => {
      withPageSizes({ reconciliation: 2 })

      it('resumes all of them in a reconciliation', async () => {
        const lost = [await forgotten(), await forgotten(), await forgotten()]
        await reconcile(service.context.dependencies, { lostUntil: null })
        for (const { automationId, contactId, enrollmentId } of lost)
          assert.equal(await enrolledIn(automationId, contactId), enrollmentId)
      })
    })

    it('treats a workflow that an operator has paused in Temporal as running', async () => {
      const automationId = await anAutomation(service, { steps: [wait(60)] })
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      const [row] = await rowsOf(contactId)
      const { dependencies, instance, temporal } = service.context
      for (const name of ['PAUSED', 'UNKNOWN']) {
        const describe = async () => ({ ...(await handleOf(automationId, contactId).describe()), status: { name } })
        const client = {
          withDeadline: (_deadline: unknown, call: () => Promise<unknown>) => call(),
          workflow: { ...temporal.workflow, getHandle: () => ({ describe }) },
        } as unknown as Client
        const enrollments = createEnrollments(client, 'unused', instance)
        assert.equal(
          (await enrollments.findRunning({ automationId, contactId, concurrencyKey: '' }))?.enrollmentId,
          row!.id,
        )
        const place = { automationId, contactId, concurrencyKey: '' }
        assert.equal(await isStillEnrolled({ ...dependencies, enrollments }, row!.id, place), true)
      }
      assert.deepEqual(await rowsOf(contactId), [row])
    })

    it('continues an enrollment that is paused in Temporal, but not in the database', async () => {
      const automationId = await anAutomation(service, { status: 'PAUSED' })
      const contactId = await aContact(service)
      // It was enrolled before.
      await sql(em(), `update automations set status = 'ACTIVE' where id = $1::uuid`, [automationId])
      await service.stopWorkers()
      await enroll(service, automationId, contactId)
      await sql(em(), `update automations set status = 'PAUSED' where id = $1::uuid`, [automationId])
      await service.startWorker()
      await eventually('it is paused', async () => {
        const { paused } = await handleOf(automationId, contactId).query(stateQuery)
        return paused || undefined
      })
      const [row] = await rowsOf(contactId)
      const place = { automationId, contactId, concurrencyKey: '' }
      const { dependencies } = service.context
      let signals = 0
      const enrollments = {
        ...dependencies.enrollments,
        wake: (...of: [Place]) => {
          signals += 1
          return dependencies.enrollments.wake(...of)
        },
      }
      assert.equal(await isStillEnrolled({ ...dependencies, enrollments }, row!.id, place), true)
      assert.equal(signals, 0, 'its automation is paused')
      // An older Temporal: the database has newer data.
      await sql(em(), `update automations set status = 'ACTIVE' where id = $1::uuid`, [automationId])
      await sql(em(), 'update enrollments set paused = false where id = $1::uuid', [row!.id])
      assert.equal(await isStillEnrolled(dependencies, row!.id, place), true)
      await eventually(
        'the email arrives',
        async () => (await activityOf(service, contactId)).length === 1 || undefined,
      )
    })

    describe('after losing an event', () => {
      const overdue = (eventName: string) =>
        sql(em(), `update trigger_events set created_at = now() - interval '20 minutes' where name = $1`, [eventName])
      const redeliver = () => sql(em(), `update outbox set due_at = now() where kind = 'REDELIVER'`)
      const received = (contactId: string) =>
        sql(em(), 'select from processed_events where contact_id = $1::uuid', [contactId])

      async function fired(eventName: string) {
        await service.stopWorkers()
        const automationId = await anAutomation(service, { triggerConfig: { eventName } })
        const contactId = await aContact(service)
        await anEvent(service, contactId, eventName)
        await eventually('Temporal has it', () => handleOf(automationId, contactId).describe())
        return { automationId, contactId }
      }

      it('gets it again, once', async () => {
        const { automationId, contactId } = await fired('forgotten')
        await deleteWorkflow(automationId, contactId)
        await overdue('forgotten')
        await service.startWorker()
        for (let times = 0; times < 2; times += 1) {
          await redeliver()
          await eventually(
            'the email arrives',
            async () => (await activityOf(service, contactId)).length === 1 || undefined,
          )
        }
        assert.equal((await rowsOf(contactId)).length, 1)
      })

      it('gets it immediately in a reconciliation, which reports it', async () => {
        const { automationId, contactId } = await fired('reconciled')
        const delivered = async (isDry = false) =>
          (await reconcile(service.context.dependencies, { isDry })).differences.filter(
            ({ what }) => what === 'delivered',
          )
        assert.deepEqual(await delivered(true), [])
        await deleteWorkflow(automationId, contactId)
        const difference = { enrollmentId: null, automationId, contactId, what: 'delivered' }
        assert.deepEqual(await delivered(true), [difference])
        assert.deepEqual(await delivered(), [difference])
        assert.deepEqual(await delivered(), [])
        await service.startWorker()
        await eventually(
          'the email arrives',
          async () => (await activityOf(service, contactId)).length === 1 || undefined,
        )
        assert.equal((await rowsOf(contactId)).length, 1)
      })

      it('does not get an event again if it is waiting for a worker or an operator has ended its workflow', async () => {
        const { automationId, contactId } = await fired('ended')
        await handleOf(automationId, contactId).terminate()
        await overdue('ended')
        await service.startWorker()
        await redeliver()
        await eventually('it is recorded', async () => (await received(contactId)).length === 1 || undefined)
        assert.deepEqual(await rowsOf(contactId), [])
      })
    })

    it('does not replace an enrollment that is recorded while a request finds none', async () => {
      const automationId = await anAutomation(service, { steps: [wait(60)] })
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      const before = await rowsOf(contactId)
      const write = {
        id: newId(),
        automationId,
        contactId,
        concurrencyKey: '',
        dedupKey: null,
        triggerEventId: null,
        enrolledAt: new Date(),
      }
      assert.equal(await recordEnrollment(em(), write, { supersedes: false }), undefined)
      assert.deepEqual(await rowsOf(contactId), before)
    })
  })
})
