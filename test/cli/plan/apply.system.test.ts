import assert from 'node:assert/strict'
import { startInstance, type Instance } from '../../support/instance.ts'
import { CONFIRMATION, WorkspaceFolder } from './workspace-folder.ts'

interface Step {
  id: string
  subject: string
  templateId: string
  templateVersion: number
  branches: { if: { message: string } }[]
}

interface Automation {
  id: string
  name: string
  status: string
  version: number
  triggerConfig: object
  entry: object
  steps: Step[]
}

describe('dripline plan and apply', () => {
  let service: Instance
  let folder: WorkspaceFolder
  before(async () => void (service = await startInstance({ worker: false, env: { SECRETS_KEY: 'k'.repeat(44) } })))
  after(() => service.stop())
  // Each test has its own workspace.
  beforeEach(async () => void (folder = new WorkspaceFolder(service, await service.newKey())))
  afterEach(() => folder.delete())

  const workspaceOf = async (key: string): Promise<string> =>
    (await service.call('GET', 'whoami', undefined, { key })).body.data.workspace.id as string

  /** Writes an automation with two emails, a list, a segment and a template. */
  function writeShop(): void {
    folder.write('lists/newsletter.yaml', 'name: Newsletter\n')
    folder.write('segments/pro.yaml', 'name: Pro\ncondition: { metadata: plan, is: equal, value: pro }\n')
    folder.write('snippets/footer.yaml', 'name: footer\nhtml: <p>Bye</p>\n')
    folder.write('templates/hello.yaml', 'name: Hello\nsubject: Hello\nhtmlFile: hello.html\n')
    folder.write('templates/hello.html', "<p>Hello</p>{% render 'footer' %}")
    folder.write(
      'automations/welcome.yaml',
      `name: Welcome
status: ACTIVE
trigger: LIST_ADDED
triggerConfig: { list: Newsletter }
entry: { filter: { segment: Pro } }
steps:
  - { id: hello, type: EMAIL, template: Hello }
  - { id: pause, type: WAIT, delayMinutes: 60 }
  - id: opened
    type: CONDITION
    branches: [{ name: Opened, if: { message: hello, is: opened }, steps: [{ id: bye, type: EXIT }] }]
  - { id: last, type: EMAIL, subject: Last, text: Bye }
`,
    )
  }
  const automation = async (): Promise<Automation> => {
    const [first] = (await folder.api('GET', 'automations')) as { id: string }[]
    return (await folder.api('GET', `automations/${first!.id}`)) as Automation
  }

  it('creates everything in the order of references, and then has no changes', async () => {
    writeShop()
    const paths = ['snippets/footer', 'templates/hello', 'lists/newsletter', 'segments/pro', 'automations/welcome']
    assert.deepEqual(await folder.actions(), Object.fromEntries(paths.map((path) => [path, 'create'])))
    assert.deepEqual(await folder.api('GET', 'automations'), [])
    assert.deepEqual(await folder.apply(), paths)
    const { steps, triggerConfig, entry, status } = await automation()
    const [list] = (await folder.api('GET', 'lists')) as { id: string }[]
    const [segment] = (await folder.api('GET', 'segments')) as { id: string }[]
    const [template] = (await folder.api('GET', 'templates?kind=EMAIL')) as { id: string }[]
    assert.deepEqual(
      [status, triggerConfig, entry],
      ['ACTIVE', { listId: list!.id }, { filter: { segment: segment!.id } }],
    )
    assert.deepEqual([steps[0]!.templateId, steps[2]!.branches[0]!.if.message], [template!.id, steps[0]!.id])
    assert.deepEqual(await folder.plan(), [])
    assert.deepEqual(await folder.apply(), [])
    assert.deepEqual(new Set(Object.values(await folder.pull())), new Set(['unchanged']))
  })

  it('updates a step without changing its ID, and keeps the others', async () => {
    writeShop()
    await folder.apply()
    const before = await automation()
    folder.edit('automations/welcome.yaml', 'subject: Last', 'subject: Finally')
    folder.edit('automations/welcome.yaml', '  - { id: pause, type: WAIT, delayMinutes: 60 }\n', '')
    const [change] = await folder.plan()
    assert.deepEqual(
      change!.differences.map(({ field }) => field),
      ['steps[1]', 'steps[2].subject'],
    )
    await folder.apply()
    const { steps, version } = await automation()
    assert.deepEqual(
      [version, steps.length, steps[0]!.id, steps[1]!.id, steps[2]!.id, steps[2]!.subject],
      [2, 3, before.steps[0]!.id, before.steps[2]!.id, before.steps[3]!.id, 'Finally'],
    )
    assert.deepEqual(await folder.plan(), [])
  })

  it('publishes a changed template, and a changed snippet, in the automations that use it', async () => {
    writeShop()
    await folder.apply()
    folder.edit('snippets/footer.yaml', 'Bye', 'Goodbye')
    assert.deepEqual(await folder.actions(), { 'snippets/footer': 'update', 'automations/welcome': 'update' })
    await folder.apply()
    assert.equal((await automation()).steps[0]!.templateVersion, 2)
    assert.deepEqual(await folder.plan(), [])
    folder.edit('templates/hello.html', 'Hello', 'Hi')
    await folder.apply()
    assert.equal((await automation()).steps[0]!.templateVersion, 3)
    assert.deepEqual(await folder.plan(), [])
  })

  it('applies the same files to another workspace, whose steps have their own IDs', async () => {
    writeShop()
    await folder.apply()
    const first = await automation()
    const firstKey = folder.key
    folder.key = await service.newKey()
    const other = await workspaceOf(folder.key)
    assert.match(await folder.fails('plan'), new RegExp(`not yet with "Another". Pass --workspace ${other}`))
    assert.match(
      await folder.fails('plan', '--workspace', await workspaceOf(firstKey)),
      /The key belongs to the workspace/,
    )
    assert.equal(Object.keys(await folder.actions('--workspace', other)).length, 5)
    await folder.apply(['--workspace', other])
    const second = await automation()
    assert.equal(second.steps[2]!.branches[0]!.if.message, second.steps[0]!.id)
    assert.notEqual(second.steps[0]!.id, first.steps[0]!.id)
    assert.deepEqual(await folder.plan(), [])
    folder.edit('automations/welcome.yaml', 'subject: Last', 'subject: Finally')
    await folder.apply()
    assert.equal((await automation()).steps[3]!.id, second.steps[3]!.id)
    folder.key = firstKey
    assert.deepEqual(await folder.actions(), { 'automations/welcome': 'update' })
    await folder.apply()
    assert.equal((await automation()).steps[3]!.id, first.steps[3]!.id)
  })

  it('changes nothing if the workspace was changed, and names who changed it', async () => {
    writeShop()
    await folder.apply()
    const { id } = await automation()
    const colleague = await service.newKey({ workspaceId: await workspaceOf(folder.key), name: 'Colleague' })
    await service.call('PATCH', `automations/${id}`, { status: 'PAUSED' }, { key: colleague })
    folder.edit('lists/newsletter.yaml', 'Newsletter', 'News')
    folder.edit('automations/welcome.yaml', 'list: Newsletter', 'list: News')
    const changes = await folder.plan()
    const drifted = changes.find(({ path }) => path === 'automations/welcome')!
    assert.equal(drifted.drift?.message, 'It was changed in the workspace.')
    assert.equal(drifted.drift.author?.name, 'Colleague')
    assert.deepEqual(drifted.differences, [{ field: 'status', before: 'PAUSED', after: 'ACTIVE' }])
    assert.match(
      (await folder.run('plan')).stdout,
      /! It was changed in the workspace. The last change is by Colleague, on \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Pull it first/,
    )
    assert.match(await folder.fails('apply', '--yes'), /^Nothing was changed, because the workspace has other changes/)
    assert.equal(((await folder.api('GET', 'lists')) as { name: string }[])[0]!.name, 'Newsletter')
    // A pull takes the change over.
    assert.deepEqual(
      Object.entries(await folder.pull())
        .filter(([, status]) => status !== 'unchanged')
        .toSorted(),
      [
        ['automations/welcome.yaml', 'updated'],
        ['lists/newsletter.yaml', 'kept'],
      ],
    )
    assert.match(folder.read('automations/welcome.yaml'), /status: PAUSED[^]*list: News\n/)
    assert.deepEqual(await folder.actions(), { 'lists/newsletter': 'update' })
  })

  it('overwrites changes of the workspace with --force, and says if the key may not read the audit log', async () => {
    writeShop()
    await folder.apply()
    const { id } = await automation()
    await folder.api('PATCH', `automations/${id}`, { status: 'PAUSED' })
    const full = folder.key
    const scopes = ['contacts', 'lists', 'campaigns', 'templates', 'segments', 'automations', 'webhooks', 'sender']
    folder.key = await service.newKey({
      workspaceId: await workspaceOf(full),
      scopes: scopes.flatMap((scope) => [`${scope}:read`, `${scope}:write`]) as never,
    })
    assert.match((await folder.run('plan')).stdout, /lacks the scope audit:read/)
    assert.deepEqual(await folder.apply(['--force']), ['automations/welcome'])
    assert.equal((await automation()).status, 'ACTIVE')
  })

  it('deletes only with --delete, and does not take a moved file for a deleted one', async () => {
    writeShop()
    await folder.apply()
    folder.write('segments/paying.yaml', folder.read('segments/pro.yaml'))
    folder.remove('segments/pro.yaml')
    assert.deepEqual(await folder.plan(), [])
    folder.remove('automations/welcome.yaml')
    assert.deepEqual(await folder.actions(), { 'automations/welcome': 'delete' })
    const { stderr, code } = await folder.run('apply', ['--yes'])
    assert.deepEqual(
      [code, stderr],
      [0, 'automations/welcome has no file. Pass --delete to delete it in the workspace.\n'],
    )
    assert.equal((await automation()).name, 'Welcome')
    await folder.apply(['--delete'])
    assert.deepEqual(await folder.api('GET', 'automations'), [])
    assert.deepEqual(await folder.plan(), [])
  })

  it('takes any text for the ID of a step, also the name of a function', async () => {
    folder.write(
      'automations/tips.yaml',
      `name: Tips
status: DRAFT
trigger: SIGNUP
steps:
  - { id: constructor, type: EMAIL, subject: Hi, text: Hi }
  - id: opened
    type: CONDITION
    branches:
      - { name: Yes, if: { message: constructor, is: opened }, steps: [] }
`,
    )
    await folder.apply()
    assert.deepEqual(await folder.plan(), [])
  })

  it('deletes what was changed in the workspace only with --force, and names who changed it', async () => {
    writeShop()
    await folder.apply()
    const { id } = await automation()
    const [list] = (await folder.api('GET', 'lists')) as { id: string }[]
    const colleague = await service.newKey({ workspaceId: await workspaceOf(folder.key), name: 'Colleague' })
    await service.call('PATCH', `automations/${id}`, { status: 'PAUSED' }, { key: colleague })
    await service.call('PATCH', `lists/${list!.id}`, { description: 'Weekly' }, { key: colleague })
    folder.remove('automations/welcome.yaml')
    folder.remove('lists/newsletter.yaml')
    folder.remove('segments/pro.yaml')
    assert.deepEqual(
      (await folder.plan()).map(({ action, path, drift }) => [action, path, drift?.message, drift?.author?.name]),
      [
        ['delete', 'automations/welcome', 'It was changed in the workspace.', 'Colleague'],
        ['delete', 'segments/pro', undefined, undefined],
        ['delete', 'lists/newsletter', 'It was changed in the workspace.', 'Colleague'],
      ],
    )
    assert.match(
      (await folder.run('plan')).stdout,
      /! It was changed in the workspace. The last change is by Colleague, on 20.* Pull it first, or delete it with --force./,
    )
    assert.match(
      await folder.fails('apply', '--yes', '--delete'),
      /^Nothing was changed, because the workspace has other changes: automations\/welcome, lists\/newsletter/,
    )
    assert.equal((await automation()).name, 'Welcome')
    assert.deepEqual(await folder.apply(['--delete', '--force']), [
      ...['automations/welcome', 'segments/pro', 'lists/newsletter'],
    ])
    assert.deepEqual(await folder.api('GET', 'automations'), [])
  })

  it('switches double opt-in on after the automation that asks exists', async () => {
    folder.write('lists/news.yaml', 'name: News\ndoubleOptIn: true\n')
    folder.write('automations/confirm.yaml', CONFIRMATION)
    await folder.apply()
    assert.equal(((await folder.api('GET', 'lists')) as { doubleOptIn: boolean }[])[0]!.doubleOptIn, true)
    assert.deepEqual(await folder.plan(), [])
  })

  it('shows how many contacts are inside, and what happens to them', async () => {
    writeShop()
    folder.edit('automations/welcome.yaml', 'entry: { filter: { segment: Pro } }\n', '')
    await folder.apply()
    const { id } = await automation()
    const contact = await folder.api('POST', 'contacts', { email: 'ada@example.com' })
    await folder.api('POST', `automations/${id}/enroll`, { contactId: contact.id })
    folder.edit('automations/welcome.yaml', 'subject: Last', 'subject: Finally')
    const [change] = await folder.plan()
    assert.deepEqual(change!.effects, ['1 contact is in the automation. They keep the steps that they entered with.'])
    folder.edit('automations/welcome.yaml', 'trigger: LIST_ADDED', 'trigger: LIST_REMOVED')
    assert.equal((await folder.plan())[0]!.effects[0], 'Contacts enter it by the new trigger from now on.')
    folder.edit('automations/welcome.yaml', 'trigger: LIST_REMOVED', 'trigger: LIST_ADDED')
    folder.edit('automations/welcome.yaml', 'status: ACTIVE', 'status: ARCHIVED')
    const { stdout, code } = await folder.run('plan', ['--markdown', '--exit-code'])
    assert.equal(code, 4)
    assert.match(stdout, /- 1 contact is in the automation. They continue to the end, and no others enter./)
    assert.match(stdout, /```diff\nstatus: "ACTIVE" → "ARCHIVED"\nsteps\[3\].subject: "Last" → "Finally"\n```/)
  })
})
