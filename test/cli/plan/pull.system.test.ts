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

  const changed = async (...args: string[]) =>
    Object.entries(await folder.pull(...args))
      .filter(([, status]) => status !== 'unchanged')
      .toSorted()

  it('takes over changes of the workspace, also in the files that refer to a renamed list', async () => {
    const list = await folder.api('POST', 'lists', { name: 'Newsletter' })
    const other = await folder.api('POST', 'lists', { name: 'Old' })
    await folder.api('POST', 'segments', { name: 'Readers', condition: { list: list.id } })
    const template = await folder.api('POST', 'templates', { name: 'Hello', subject: 'Hello', text: 'Hello' })
    const automation = await folder.api('POST', 'automations', {
      ...{ name: 'Welcome', trigger: 'SIGNUP' },
      steps: [{ type: 'EMAIL', templateId: template.id }],
    })
    await folder.pull()
    folder.edit('segments/readers.yaml', 'name:', '# Kept?\nname:')
    await folder.api('PATCH', `lists/${list.id}`, { name: 'News' })
    await folder.api('DELETE', `lists/${other.id}`)
    // The automation keeps the version of the template that it was published with.
    await folder.api('PUT', `templates/${template.id}`, { name: 'Hello', subject: 'Hi', text: 'Hello' })
    assert.deepEqual(await changed(), [
      ['automations/welcome.yaml', 'updated'],
      ['lists/newsletter.yaml', 'updated'],
      ['lists/old.yaml', 'deleted'],
      ['segments/readers.yaml', 'updated'],
      ['templates/hello.yaml', 'updated'],
    ])
    assert.match(folder.read('segments/readers.yaml'), /list: News\n/)
    assert.match(folder.read('automations/welcome.yaml'), /template: Hello\n {4}templateVersion: 1\n/)
    assert.ok(!folder.exists('lists/old.yaml'))
    assert.deepEqual(await folder.plan(), [])
    await folder.api('PUT', `automations/${automation.id}/steps`, { steps: [] })
    assert.deepEqual(await changed(), [['automations/welcome.yaml', 'updated']])
  })

  it('keeps changed files, and reports those that the workspace changed, too', async () => {
    const list = await folder.api('POST', 'lists', { name: 'A' })
    await folder.api('POST', 'lists', { name: 'B' })
    await folder.pull()
    for (const name of ['a', 'b']) folder.edit(`lists/${name}.yaml`, 'name:', 'public: true\nname:')
    await folder.api('PATCH', `lists/${list.id}`, { description: 'Theirs' })
    assert.match(
      (await folder.run('pull')).stdout,
      /conflict {2}lists\/a.yaml\n {2}Both the file and the workspace[^]*kept {6}lists\/b.yaml/,
    )
    assert.equal((await folder.run('pull')).code, 1)
    assert.equal(folder.read('lists/a.yaml'), 'public: true\nname: A\n')
    assert.deepEqual(await changed('--force'), [
      ['lists/a.yaml', 'updated'],
      ['lists/b.yaml', 'updated'],
    ])
    assert.equal(folder.read('lists/a.yaml'), 'name: A\ndescription: Theirs\n')
    assert.deepEqual(await folder.plan(), [])
  })
})
