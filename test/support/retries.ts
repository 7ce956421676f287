import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { Delivery } from '../../src/outbox/queries.ts'
import { runBatchJob } from '../../src/relay/batch-jobs.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { eventually } from './eventually.ts'
import { aContact, addressOf, anAutomation, EMAIL, enroll, wait } from './factories.ts'
import type { Answer, CallOptions, Service } from './service.ts'
import { useServiceAndSink } from './shared-service.ts'

/** A message as in the response to `GET /messages`. */
export interface Listed {
  id: string
  status: string
  contactId: string
  retryAt: string | null
  error: string | null
  attempts: number
  messageId: string | null
  to: string | null
}

/** A message with the result of its first attempt, and its contact. */
export interface Tried {
  id: string
  contactId: string
  automationId: string
}

/** Runs one page of a batch job, as the relay would. */
export const runPage = (
  service: Service,
  of: Pick<Delivery, 'id' | 'generation' | 'kind'> & Partial<Delivery>,
): Promise<unknown> =>
  runBatchJob(service.context.dependencies, {
    ...{ workspaceId: null, automationId: null, contactId: null, eventId: null, enrollmentId: null, messageId: null },
    ...{
      campaignId: null,
      importId: null,
      rehearsalId: null,
      accountId: null,
      webhookId: null,
      invitationId: null,
      concurrencyKey: '',
    },
    ...{ afterId: null, attempts: 1 },
    ...of,
  })

/** A service and the mail server that it delivers to, for one suite, with helpers for messages. */
export class Retries {
  service!: Service
  sink!: SmtpSink

  constructor() {
    useServiceAndSink((started) => Object.assign(this, started))
  }

  em = (): EntityManager => this.service.context.orm.em.fork()

  retry = (id: string, body: object = {}, options: CallOptions = {}): Promise<Answer> =>
    this.service.call('POST', `messages/${id}/retry`, body, options)

  retryAll = (body: object, options: CallOptions = {}): Promise<Answer> =>
    this.service.call('POST', 'messages/retry', body, options)

  /** Returns the newest message of a contact. */
  newest = async (contactId: string): Promise<Listed> => {
    const { body } = await this.service.call('GET', `messages?contactId=${contactId}`)
    return (body.data as Listed[])[0]!
  }

  mailsTo = async (contactId: string): Promise<number> => {
    const to = await addressOf(this.service, contactId)
    return this.sink.mails.filter((mail) => mail.to.includes(to)).length
  }

  becomes = (contactId: string, status: string): Promise<Listed> =>
    eventually(`its status is ${status}`, async () => {
      const message = await this.newest(contactId)
      return message?.status === status && message.retryAt === null ? message : undefined
    })

  /** Creates a contact whose first email has this result; the enrollment waits before the second email. */
  one = async (
    status: 'FAILED' | 'UNCONFIRMED' | 'CAPTURED' | 'SENT',
    fields: object = {},
    of?: string,
  ): Promise<Tried> => {
    const automationId = of ?? (await anAutomation(this.service, { steps: [EMAIL, wait(60), EMAIL], ...fields }))
    const contactId = await aContact(this.service)
    if (status === 'FAILED') this.sink.behave({ code: 550, text: 'refused', at: 'rcpt' })
    await enroll(this.service, automationId, contactId)
    const { id } = await this.becomes(contactId, status === 'FAILED' ? 'FAILED' : 'SENT')
    this.sink.behave('accept')
    await sql(this.em(), `update messages set status = $2 where id = $1::uuid`, [id, status])
    return { id, contactId, automationId }
  }
}
