// cspell:ignore subjekt welcom
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadWorkspace } from '../../packages/testing/src/index.ts'

const EMAIL = { type: 'EMAIL', subject: 'Hello', text: 'Hi' }
const automation = (fields: object, name = 'Welcome') => ({ name, trigger: 'SIGNUP', steps: [EMAIL], ...fields })
const withSteps = (...steps: object[]) => ({ automations: [automation({ steps })] })
const tagged = (name: string, tagName: string, added: string) =>
  automation(
    {
      ...{ trigger: 'TAG_ADDED', triggerConfig: { tagName } },
      steps: [EMAIL, { type: 'UPDATE_CONTACT', removeTags: [tagName], addTags: [added] }],
    },
    name,
  )

describe('the errors of @dripline/testing', () => {
  let folder: string
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'dripline-testing-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }

  const cases: [what: string, source: object, message: string][] = [
    ['an unknown key', { automation: [] }, 'workspace: automation is unknown; did you mean automations?'],
    [
      'an unknown key of a step',
      withSteps({ ...EMAIL, subjekt: 'Hi' }),
      'workspace: automations[0]: steps[0].subjekt is unknown; did you mean subject?',
    ],
    [
      'an unknown key of a list',
      { lists: [{ name: 'News', pubic: true }] },
      'workspace: lists[0]: pubic is unknown; did you mean public?',
    ],
    [
      'an unknown type of steps',
      withSteps({ type: 'MAIL' }),
      'workspace: automations[0]: steps[0].type must be one of: EMAIL, WAIT, WAIT_UNTIL, WAIT_FOR_EVENT, CONDITION, SPLIT, UPDATE_CONTACT, WEBHOOK, EXIT; did you mean EMAIL?',
    ],
    [
      'two automations with the same name',
      { automations: [automation({}), automation({})] },
      'workspace: automations[1]: the name "Welcome" is already the one of workspace: automations[0]',
    ],
    [
      'two steps with the same name',
      withSteps({ ...EMAIL, name: 'First' }, { ...EMAIL, name: 'first' }),
      'workspace: automations[0]: steps[1].name must be unique in the automation',
    ],
    [
      'two steps with the same ID',
      withSteps({ ...EMAIL, id: 'hello' }, { ...EMAIL, id: 'hello' }),
      'workspace: automations[0]: steps[1].id must be unique in the automation',
    ],
    [
      'an unknown step of another automation',
      {
        automations: [
          automation({
            steps: [
              { type: 'WAIT_FOR_EVENT', eventName: 'x', timeoutMinutes: 5, received: [{ ...EMAIL, id: 'hello' }] },
            ],
          }),
          automation({ goal: { condition: { message: 'automations/Welcome#helo', is: 'opened' } } }, 'Other'),
        ],
      },
      'workspace: automations[1]: goal: automations/Welcome has no step with the ID "helo"',
    ],
    [
      'a step of no automation',
      { segments: [{ name: 'A', condition: { not: { message: 'hello', is: 'sent' } } }] },
      'workspace: segments[0]: message must be a step such as "automations/welcome#hello", or a campaign such as "campaigns/Sale", not "hello"',
    ],
    [
      'an unknown segment',
      {
        ...withSteps({ type: 'CONDITION', branches: [{ name: 'A', if: { not: { segment: 'VIP' } } }] }),
        segments: [{ name: 'VIPs', condition: { all: [] } }],
      },
      'workspace: automations[0]: steps[0].branches[0]: no segment has the name "VIP"; did you mean VIPs?',
    ],
    [
      'the ID of a list of another workspace',
      {
        automations: [
          automation({ trigger: 'LIST_ADDED', triggerConfig: { listId: '01a21afd-70ae-7263-bbfa-afc14d725316' } }),
        ],
      },
      'workspace: automations[0]: triggerConfig: no list has the name "01a21afd-70ae-7263-bbfa-afc14d725316"',
    ],
    [
      'an unknown comparison',
      { segments: [{ name: 'Pro', condition: { metadata: 'plan', is: 'equals', value: 'pro' } }] },
      'workspace: segments[0]: condition.is must be one of: equal, contains, startsWith, endsWith, less, more, before, after, within, olderThan, newerThan, present, missing',
    ],
    [
      'segments that refer to themselves',
      {
        segments: [
          { name: 'A', condition: { segment: 'B' } },
          { name: 'B', condition: { segment: 'A' } },
        ],
      },
      'workspace: segments[0]: condition must not refer to its own segment, directly or through other segments',
    ],
    [
      'a template that cannot be parsed',
      withSteps({ ...EMAIL, text: 'Hi {{ contact.firstName | shout }}' }),
      'workspace: automations[0]: the text of the email "Hello" undefined filter: shout',
    ],
    [
      'an active automation that never sends',
      { automations: [automation({ status: 'ACTIVE', trigger: 'EVENT' })] },
      'workspace: automations[0]: ',
    ],
    ['an unknown time zone', { timezone: 'Berlin' }, 'timezone must be a time zone such as Europe/Berlin, not Berlin'],
  ]
  for (const [what, source, message] of cases)
    it(`names ${what}`, async () => {
      await assert.rejects(loadWorkspace(source), (error: Error) => {
        assert.equal(error.message.slice(0, message.length), message)
        return true
      })
    })

  it('names the file of an error in a folder, and reads contents from files', async () => {
    write('good/lists/news.yaml', 'name: Newsletter')
    write(
      'good/templates/receipt.yaml',
      'name: Receipt\nformat: MJML\nsubject: Thanks\nhtmlFile: receipt.mjml\ntext: Bye {{ contact.firstName }}',
    )
    write('good/templates/receipt.mjml', '<mjml></mjml>')
    write(
      'good/automations/welcome.yaml',
      'name: Welcome\ntrigger: LIST_ADDED\ntriggerConfig: { list: Newsletter }\nsteps:\n  - { id: hi, type: EMAIL, subject: Hi, htmlFile: welcome/hi.html }\n  - { type: EMAIL, template: Receipt }',
    )
    write('good/automations/welcome/hi.html', '<p>Hi {{ contact.firstName }}</p>')
    write('good/dripline.lock', 'other: file')
    write(
      'good/automations/second.yaml',
      `name: Second
trigger: SIGNUP
entry: { filter: { all: [{ list: lists/news }, { message: automations/welcome#hi, is: sent }] } }
steps: [{ type: EMAIL, subject: Again, text: Hi }]`,
    )
    const workspace = await loadWorkspace(join(folder, 'good'))
    const ada = workspace.contact({ email: 'ada@example.com', firstName: '<Ada>', lists: ['Newsletter'] })
    assert.deepEqual(
      workspace.emails(ada).map(({ subject, html, text }) => [subject, html, text]),
      [
        ['Hi', '<p>Hi &lt;Ada&gt;</p>', 'Hi <Ada>'],
        ['Thanks', '<mjml></mjml>', 'Bye <Ada>'],
      ],
    )
    workspace.enroll(ada, 'Second')
    assert.equal(workspace.emails(ada).at(-1)!.subject, 'Again')
    write('good/automations/other.yaml', 'name: Other\ntrigger: SIGNUP\nsteps: [{ type: EMAIL, htmlFile: none.html }]')
    await assert.rejects(loadWorkspace(join(folder, 'good')), {
      message: 'automations/other.yaml: none.html cannot be read',
    })
    write('bad.yaml', 'automations: []\nautomations: []')
    await assert.rejects(loadWorkspace(join(folder, 'bad.yaml')), /bad.yaml is not valid YAML: Map keys must be unique/)
  })

  it('names the automations of a loop through tags', async () => {
    const workspace = await loadWorkspace({ automations: [tagged('Vip', 'vip', 'new'), tagged('New', 'new', 'vip')] })
    const ada = workspace.contact({ email: 'ada@example.com' })
    assert.throws(() => workspace.update(ada, { addTags: ['vip'] }), {
      message:
        'Automations start each other in a loop: New adds the tag vip, which starts Vip, which adds the tag new, which starts New. ' +
        'Dripline ends such a loop after 10 starts.',
    })
  })

  it('rejects what the workspace does not have, and times before the present', async () => {
    const workspace = await loadWorkspace({
      lists: [{ name: 'News' }],
      ...withSteps(EMAIL, { type: 'WAIT', delayMinutes: 5 }),
    })
    const ada = workspace.contact({ email: 'ada@example.com' })
    const errors: [() => unknown, string][] = [
      [() => workspace.enroll(ada, 'Welcom'), 'No automation has the name "Welcom"; did you mean Welcome?'],
      [() => workspace.enroll(ada, 'Welcome'), 'ada@example.com is in Welcome already'],
      [() => workspace.update(ada, { addToLists: ['New'] }), 'No list has the name "New"; did you mean News?'],
      [() => workspace.contact({ email: 'ada@example.com' }), 'The workspace has the contact ada@example.com already'],
      [
        () => workspace.event({ id: '1', email: 'bob@example.com' }, 'x'),
        'The workspace has no contact bob@example.com',
      ],
      [() => workspace.advance('soon'), '"soon" is not a duration such as 30 minutes, 12 hours, 3 days or 2 weeks'],
      [() => workspace.advanceTo('tomorrow'), 'The time must be a time such as 2027-03-01T09:00:00Z, not "tomorrow"'],
      [
        () => workspace.advanceTo('2027-03-01T08:00:00Z'),
        'The clock is at 2027-03-01T09:00:00.000Z already. It cannot go back to 2027-03-01T08:00:00Z',
      ],
    ]
    for (const [act, message] of errors) assert.throws(act, { message })
  })
})
