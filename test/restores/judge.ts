import { setTimeout as delay } from 'node:timers/promises'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { eventually } from '../support/eventually.ts'
import { subjectOf } from '../support/busy-folder/make.ts'
import type { Product } from '../support/busy-folder/product.ts'
import type { Expected, Life } from './life.ts'

/** Milliseconds for which the instance works after the reconciliation before it is judged. */
const WORKS_MS = 5_000
/** Milliseconds after the reconciliation in which an email may have been sent by the original, whose clock was ahead. */
const CLOCK_SKEW_MS = 60_000

interface Listed {
  status: string
  subject: string | null
  to: string | null
  error: string | null
  createdAt: string
}

export interface Verdict {
  /** Sentences on what is wrong. */
  wrong: string[]
  /** Numbers for the report: messages by status, differences, contacts who waited for an event, and emails that are due later. */
  counts: Record<string, number>
}

/** Counts emails by mailbox and subject. */
function countMails(sinks: readonly SmtpSink[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const mail of sinks.flatMap(({ mails }) => mails)) {
    const of = `${String(mail.to)} ${subjectOf(mail)}`
    counts.set(of, (counts.get(of) ?? 0) + 1)
  }
  return counts
}

async function listMessages(product: Product): Promise<Listed[]> {
  const all: Listed[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = (await product.call('GET', `messages?limit=100${cursor && `&cursor=${cursor}`}`)) as {
      data: Listed[]
      pagination: { nextCursor: string | null }
    }
    all.push(...page.data)
    cursor = page.pagination.nextCursor
  }
  return all
}

/** Returns whether an email that is due later is still to be sent, or was sent in the meantime. */
async function isToCome(product: Product, { contactId, subject }: Expected, status: string): Promise<boolean> {
  if (status === 'SENT' || status === 'QUEUED') return true
  if (subject === 'scheduled') return false
  const { data } = (await product.call('GET', `contacts/${contactId}/enrollments?limit=50`)) as {
    data: { status: string; nextAt: string | null }[]
  }
  return data.some(({ status: of, nextAt }) => of === 'ACTIVE' && nextAt !== null && Date.parse(nextAt) > Date.now())
}

/**
 * Reconciles a restored instance, sends the events for which contacts wait, and compares its emails with those of the original.
 * @param original the mail server of the original; nothing reaches it any more
 * @param restored the mail server of the restored instance
 * @param savedAt when the backup began, in milliseconds since 1970
 */
export async function judge(
  product: Product,
  life: Life,
  { original, restored, savedAt }: { original: SmtpSink; restored: SmtpSink; savedAt: number },
): Promise<Verdict> {
  const wrong: string[] = []
  if (restored.mails.length > 0) wrong.push(`It sent ${restored.mails.length} emails before it was reconciled`)
  const done = JSON.parse(await product.cli('reconcile', '--json')) as { failed: number; differences: unknown[] }
  const reconciledAt = Date.now()
  if (done.failed > 0) wrong.push(`${done.failed} enrollments could not be reconciled`)

  // People whom the backup has, and who still wait.
  const before = await listMessages(product)
  const waitsIn = new Set(before.filter(({ subject }) => subject === 'awaits 1').map(({ to }) => to))
  const waiting = life.waiting.filter(({ email }) => waitsIn.has(email))
  for (const { contactId } of waiting) await product.call('POST', `contacts/${contactId}/events`, { name: 'go' })
  await eventually(
    'everyone who waited for an event has their email',
    () => waiting.every(({ email }) => countMails([restored]).has(`${email} awaits 2`)) || undefined,
    60_000,
  ).catch(() => undefined)
  await delay(Math.max(0, reconciledAt + WORKS_MS - Date.now()))

  const messages = await eventually('no email is in flight', async () => {
    const all = await listMessages(product)
    return all.some(({ status }) => status === 'SENDING') ? undefined : all
  })
  const mails = countMails([original, restored])
  // A message that becomes UNCONFIRMED has no content, so what was not sent has no subject.
  const statusOf = ({ email, subject }: Expected) =>
    messages.find((each) => each.to === email && each.subject === subject)?.status ?? 'not sent'
  for (const one of waiting)
    if (statusOf(one) !== 'SENT') wrong.push(`${one.subject} to ${one.email} is ${statusOf(one)}`)
  const later = life.timed.filter(({ at }) => at > reconciledAt + CLOCK_SKEW_MS)
  for (const one of later.filter(({ answeredAt }) => answeredAt < savedAt))
    if (!(await isToCome(product, one, statusOf(one))))
      wrong.push(`${one.subject} to ${one.email} is due later, but nothing waits for it`)
  for (const [of, count] of mails) if (count > 1) wrong.push(`${of} was sent ${count} times`)
  for (const { status, to, subject } of messages)
    if (status === 'SENT' && !mails.has(`${to} ${subject}`))
      wrong.push(`${subject} to ${to} is SENT, but did not arrive`)
  // An enrollment that begins or ends during the comparison can differ for a moment.
  let left: unknown[] = []
  await eventually(
    'the database and Temporal agree',
    async () => {
      const again = JSON.parse(await product.cli('reconcile', '--dry-run', '--json')) as { differences: unknown[] }
      left = again.differences
      return left.length === 0 || undefined
    },
    30_000,
  ).catch(() => wrong.push(`After the reconciliation there are differences: ${JSON.stringify(left)}`))
  const byStatus = Map.groupBy(messages, ({ status }) => status)
  const counts = Object.fromEntries([...byStatus].map(([status, these]) => [status, these.length]))
  return {
    wrong,
    counts: { ...counts, differences: done.differences.length, waited: waiting.length, later: later.length },
  }
}
