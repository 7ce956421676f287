// cspell:ignore Newsleter segmets
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { startInstance, type Instance } from '../../support/instance.ts'
import { WorkspaceFolder } from './workspace-folder.ts'

describe('files that dripline plan rejects', () => {
  let service: Instance
  let folder: WorkspaceFolder
  before(async () => void (service = await startInstance({ worker: false })))
  after(() => service.stop())
  // Each test has its own workspace.
  beforeEach(async () => void (folder = new WorkspaceFolder(service, await service.newKey())))
  afterEach(() => folder.delete())

  /** Returns what the command prints, line by line. */
  const problems = async (command = 'plan', ...args: string[]): Promise<string[]> =>
    (await folder.fails(command, ...args)).trimEnd().split('\n')

  it('name the file, the line and what to do', async () => {
    const foreign = (await service.call('POST', 'lists', { name: 'Foreign' })).body.data.id as string
    folder.write('lists/newsletter.yaml', 'name: Newsletter\npubic: true\n')
    folder.write('lists/number.yaml', 'name: 2027\n')
    folder.write(
      'segments/a.yaml',
      `name: A
condition:
  all:
    - list: Newsleter
    - list: ${foreign}
    - tga: vip
    - message: nothing
`,
    )
    folder.write('segments/b.yaml', 'condition: { all: [] }\n')
    folder.write(
      'automations/welcome.yaml',
      `name: Welcome
status: DRAFT
trigger: SIGNUP
steps:
  - type: EMIAL
    id: first
  - type: WAIT
    delayMinutes: 5
  - type: EMAIL
    id: second
    subject: Hi
    htmlFile: ../../outside.html
  - type: EMAIL
    id: second
    subject: Hi
    htmlFile: missing.html
  - type: WEBHOOK
    id: hook
    url: https://example.com
    headers:
      Authorization: Bearer s3cret
      X-Source: \${env:SOURCE}
`,
    )
    assert.deepEqual(await problems(), ['lists/number.yaml:1: "name" must be a string. Put it in quotes.'])
    folder.remove('lists/number.yaml')
    assert.deepEqual(await problems(), [
      'automations/welcome.yaml:5: "EMIAL" is not a step type. Did you mean "EMAIL"?',
      'automations/welcome.yaml:7: "id" is missing.',
      'automations/welcome.yaml:12: "../../outside.html" must be the path of a file in the folder, relative to this file.',
      'automations/welcome.yaml:16: The file "missing.html" does not exist.',
      'automations/welcome.yaml:20: The header Authorization is secret. Use "${env:NAME}", and set the variable NAME where you run "dripline apply".',
      'automations/welcome.yaml:4: Two steps have the ID "second". Each needs its own.',
      'lists/newsletter.yaml:2: "pubic" is unknown. Did you mean "public"?',
      'segments/a.yaml:4: There is no list called "Newsleter". Did you mean "Newsletter"?',
      'segments/a.yaml:6: "tga" is unknown. Did you mean "tag"?',
      'segments/a.yaml:7: "nothing" is not the ID of a step of this automation, a step of another one such as "automations/welcome#first", or a campaign such as "campaigns/Sale".',
      `segments/a.yaml:5: This workspace has nothing with the ID ${foreign}. Use the name of the resource.`,
      'segments/b.yaml:1: "name" is missing.',
    ])
  })

  it('are not valid YAML, have the same name, or are in another folder', async () => {
    folder.write('lists/a.yaml', 'name: A\nname: B\n')
    folder.write('lists/b.yaml', '- name: B\n')
    folder.write('lists/c.yml', 'name: C\n')
    folder.write('lists/e.YAML', 'name: E\n')
    folder.write('lists/more/f.yaml', 'name: F\n')
    folder.write('segmets/d.yaml', 'name: D\n')
    assert.deepEqual(await problems(), [
      'lists/a.yaml:2: This is not valid YAML: Map keys must be unique',
      'lists/b.yaml:1: The file must be a map of keys and values, such as "name: Welcome".',
      'lists/c.yml: The extension must be ".yaml".',
      'lists/e.YAML: The extension must be ".yaml".',
      'lists/more/f.yaml: Files of lists must be in "lists" itself.',
      'segmets: This is not a folder of resources. Did you mean "segments"?',
    ])
    for (const file of ['lists/b.yaml', 'lists/c.yml', 'lists/e.YAML', 'lists/more', 'segmets']) folder.remove(file)
    folder.write('lists/a.yaml', '# two\nname: A\n')
    folder.write('lists/b.yaml', 'name: A\n')
    folder.write('dripline.lock', '<<<<<<< HEAD\n')
    assert.match((await problems())[0]!, /^dripline.lock: The file cannot be read, for example after a merge/)
    folder.remove('dripline.lock')
    assert.deepEqual(await problems('apply', '--yes'), [
      'lists/a.yaml:2: The name "A" is also in lists/b.yaml. Names must be unique.',
      'lists/b.yaml:1: The name "A" is also in lists/a.yaml. Names must be unique.',
    ])
  })

  it('give the name of a resource to another file, which may be moved or new', async () => {
    folder.write('lists/a.yaml', 'name: A\n')
    assert.deepEqual(await folder.apply(), ['lists/a'])
    folder.write('lists/old.yaml', 'name: A\n')
    folder.write('lists/a.yaml', 'name: New\n')
    assert.deepEqual(await problems(), [
      'lists/a.yaml:1: In the workspace, it is "A", which is the name in lists/old.yaml now. ' +
        'If you moved the file, apply that alone first. Otherwise, choose another name.',
    ])
    folder.remove('lists/a.yaml')
    await folder.apply()
    folder.write('lists/a.yaml', 'name: New\n')
    assert.deepEqual(await folder.actions(), { 'lists/a': 'create' })
    folder.remove('lists')
  })

  it('read a file outside of the folder through a symbolic link', async () => {
    folder.write('templates/a.yaml', 'name: A\nsubject: Hi\nhtmlFile: a.html\n')
    symlinkSync('/etc/hostname', join(folder.path, 'templates/a.html'))
    assert.match((await problems())[0]!, /^templates\/a.yaml:3: "a.html" must be the path of a file in the folder/)
  })

  it('refer to each other, and none exists', async () => {
    folder.write('segments/a.yaml', 'name: A\ncondition: { activity: OPENED, automation: B }\n')
    folder.write(
      'automations/b.yaml',
      'name: B\nstatus: DRAFT\ntrigger: SIGNUP\nentry: { filter: { segment: A } }\nsteps: []\n',
    )
    assert.match(
      (await problems('apply', '--yes'))[0]!,
      /^segments\/a.yaml and automations\/b.yaml refer to each other, and none exists yet/,
    )
  })

  it('the API rejects, with the line of the field, after those that it accepted', async () => {
    folder.write('lists/a.yaml', 'name: A\n')
    folder.write('templates/a.yaml', 'name: A\nsubject: Hi\n\nhtmlFile: a.html\n')
    folder.write('templates/a.html', '{% if %}')
    const { code, stderr, stdout } = await folder.run('apply', ['--yes'])
    assert.equal(code, 1)
    assert.match(stderr, /^templates\/a.yaml:4: html is not a valid template/)
    assert.match(stdout, /Applied 0 of 2 changes/)
    folder.write('templates/a.html', 'Hi')
    assert.deepEqual(await folder.apply(), ['templates/a', 'lists/a'])
    folder.write('templates/a.yaml', 'name: A\nkind: LAYOUT\nsubject: Hi\nhtmlFile: a.html\n')
    assert.deepEqual(await problems(), ['templates/a.yaml: The kind of a template cannot change. Use another name.'])
  })

  it('have a secret whose variable is missing when they are applied', async () => {
    folder.write(
      'automations/hook.yaml',
      `name: Hook
status: DRAFT
trigger: SIGNUP
steps: [{ id: hook, type: WEBHOOK, url: 'https://example.com', headers: { Authorization: 'Bearer \${env:CRM_TOKEN}' } }]
`,
    )
    assert.deepEqual(await folder.actions(), { 'automations/hook': 'create' })
    assert.deepEqual(await problems('apply', '--yes'), ['Set the environment variable CRM_TOKEN.'])
    await folder.apply([], { CRM_TOKEN: 's3cret' })
    const [{ id }] = (await folder.api('GET', 'automations')) as [{ id: string }]
    const { steps } = (await folder.api('GET', `automations/${id}`)) as { steps: { headers: object }[] }
    assert.deepEqual(steps[0]!.headers, { Authorization: 'Bearer s3cret' })
    assert.deepEqual(await folder.plan(), [])
    assert.ok(!folder.read('dripline.lock').includes('s3cret'))
  })
})
