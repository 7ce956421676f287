import assert from 'node:assert/strict'
import { aContact } from '../../support/factories.ts'
import { startInstance, type Instance } from '../../support/instance.ts'
import { WorkspaceFolder } from './workspace-folder.ts'

const AUTOMATION = `name: Welcome
status: ACTIVE
trigger: SIGNUP
entry: { filter: { tag: vip } }
steps:
  - { id: hello, type: EMAIL, subject: Hello, text: Hi }
  - { id: pause, type: WAIT, delayMinutes: 60 }
  - { id: hook, type: WEBHOOK, url: 'https://example.com', headers: { Authorization: '\${env:CRM_TOKEN}' } }
  - { id: last, type: EMAIL, subject: Last, text: Bye }
`

describe('dripline plan --rehearse', () => {
  let service: Instance
  let folder: WorkspaceFolder
  before(async () => {
    service = await startInstance({ env: { SECRETS_KEY: 'k'.repeat(44) } })
    folder = new WorkspaceFolder(service, service.key)
  })
  after(async () => {
    folder.delete()
    await service.stop()
  })

  it('adds what a rehearsal finds to the changes of automations, needs no secrets, and changes nothing', async () => {
    for (const name of ['ada', 'bob']) await aContact(service, { email: `${name}@example.com`, tags: ['vip'] })
    await aContact(service, { email: 'zoe@example.com' })
    folder.write('automations/welcome.yaml', AUTOMATION)
    folder.write('segments/vip.yaml', 'name: Vip\ncondition: { tag: vip }\n')
    assert.equal((await folder.apply([], { CRM_TOKEN: 's3cret' })).length, 2)
    folder.edit('automations/welcome.yaml', '  - { id: last, type: EMAIL, subject: Last, text: Bye }\n', '')
    folder.edit('segments/vip.yaml', 'name: Vip', 'name: VIP')
    const effects = (await folder.plan('--rehearse')).map((change) => [change.path, change.effects])
    const rehearsed =
      'Rehearsed for 3 contacts: 2 would enter and get 2 emails. Compared with the current version, 2 would get 1 fewer email.'
    assert.deepEqual(Object.fromEntries(effects), { 'segments/vip': [], 'automations/welcome': [rehearsed] })
    assert.deepEqual(
      (await folder.plan()).map((change) => change.effects),
      [[], []],
    )
    assert.deepEqual(await folder.api('GET', 'messages'), [])
  })
})
