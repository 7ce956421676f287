import { array, number, object, type InferType } from 'yup'
import { count, id, nullableText, timestamp } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type TransactionalCounts, type TransactionalGroup, transactionalGroups } from './transactional-queries.ts'

/** The transactional emails of the last hours. */
export interface TransactionalReport {
  hours: number
  total: TransactionalCounts
  groups: TransactionalGroup[]
}

const NONE: TransactionalCounts = {
  emails: 0,
  delivered: 0,
  bounced: 0,
  failed: 0,
  waiting: 0,
  suppressed: 0,
  unconfirmed: 0,
  medianSeconds: null,
  p95Seconds: null,
  lastSentAt: null,
}

/** Reads the transactional emails of a workspace, in total and by template. @param hours up to now */
export async function getTransactionalReport(
  em: EntityManager,
  workspaceId: string,
  hours: number,
): Promise<TransactionalReport> {
  const rows = await transactionalGroups(em, workspaceId, hours)
  return { hours, total: rows.find(({ isTotal }) => isTotal) ?? NONE, groups: rows.filter(({ isTotal }) => !isTotal) }
}

const seconds = (description: string, example: number) =>
  number().min(0).nullable().defined().meta({ description, example })

const countFields = {
  emails: count('Accepted emails, without cancelled ones. The other counts add up to it.', 1_204),
  delivered: count('Those that were sent or captured, and did not bounce.', 1_190),
  bounced: count('Those that were sent and bounced.', 4),
  failed: count('Those that were rejected.', 2),
  waiting: count('Those that are queued, being sent or deferred.', 6),
  suppressed: count('Those to addresses that must not be mailed.', 2),
  unconfirmed: count('Those whose outcome is not known.', 0),
  medianSeconds: seconds('The median time from when an email was due until a mail server accepted it.', 0.6),
  p95Seconds: seconds('The 95th percentile of these times; null with fewer than 20 emails.', 1.4),
  lastSentAt: timestamp('When the last one was sent.').nullable().defined(),
}

/** `GET /reports/transactional`. */
export const transactionalResponse = object({
  hours: number().integer().min(1).required().meta({ example: 24 }),
  total: object(countFields).required().meta({ component: 'TransactionalCounts' }),
  groups: array()
    .of(
      object({
        templateId: id('template').nullable().defined(),
        templateName: nullableText('The name of the template; null without one, or if it was deleted.', 'Receipt'),
        tag: nullableText('The first tag of emails without a template.', null),
        ...countFields,
      })
        .required()
        .meta({ component: 'TransactionalGroup' }),
    )
    .required()
    .meta({ description: 'By template, and by tag without one: the 100 with most emails.' }),
})
  .required()
  .meta({ component: 'TransactionalReport', description: 'The transactional emails of the last hours.' })

/** Rounds seconds to milliseconds. */
const toMilliseconds = (value: number | null) => (value === null ? null : Math.round(value * 1_000) / 1_000)

const presentCounts = ({ lastSentAt, ...counts }: TransactionalCounts) => ({
  emails: counts.emails,
  delivered: counts.delivered,
  bounced: counts.bounced,
  failed: counts.failed,
  waiting: counts.waiting,
  suppressed: counts.suppressed,
  unconfirmed: counts.unconfirmed,
  medianSeconds: toMilliseconds(counts.medianSeconds),
  p95Seconds: toMilliseconds(counts.p95Seconds),
  lastSentAt: lastSentAt?.toISOString() ?? null,
})

export const presentTransactional = ({
  hours,
  total,
  groups,
}: TransactionalReport): InferType<typeof transactionalResponse> => ({
  hours,
  total: presentCounts(total),
  groups: groups.map(({ templateId, templateName, tag, ...counts }) => ({
    templateId,
    templateName,
    tag,
    ...presentCounts(counts),
  })),
})
