import assert from 'node:assert/strict'
import { startInstance, type Instance } from '../../support/instance.ts'
import { WorkspaceFolder } from './workspace-folder.ts'

describe('dripline pull', () => {
  let service: Instance
  let folder: WorkspaceFolder
  before(async () => void (service = await startInstance({ worker: false, env: { SECRETS_KEY: 'k'.repeat(44) } })))
  after(() => service.stop())
  // Each test has its own workspace.
  beforeEach(async () => void (folder = new WorkspaceFolder(service, await service.newKey())))
  afterEach(() => folder.delete())

  it('writes a file per resource, with names instead of IDs, and contents beside', async () => {
    const list = await folder.api('POST', 'lists', { name: 'Newsletter', public: true })
    const segment = await folder.api('POST', 'segments', {
      name: 'Readers',
      condition: { all: [{ list: list.id }, { not: { tag: 'churned' } }] },
    })
    await folder.api('POST', 'templates', { name: 'Footer', kind: 'PARTIAL', html: '<p>Bye</p>' })
    const layout = await folder.api('POST', 'templates', {
      name: 'Base',
      kind: 'LAYOUT',
      html: '<main>{{ content }}</main>',
    })
    const template = await folder.api('POST', 'templates', {
      name: 'Hello',
      subject: 'Hello',
      html: "<p>Hello</p>{% render 'Footer' %}",
      layoutId: layout.id,
      translations: [{ locale: 'de', subject: 'Hallo', html: '<p>Hallo</p>' }],
    })
    const automation = await folder.api('POST', 'automations', {
      name: 'Welcome!',
      trigger: 'LIST_ADDED',
      triggerConfig: { listId: list.id },
      entry: { filter: { segment: segment.id } },
      steps: [
        { type: 'EMAIL', name: 'first', subject: 'Hi', html: '<p>Hi\n</p>', text: 'Hi' },
        { type: 'WAIT', delayMinutes: 60 },
        {
          type: 'CONDITION',
          branches: [
            {
              name: 'Opened',
              if: { message: 'first', is: 'opened' },
              steps: [{ type: 'EMAIL', templateId: template.id, category: 'transactional' }],
            },
          ],
          else: [{ type: 'UPDATE_CONTACT', addToLists: [list.id] }],
        },
      ],
    })
    await folder.api('POST', 'webhooks', { url: 'https://example.com/hooks', events: ['contact.created'] })
    assert.deepEqual(new Set(Object.values(await folder.pull())), new Set(['created']))
    assert.deepEqual(folder.files(), [
      'automations/welcome.yaml',
      'automations/welcome/1-first.html',
      'dripline.lock',
      'lists/newsletter.yaml',
      'segments/readers.yaml',
      'snippets/footer.html',
      'snippets/footer.yaml',
      'templates/base.html',
      'templates/base.yaml',
      'templates/hello.de.html',
      'templates/hello.html',
      'templates/hello.yaml',
      'webhooks/https-example-com-hooks.yaml',
    ])
    const [first, wait, condition] = automation.steps
    assert.equal(
      folder.read('automations/welcome.yaml'),
      `name: Welcome!
status: DRAFT
trigger: LIST_ADDED
triggerConfig:
  list: Newsletter
entry:
  filter:
    segment: Readers
steps:
  - type: EMAIL
    id: ${first.id}
    name: first
    subject: Hi
    htmlFile: welcome/1-first.html
    text: Hi
  - type: WAIT
    id: ${wait.id}
    delayMinutes: 60
  - type: CONDITION
    id: ${condition.id}
    branches:
      - name: Opened
        if:
          message: ${first.id}
          is: opened
        steps:
          - type: EMAIL
            id: ${condition.branches[0].steps[0].id}
            category: transactional
            template: Hello
    else:
      - type: UPDATE_CONTACT
        id: ${condition.else[0].id}
        addToLists:
          - Newsletter
`,
    )
    assert.equal(folder.read('automations/welcome/1-first.html'), '<p>Hi\n</p>')
    assert.equal(
      folder.read('templates/hello.yaml'),
      `name: Hello
layout: Base
subject: Hello
htmlFile: hello.html
translations:
  - locale: de
    subject: Hallo
    htmlFile: hello.de.html
`,
    )
    assert.equal(folder.read('lists/newsletter.yaml'), 'name: Newsletter\npublic: true\n')
    assert.deepEqual(await folder.plan(), [])
    assert.deepEqual(new Set(Object.values(await folder.pull())), new Set(['unchanged']))
  })
})
