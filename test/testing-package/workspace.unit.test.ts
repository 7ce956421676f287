import assert from 'node:assert/strict'
import { loadWorkspace } from '../../packages/testing/src/index.ts'
import type { Contact, Workspace } from '../../packages/testing/src/types.ts'

const DAY = 24 * 60
const email = (subject: string, fields: object = {}) => ({ type: 'EMAIL', subject, text: 'Hi', ...fields })
const wait = (days: number) => ({ type: 'WAIT', delayMinutes: days * DAY })
const onTag = (name: string, tagName: string, steps: object[], fields: object = {}) => ({
  ...{ name, trigger: 'TAG_ADDED', triggerConfig: { tagName }, steps },
  ...fields,
})
const onEvent = (name: string, eventName: string, steps: object[], fields: object = {}) => ({
  ...{ name, trigger: 'EVENT', triggerConfig: { eventName }, steps },
  ...fields,
})
const subjects = (workspace: Workspace, contact: Contact) => workspace.emails(contact).map((each) => each.subject)

describe('a workspace of @dripline/testing', () => {
  it('enrolls by a trigger, waits, and sends', async () => {
    const workspace = await loadWorkspace({
      automations: [
        {
          name: 'Welcome',
          trigger: 'SIGNUP',
          steps: [email('Hello {{ contact.firstName }}'), wait(3), email('Later')],
        },
      ],
    })
    const ada = workspace.contact({ email: 'ada@example.com', firstName: 'Ada' })
    const old = workspace.contact({ email: 'old@example.com', createdAt: '2026-01-01T00:00:00Z' })
    workspace.advance('71 hours')
    assert.deepEqual(subjects(workspace, ada), ['Hello Ada'])
    assert.deepEqual(workspace.enrollment(ada, 'Welcome'), {
      ...{ status: 'ACTIVE', refusedBy: null },
      ...{ enteredAt: '2027-03-01T09:00:00.000Z', endedAt: null },
    })
    workspace.advance('1 hour')
    assert.deepEqual(workspace.emails(ada).at(-1), {
      ...{ at: '2027-03-04T09:00:00.000Z', automation: 'Welcome', step: null },
      ...{ subject: 'Later', html: null, text: 'Hi' },
    })
    assert.equal(workspace.enrollment(ada, 'Welcome').endedAt, '2027-03-04T09:00:00.000Z')
    assert.deepEqual(subjects(workspace, old), [])
    assert.throws(() => workspace.enrollment(old, 'Welcome'), /old@example.com has not been in Welcome/)
  })

  it('applies changes between the steps, also to goals and exit rules', async () => {
    const workspace = await loadWorkspace({
      lists: [{ name: 'Newsletter' }],
      segments: [{ name: 'Pro', condition: { metadata: 'plan', is: 'equal', value: 'pro' } }],
      automations: [
        onEvent(
          'Trial',
          'trial.started',
          [wait(3), email('Plan: {{ contact.metadata.plan }}'), wait(3), email('Last')],
          {
            goal: { condition: { segment: 'Pro' } },
            exitOn: [{ condition: { list: 'Newsletter' } }],
          },
        ),
      ],
    })
    const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((name) => workspace.contact({ email: `${name}@example.com` }))
    for (const contact of [ada!, bob!, eve!]) workspace.event(contact, 'Trial.Started')
    workspace.advance('1 day')
    workspace.update(ada!, { metadata: { plan: 'basic' } })
    workspace.update(bob!, { metadata: { plan: 'pro' } })
    workspace.advance('4 days')
    workspace.update(eve!, { addToLists: ['Newsletter'] })
    workspace.advance('4 weeks')
    assert.deepEqual(subjects(workspace, ada!), ['Plan: basic', 'Last'])
    assert.deepEqual(subjects(workspace, bob!), [])
    assert.deepEqual(subjects(workspace, eve!), ['Plan:'])
    const ends = [ada!, bob!, eve!].map((contact) => {
      const { status, endedAt } = workspace.enrollment(contact, 'Trial')
      return `${status} ${endedAt}`
    })
    assert.deepEqual(ends, [
      'COMPLETED 2027-03-07T09:00:00.000Z',
      'GOAL_REACHED 2027-03-02T09:00:00.000Z',
      'EXITED 2027-03-06T09:00:00.000Z',
    ])
  })

  it('starts other automations, whose changes and emails the first one sees', async () => {
    const workspace = await loadWorkspace({
      lists: [{ name: 'Club' }],
      automations: [
        onEvent('Welcome', 'signed.up', [
          { type: 'UPDATE_CONTACT', addTags: ['VIP '] },
          wait(2),
          {
            type: 'CONDITION',
            branches: [
              {
                name: 'In the club',
                if: { all: [{ list: 'Club' }, { activity: 'SENT', automation: 'Club' }, { tag: 'vip' }] },
                steps: [email('You are in, {{ contact.metadata.level }} of {{ contact.lists | join: "," }}')],
              },
            ],
            else: [email('Outside')],
          },
        ]),
        onTag('Vip', 'vip', [
          wait(1),
          { type: 'UPDATE_CONTACT', set: { metadata: { level: 7 } }, addToLists: ['Club'] },
        ]),
        { name: 'Club', trigger: 'LIST_ADDED', triggerConfig: { list: 'Club' }, steps: [email('Welcome to the club')] },
      ],
    })
    const ada = workspace.contact({ email: 'ada@example.com' })
    workspace.event(ada, 'signed.up')
    workspace.advance('1 week')
    assert.deepEqual(
      workspace.emails(ada).map(({ at, automation, subject }) => [at.slice(0, 10), automation, subject]),
      [
        ['2027-03-02', 'Club', 'Welcome to the club'],
        ['2027-03-03', 'Welcome', 'You are in, 7 of Club'],
      ],
    )
    assert.deepEqual(workspace.read(ada), {
      ...{ email: 'ada@example.com', firstName: null, metadata: { level: 7 }, tags: ['vip'], lists: ['Club'] },
    })
  })

  it('starts another automation again only after it has ended, with the emails so far', async () => {
    const tagged = [
      { type: 'UPDATE_CONTACT', removeTags: ['due'] },
      { type: 'UPDATE_CONTACT', addTags: ['due'] },
    ]
    const isMailed = { activity: 'SENT', automation: 'Reminders' }
    const workspace = await loadWorkspace({
      automations: [
        onEvent('Reminders', 'started', [email('First'), wait(1), ...tagged, wait(2), ...tagged, wait(2), ...tagged]),
        onTag('Due', 'due', [
          { type: 'CONDITION', branches: [{ name: 'Mailed', if: isMailed, steps: [email('Due')] }] },
          wait(3),
          email('Overdue'),
        ]),
      ],
    })
    const ada = workspace.contact({ email: 'ada@example.com' })
    workspace.event(ada, 'started')
    workspace.advance('4 weeks')
    assert.deepEqual(
      workspace.emails(ada).map(({ at, subject }) => `${at.slice(5, 10)} ${subject}`),
      ['03-01 First', '03-02 Due', '03-05 Overdue', '03-06 Due', '03-09 Overdue'],
    )
  })

  it('does not start an automation by its own change while the contact is in it', async () => {
    const steps = [
      { type: 'UPDATE_CONTACT', removeTags: ['due'] },
      { type: 'UPDATE_CONTACT', addTags: ['due'] },
      wait(1),
    ]
    const workspace = await loadWorkspace({ automations: [onTag('Due', 'due', [wait(1), ...steps, email('Due')])] })
    const ada = workspace.contact({ email: 'ada@example.com', tags: ['due'] })
    workspace.advance('4 weeks')
    assert.deepEqual(subjects(workspace, ada), ['Due'])
  })

  it('does not depend on how the clock is moved', async () => {
    const source = {
      timezone: 'America/New_York',
      automations: [
        onEvent('Follow-up', 'signed.up', [
          { type: 'WAIT_UNTIL', until: { timeOfDay: '09:00', weekdays: ['MON'] } },
          { type: 'UPDATE_CONTACT', addTags: ['waited'] },
          { type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: 10 * DAY, received: [wait(7), email('Paid')] },
        ]),
        onTag('Waited', 'waited', [wait(1), email('Waited')]),
      ],
    }
    const texts = await Promise.all(
      [12, 24 * 7].map(async (hours) => {
        const workspace = await loadWorkspace(source)
        const ada = workspace.contact({ email: 'ada@example.com' })
        workspace.event(ada, 'signed.up')
        // Over the beginning of daylight saving time.
        for (let passed = 0; passed < 24 * 28; passed += hours) {
          workspace.advance(`${hours} hours`)
          if (passed + hours === 24 * 7) workspace.event(ada, 'paid')
        }
        return `${workspace.timeline(ada, 'Follow-up')}${workspace.timeline(ada, 'Waited')}`
      }),
    )
    assert.equal(texts[0], texts[1])
    assert.equal(
      texts[0],
      [
        'Follow-up for ada@example.com (America/New_York)',
        '2027-03-01 04:00  Entered',
        '2027-03-01 04:00  Wait       until 2027-03-01 09:00',
        '2027-03-01 09:00  Change     add tags waited',
        '2027-03-01 09:00  Wait       for paid, until 2027-03-11 09:00',
        '2027-03-08 04:00  Event      paid',
        '2027-03-08 04:00  Branch     received',
        '2027-03-08 04:00  Wait       until 2027-03-15 05:00',
        '2027-03-15 05:00  Email      Paid',
        '2027-03-15 05:00  Completed',
        'Waited for ada@example.com (America/New_York)',
        '2027-03-01 09:00  Entered',
        '2027-03-01 09:00  Wait       until 2027-03-02 09:00',
        '2027-03-02 09:00  Email      Waited',
        '2027-03-02 09:00  Completed',
        '',
      ].join('\n'),
    )
  })

  it('applies the rules for entering, one concurrency key at a time', async () => {
    const workspace = await loadWorkspace({
      automations: [
        onEvent('Order', 'order.placed', [wait(1), email('Order {{ event.data.id }}')], {
          entry: { concurrency: { key: 'event.data.id' }, filter: { eventData: 'total', is: 'more', value: 10 } },
        }),
        onEvent('Once', 'order.placed', [email('Once')], { entry: { reentry: 'ONCE' } }),
      ],
    })
    const ada = workspace.contact({ email: 'ada@example.com' })
    for (const data of [
      { id: 1, total: 20 },
      { id: 2, total: 20 },
      { id: '1', total: 20 },
      { id: 3, total: 5 },
    ])
      workspace.event(ada, 'order.placed', data)
    workspace.advance('2 days')
    assert.deepEqual(subjects(workspace, ada), ['Once', 'Order 1', 'Order 2'])
    assert.equal(
      workspace.timeline(ada, 'Once').split('\n').slice(2, 5).join('\n'),
      [
        '2027-03-01 09:00  Email      Once',
        '2027-03-01 09:00  Completed',
        '2027-03-01 09:00  Refused    has been in the automation before',
      ].join('\n'),
    )
    assert.deepEqual(workspace.enrollment(ada, 'Order').status, 'COMPLETED')
  })

  it('counts an event only for waits that begin before it', async () => {
    const steps = [{ type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: DAY, timedOut: [email('Pay')] }]
    const workspace = await loadWorkspace({ automations: [onEvent('Reminder', 'reminded', steps)] })
    const [before, after] = ['a@example.com', 'b@example.com'].map((each) => workspace.contact({ email: each }))
    workspace.event(before!, 'paid')
    workspace.event(before!, 'reminded')
    workspace.event(after!, 'reminded')
    workspace.event(after!, 'paid')
    workspace.advance('2 days')
    assert.deepEqual([subjects(workspace, before!), subjects(workspace, after!)], [['Pay'], []])
  })

  it('saves the given responses of webhooks, and sends no marketing to unsubscribed contacts', async () => {
    const workspace = await loadWorkspace(
      {
        automations: [
          onEvent('Hook', 'go', [
            { type: 'WEBHOOK', url: 'https://example.com/hook', saveAs: 'account' },
            email('Seats: {{ steps.account.seats }}', { category: 'transactional' }),
            email('News', { name: 'News' }),
          ]),
        ],
      },
      { responses: { account: { seats: 4 } }, startAt: '2028-02-29T00:00:00+01:00' },
    )
    const ada = workspace.contact({ email: 'ada@example.com', unsubscribed: true })
    workspace.enroll(ada, 'Hook')
    assert.equal(
      workspace.timeline(ada, 'Hook'),
      [
        'Hook for ada@example.com (UTC)',
        '2028-02-28 23:00  Entered',
        '2028-02-28 23:00  Webhook    POST https://example.com/hook',
        '2028-02-28 23:00  Email      Seats: 4',
        '2028-02-28 23:00  Not sent   News (unsubscribed)',
        '2028-02-28 23:00  Completed',
        '',
      ].join('\n'),
    )
  })
})
