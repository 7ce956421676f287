import assert from 'node:assert/strict'
import fc from 'fast-check'
import { loadWorkspace } from '../../packages/testing/src/index.ts'
import type { StepInput } from '../../src/automations/index.ts'
import { aCase, inOrder, numbered } from '../steps/random-automations.ts'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** `TESTING_CASES=500` runs more drawn cases, and `TESTING_SEED` those of a failed run. */
const CASES = Number(process.env['TESTING_CASES'] ?? 25)
const SEED = process.env['TESTING_SEED']
const DAY = 24 * 60
const DAYS = 366
const START = '2027-03-01T09:00:00.000Z'
const email = (subject: string, fields: object = {}) => ({
  ...{ type: 'EMAIL', subject, text: 'For {{ contact.email }}', category: 'transactional' },
  ...fields,
})
const wait = (days: number) => ({ type: 'WAIT', delayMinutes: days * DAY })

interface Entry {
  at: string
  type: string
  suppressedBy: string | null
}
interface Supposed {
  eventName: string
  afterMinutes: number
  data?: Record<string, unknown>
}
interface Example {
  automation: object
  contact?: object
  events?: Supposed[]
  data?: Record<string, unknown>
  responses?: Record<string, unknown>
}

/** The words of a timeline for the types of the API. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ ENTERED: 'Entered', REFUSED: 'Refused', EMAIL: 'Email', WAIT: 'Wait', BRANCH: 'Branch', CHANGE: 'Change' },
  ...{ WEBHOOK: 'Webhook', EVENT: 'Event', COMPLETED: 'Completed', EXITED: 'Exited', GOAL_REACHED: 'Goal' },
}

/** Completes drawn steps: the API requires two branches of a SPLIT, and marketing emails would have a footer. */
function completed(steps: StepInput[]): StepInput[] {
  for (const step of inOrder(steps)) {
    if (step.type === 'EMAIL') step.category = 'transactional'
    if (step.type === 'SPLIT' && step.branches.length === 1) step.branches.push({ name: 'None', weight: 0, steps: [] })
  }
  return steps
}

describe('@dripline/testing, compared with rehearsals of the API', () => {
  let own: Service
  /** The names of the workspace's lists and segments, by their IDs. */
  const names = new Map<string, string>()
  let lists: Record<'news' | 'club', string>
  let vips: string

  before(async () => {
    own = await openWorkspace({ worker: false })
    lists = { news: await aList(own), club: await aList(own) }
    const condition = { all: [{ tag: 'vip' }, { not: { list: lists.club } }] }
    vips = (await own.call('POST', 'segments', { name: 'VIPs', condition })).body.data.id
    for (const [id, name] of [...Object.entries(lists).map(([name, id]) => [id, name]), [vips, 'VIPs']])
      names.set(id!, name!)
  })

  const withNames = <Json>(json: Json): Json =>
    JSON.parse([...names].reduce((text, [id, name]) => text.replaceAll(id, name), JSON.stringify(json))) as Json

  /** Runs an automation in both. @returns the number of emails */
  async function compare({ automation, contact: fields = {}, events = [], data, responses = {} }: Example) {
    const automationId = await anAutomation(own, automation)
    const { body: stored } = await own.call('GET', `automations/${automationId}`)
    const contactId = await aContact(own, fields)
    const { body: contact } = await own.call('GET', `contacts/${contactId}`)
    const { status, body } = await own.call('POST', `automations/${automationId}/rehearse`, {
      ...{ contactId, startAt: START, days: DAYS, events, responses },
      ...(data && { data }),
    })
    assert.equal(status, 200, JSON.stringify(body))

    const { name, trigger, triggerConfig, entry, exitOn, goal, steps } = stored.data
    const workspace = await loadWorkspace(
      {
        lists: [{ name: 'news' }, { name: 'club' }],
        segments: [{ name: 'VIPs', condition: { all: [{ tag: 'vip' }, { not: { list: 'club' } }] } }],
        automations: [withNames({ name, trigger, triggerConfig, entry, exitOn, goal, steps })],
      },
      { startAt: START, responses },
    )
    const { email: address, firstName, metadata, tags, listIds, createdAt } = contact.data
    const tested = workspace.contact({
      ...{ id: contactId, email: address, firstName, metadata, tags, createdAt },
      lists: (listIds as string[]).map((id) => names.get(id)!),
    })
    workspace.enroll(tested, name, data)
    for (const { eventName, afterMinutes, data: eventData } of events) {
      workspace.advanceTo(new Date(Date.parse(START) + afterMinutes * 60_000).toISOString())
      workspace.event(tested, eventName, eventData)
    }
    workspace.advanceTo(String(body.data.until))

    const { outcome, rendered } = body.data
    const { status: end, refusedBy } = workspace.enrollment(tested, name)
    assert.equal(end === 'ACTIVE' ? 'UNFINISHED' : (refusedBy ?? end), outcome)
    assert.deepEqual(
      workspace.emails(tested).map(({ at, subject, html, text }) => [at, subject, html, text]),
      (rendered as { at: string; subject: string; html: string; text: string }[]).map(({ at, subject, html, text }) => [
        ...[at, subject, html, text],
      ]),
    )
    const entries = (body.data.timeline as (Entry & { status: string | null })[]).filter(
      ({ type }) => type !== 'UNFINISHED',
    )
    assert.deepEqual(
      workspace
        .timeline(tested, name)
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/ {2,}/).slice(0, 2).join(' ')),
      entries.map(({ at, type, status: ended }) => `${at.slice(0, 16).replace('T', ' ')} ${WORDS[ended ?? type]}`),
    )
    return rendered.length as number
  }

  const examples: [what: string, emails: number, of: () => Example][] = [
    [
      'waits, branches and changes',
      3,
      () => ({
        contact: { firstName: 'Ada <3', tags: ['vip'], listId: lists.news },
        automation: {
          steps: [
            email('Hello {{ contact.firstName }}', { html: '<p>{{ contact.firstName }}</p>', text: null }),
            wait(2),
            {
              type: 'CONDITION',
              branches: [
                {
                  name: 'VIP',
                  if: { all: [{ segment: vips }, { list: lists.news }] },
                  steps: [
                    { type: 'UPDATE_CONTACT', set: { metadata: { level: 2 } }, addToLists: [lists.club] },
                    email('Level {{ contact.metadata.level }}'),
                  ],
                },
              ],
              else: [{ type: 'EXIT' }],
            },
            { type: 'CONDITION', branches: [{ name: 'Still', if: { segment: vips }, steps: [{ type: 'EXIT' }] }] },
            email('Out of the segment'),
          ],
        },
      }),
    ],
    [
      'times of day in the zone of the contact, over a change of the clocks',
      2,
      () => ({
        contact: { metadata: { timezone: 'UTC', due: '2027-03-28' } },
        automation: {
          steps: [
            {
              type: 'WAIT_UNTIL',
              until: { field: 'contact.metadata.due', offsetMinutes: -60 },
              timezone: 'Europe/Berlin',
            },
            email('{{ "2027-03-28T12:00:00Z" | date: "%H:%M" }}'),
            { type: 'WAIT_UNTIL', until: { timeOfDay: '09:30', weekdays: ['TUE'] }, timezone: 'Europe/Berlin' },
            email('Tuesday'),
          ],
        },
      }),
    ],
    [
      'an awaited event, and one that arrived before',
      2,
      () => ({
        data: { size: 1 },
        events: [
          { eventName: 'Created', afterMinutes: DAY, data: { size: 1 } },
          { eventName: 'ordered', afterMinutes: 5 * DAY },
        ],
        automation: {
          steps: [
            wait(2),
            { type: 'WAIT_FOR_EVENT', eventName: 'created', timeoutMinutes: DAY, received: [email('Before')] },
            { type: 'WAIT_FOR_EVENT', eventName: 'ordered', timeoutMinutes: 9 * DAY, received: [email('Ordered')] },
          ],
        },
      }),
    ],
    [
      'a goal, and an exit rule that time fulfils',
      1,
      () => ({
        contact: { metadata: { until: '2027-03-05T00:00:00Z' } },
        automation: {
          goal: { eventName: 'paid' },
          exitOn: [{ condition: { metadata: 'until', is: 'olderThan', value: '1d' } }],
          steps: [email('First'), wait(30), email('Second')],
        },
      }),
    ],
    [
      'a split by the IDs of the contact and the step',
      1,
      () => ({
        automation: {
          steps: [
            {
              type: 'SPLIT',
              branches: ['A', 'B', 'C', 'D'].map((each) => ({ name: each, weight: 1, steps: [email(each)] })),
            },
          ],
        },
      }),
    ],
    [
      'the response of a webhook',
      1,
      () => ({
        responses: { hook: { seats: [3] } },
        automation: {
          steps: [
            { type: 'WEBHOOK', url: 'https://example.com/', saveAs: 'hook' },
            {
              type: 'CONDITION',
              branches: [
                {
                  name: 'Many',
                  if: { stepData: 'hook.seats', is: 'more', value: 2 },
                  steps: [email('{{ steps.hook.seats[0] }}')],
                },
              ],
            },
          ],
        },
      }),
    ],
    ['a filter that keeps the contact out', 0, () => ({ automation: { entry: { filter: { tag: 'vip' } } } })],
  ]
  for (const [what, emails, of] of examples)
    it(`agrees about ${what}`, async () => assert.equal(await compare(of()), emails))

  it(`agrees about ${CASES} drawn automations and events`, async function () {
    this.timeout(60_000 + CASES * 5_000)
    let emails = 0
    const property = fc.asyncProperty(aCase, async ({ steps, goal, exitOn, metadata, due, startData, happenings }) => {
      const dueAt = { ahead: '2027-09-01T00:00:00Z', past: '2020-01-01', soon: 'soon', missing: undefined }[due]
      emails += await compare({
        automation: {
          ...{ goal, exitOn },
          steps: completed(numbered(steps, Date.parse(START), 'https://example.com/')),
        },
        contact: { metadata: { ...metadata, ...(dueAt !== undefined && { due: dueAt }) } },
        data: startData,
        events: happenings.flatMap((each, n) =>
          each.kind === 'event' ? [{ eventName: each.name, afterMinutes: (n + 1) * 17 * 60, data: each.data }] : [],
        ),
        responses: { hook: { plan: 'pro' } },
      })
    })
    await fc.assert(property, { numRuns: CASES, endOnFailure: true, ...(SEED !== undefined && { seed: Number(SEED) }) })
    assert.ok(emails >= CASES / 2, `${emails} emails`)
  })
})
