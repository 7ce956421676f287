import { CounterChanges, type DomainColumn, NO_STEP, variantStep, writeCounterChanges } from '../counters/index.ts'
import { domainKey } from '../platform/email-address.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import type { MessageEventType, WebhookFact } from '../webhooks/index.ts'
import type { MessageResult, MessageStatus } from './message.ts'

/** The part of a message that is counted. */
interface CountedState {
  status: MessageStatus
  variant: number | null
  isOpened: boolean
  isClicked: boolean
  results: readonly MessageResult[]
  /** The recipient's domain as spelled; `null` if the row stores no recipient. */
  domain: string | null
  /** The UTC day for which it counts for the domain: when it was sent, captured or failed. `null` if it does not count. */
  day: string | null
}

/** A change of a message, as its statement returns it. `was` is null for a new message, `state` if it was deleted. */
export interface MessageChange {
  id: string
  workspaceId: string
  automationId: string | null
  campaignId: string | null
  stepId: string | null
  createdAt: string
  was: CountedState | null
  state: CountedState | null
}

/** SQL: a `CountedState`. */
const stateOf = (row: string): string => {
  const fields = [
    `'status', ${row}.status, 'variant', ${row}.variant, 'results', ${row}.results`,
    `'isOpened', ${row}.opened_at is not null, 'isClicked', ${row}.clicked_at is not null`,
    `'domain', split_part(${row}.recipient, '@', -1)`,
    `'day', (case when ${row}.status in ('SENT', 'CAPTURED') then ${row}.sent_at when ${row}.status = 'FAILED' then ${row}.final_at end at time zone 'UTC')::date`,
  ]
  return `case when ${row}.id is not null then jsonb_build_object(${fields.join(', ')}) end`
}

const identityOf = (valueOf: (column: string) => string): string =>
  ['workspace_id', 'automation_id', 'campaign_id', 'step_id', 'created_at']
    .map(
      (column) =>
        `${valueOf(column)} as "${column.replace(/_(\w)/, (_match, letter: string) => letter.toUpperCase())}"`,
    )
    .join(', ')

/** SQL: the columns of a `MessageChange`, for RETURNING. */
export const CHANGED = [
  'coalesce(new.id, old.id) as id',
  identityOf((column) => `coalesce(new.${column}, old.${column})`),
  `${stateOf('old')} as was`,
  `${stateOf('new')} as state`,
].join(', ')

/** The event of each status that has one. */
const EVENT_OF: Partial<Record<MessageStatus, MessageEventType>> = {
  SENT: 'message.sent',
  CAPTURED: 'message.sent',
  DEFERRED: 'message.deferred',
  FAILED: 'message.failed',
  UNCONFIRMED: 'message.unconfirmed',
  SUPPRESSED: 'message.suppressed',
}

/** Returns the facts for webhooks of changes of messages. */
export const factsOf = (rows: readonly MessageChange[]): WebhookFact[] =>
  rows.flatMap(({ id: messageId, workspaceId, was, state }) => {
    if (!state) return []
    const statusEvent = was?.status === state.status ? undefined : EVENT_OF[state.status]
    const types: MessageEventType[] = [
      ...(statusEvent ? [statusEvent] : []),
      ...(was && !was.isOpened && state.isOpened ? (['message.opened'] as const) : []),
      ...(was && !was.isClicked && state.isClicked ? (['message.clicked'] as const) : []),
    ]
    return types.map((type) => ({ type, workspaceId, messageId }))
  })

/**
 * Counts changes of messages, in the transaction that makes them. Every statement that writes `messages` returns its changes for
 * this, if it changes what is counted. The statements are sent together.
 */
export async function countChanges(em: EntityManager, rows: readonly MessageChange[]): Promise<void> {
  const changes = new CounterChanges()
  for (const row of rows) {
    if (row.was) addMessage(changes, row, row.was, -1)
    if (row.state) addMessage(changes, row, row.state, 1)
  }
  await writeCounterChanges(em, changes)
}

/** Subtracts deleted messages. */
export function subtractMessages(changes: CounterChanges, deleted: readonly MessageChange[]): void {
  for (const row of deleted) if (row.was) addMessage(changes, row, row.was, -1)
}

/** The step under which a message is counted: of its automation, or for its variant. */
export const countedStep = (stepId: string | null, variant: number | null): string =>
  stepId ?? (variant === null ? NO_STEP : variantStep(variant))

/** The columns of a domain's numbers for the results of messages. */
const COLUMN_OF: Record<MessageResult, DomainColumn> = {
  REJECTED: 'rejected',
  HARD_BOUNCED: 'hard_bounced',
  SOFT_BOUNCED: 'soft_bounced',
  BLOCKED: 'blocked',
  COMPLAINED: 'complained',
  UNSUBSCRIBED: 'unsubscribed',
  MACHINE_OPENED: 'machine_opened',
}

/** Adds messages that are in one state to the counters, or subtracts them. */
function addMessage(
  changes: CounterChanges,
  { workspaceId, automationId, campaignId, stepId, createdAt }: Omit<MessageChange, 'id' | 'was' | 'state'>,
  { status, variant, isOpened, isClicked, results, domain, day }: CountedState,
  change: number,
): void {
  const subject = automationId ?? campaignId ?? NO_STEP
  const key = { workspaceId, automationId: subject, stepId: countedStep(stepId, variant), at: toDate(createdAt) }
  for (const counter of [status, ...results]) changes.add(key, counter, change)
  if (isOpened) changes.add(key, 'OPENED', change)
  if (isClicked) changes.add(key, 'CLICKED', change)
  if (domain === null || day === null) return
  const of = { workspaceId, domain: domainKey(domain), day }
  const add = (column: DomainColumn) => changes.addToDomain(of, column, change)
  // Of a failed message, only its rejection counts; of a message that was sent later, everything else.
  if (status === 'FAILED') {
    if (results.includes('REJECTED')) add('rejected')
    return
  }
  add('sent')
  for (const result of results) if (result !== 'REJECTED') add(COLUMN_OF[result])
  if (isOpened) add('opened')
  if (isClicked) add('clicked')
}

/** Counts all messages again. */
export async function recountMessages(em: EntityManager, changes: CounterChanges): Promise<void> {
  const quarter = `date_bin('15 minutes', message.created_at, timestamptz 'epoch')`
  const rows = await sql<Omit<MessageChange, 'id' | 'was'> & { state: CountedState; count: number }>(
    em,
    `select ${identityOf((column) => (column === 'created_at' ? quarter : `message.${column}`))}, ${stateOf('message')} as state,
       count(*)::integer
     from messages message group by 1, 2, 3, 4, 5, 6`,
  )
  for (const row of rows) addMessage(changes, row, row.state, row.count)
}
