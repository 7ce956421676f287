import assert from 'node:assert/strict'
import type { StoredStep } from '../../src/automation-engine/index.ts'
import type { Decision } from '../../src/steps/decision-queries.ts'
import { sentenceOf } from '../../src/steps/decision-sentences.ts'

const at = new Date('2026-03-02T09:00:00.000Z')
const later = new Date('2026-03-02T11:30:00.000Z')
const id = '01981e61-0000-7000-8000-000000000001'

function sentence(step: object | null, given: Partial<Decision>): string {
  const stored = step && ({ id, ...step } as StoredStep)
  return sentenceOf({
    ...{ id, kind: 'STEP', at, finishedAt: later, automationId: id, automationName: 'Trial', campaignId: null },
    ...{ enrollmentId: id, version: 1, enrollmentEndedAt: null },
    ...{
      stepId: id,
      stepType: stored?.type ?? null,
      step: stored,
      result: { next: 'continue' },
      until: null,
      detail: {},
    },
    ...{ rule: null, place: { micros: '0', id } },
    ...given,
  })
}
const branch = (name: string) => ({ result: { next: 'continue', branch: name } }) as const

describe('the sentence of a decision', () => {
  it('has the branch of a condition and the values that were compared', () => {
    const step = { type: 'CONDITION', branches: [{ name: 'Pro', if: { metadata: 'plan', is: 'present' } }] } as const
    const values = [
      { name: 'contact.metadata.plan', value: 'pro' },
      { name: 'event.data.total', value: 90 },
      { name: 'steps.crm.score', value: null },
    ]
    assert.equal(
      sentence(step, { ...branch('0'), detail: { matches: [true], values } }),
      'Took the branch “Pro”: its condition was the first that matched. Compared: plan “pro”, total 90, crm.score missing.',
    )
    assert.equal(
      sentence(step, { ...branch('else'), detail: { matches: [false] } }),
      'Took the else branch: no condition matched.',
    )
  })

  it('has the share of a random split', () => {
    const branches = [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 3 },
    ]
    assert.equal(
      sentence({ type: 'SPLIT', branches } as const, branch('1')),
      'Took the branch “B” of the random split, which 75% of contacts take.',
    )
  })

  it('has the event, its limit and the time until it arrived', () => {
    const step = { type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: 1_500 } as const
    const waiting = { finishedAt: null, result: null, until: later }
    assert.equal(sentence(step, waiting), 'Waits for paid until 2026-03-02T11:30:00.000Z, at most 1 day 1 hour.')
    assert.equal(sentence(step, branch('received')), 'Waited for paid; received it after 2 hours 30 minutes.')
    assert.equal(
      sentence({ ...step, filter: { eventData: 'total', is: 'present' } } as const, {
        ...branch('received'),
        finishedAt: new Date(at.getTime() + 1_000),
      }),
      'Waited for paid that matches the filter; received it within a minute.',
    )
    assert.equal(sentence(step, branch('timedOut')), 'Waited for paid; timed out after 1 day 1 hour.')
  })

  it('has the target of a wait', () => {
    const until = {
      field: 'contact.metadata.renewal',
      offsetMinutes: -2_880,
      timeOfDay: '09:00',
      weekdays: ['MON', 'FRI'],
    }
    const step = { type: 'WAIT_UNTIL', until, timezone: 'contact', ifPast: 'exit' }
    const target = '2 days before contact.metadata.renewal, at 09:00, on Monday or Friday, in Europe/Paris'
    const detail = { until: later.toISOString(), timezone: 'Europe/Paris' }
    const wait = (time: string, enrollmentEndedAt: Date | null = null) =>
      sentence(step, { result: { next: 'wait', until: 0 }, detail: { ...detail, until: time }, enrollmentEndedAt })
    const workdays = { ...step, until: { weekdays: ['FRI', 'MON', 'TUE', 'WED', 'THU'] } }
    const onWorkdays = sentence(workdays, {
      result: { next: 'wait', until: 0 },
      detail: { until: later.toISOString() },
    })
    assert.equal(onWorkdays, `Waited until ${later.toISOString()}: on weekdays.`)
    assert.equal(wait('2999-03-02T11:30:00.000Z'), `Waits until 2999-03-02T11:30:00.000Z: ${target}.`)
    const past = '2026-03-02T11:30:00.000Z'
    assert.equal(wait(past), `Waited until ${past}: ${target}.`)
    assert.equal(wait(past, new Date('2026-03-02T11:30:05Z')), `Waited until ${past}: ${target}.`)
    assert.equal(wait(past, new Date('2026-03-01T00:00:00Z')), `Was to wait until ${past}: ${target}.`)
    assert.equal(
      sentence(step, { result: { next: 'end', status: 'EXITED' }, detail }),
      `The time 2026-03-02T11:30:00.000Z was in the past (${target}), so the contact left the automation.`,
    )
    assert.equal(
      sentence(step, { detail: { ...detail, until: null } }),
      `There is no time to wait for (${target}), so the contact continued.`,
    )
  })

  it('names what an update changed, and what it skipped', () => {
    const change = { set: { firstName: 'Ada', metadata: { plan: 'pro' } }, addTags: ['vip'], addToLists: [id] }
    assert.equal(
      sentence({ type: 'UPDATE_CONTACT', ...change } as const, { detail: { skipped: ['List not found.'] } }),
      'Updated the contact: set firstName, plan; added the tag vip; added to 1 list. Skipped: List not found.',
    )
  })

  it('names the host of a webhook, but not its path', () => {
    const url = 'https://crm.example/hooks/secret'
    const step = { type: 'WEBHOOK', url, method: 'POST', headers: {}, body: null, saveAs: null } as const
    assert.equal(
      sentence(step, { detail: { status: 200, attempt: 2, isDone: true } }),
      'Called the webhook at crm.example: the server answered 200 (attempt 2).',
    )
    assert.equal(
      sentence(step, { detail: { status: 503, attempt: 1 }, finishedAt: null, result: null, until: later }),
      'Calls the webhook at crm.example: the server answered 503. Next attempt at 2026-03-02T11:30:00.000Z.',
    )
    assert.equal(
      sentence(step, { detail: { isDone: false } }),
      'The webhook at crm.example failed. The contact continued.',
    )
  })

  it('has the rule of a refused entry, and the error of an email', () => {
    assert.equal(
      sentence(null, { kind: 'ENTRY', rule: 'REENTRY' }),
      'Was not enrolled: the re-entry rule does not allow another enrollment now.',
    )
    assert.equal(
      sentence(null, { kind: 'EMAIL', rule: 'The address is suppressed.' }),
      'The email was not sent: The address is suppressed.',
    )
  })

  it('has the rule by which an enrollment ended', () => {
    const end = (rule: string, detail: Record<string, unknown> = {}) => sentence(null, { kind: 'END', rule, detail })
    assert.equal(end('GOAL_REACHED', { eventName: 'paid' }), 'Reached the goal: received paid.')
    assert.equal(end('EXITED', { condition: { tag: 'gone' } }), 'Exited by an exit rule: a condition was true.')
    assert.equal(end('EXITED', { cause: 'EXIT_STEP' }), 'Exited at a step.')
    assert.equal(end('CANCELLED', { cause: 'REQUEST', requestId: 'r-1' }), 'Was cancelled by the request r-1.')
    assert.equal(end('EXITED', { event: 'unsubscribed' }), 'Exited by an exit rule: the contact opted out.')
  })
})
