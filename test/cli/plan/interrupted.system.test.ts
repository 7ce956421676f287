import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startInstance, type Instance } from '../../support/instance.ts'
import { CONFIRMATION, WorkspaceFolder } from './workspace-folder.ts'

describe('dripline apply, when a second request for a resource fails', () => {
  let service: Instance
  let folder: WorkspaceFolder
  /** Forwards requests to the instance, and rejects each PATCH. */
  let gateway: Server
  let throughGateway: NodeJS.ProcessEnv
  const written: string[] = []
  before(async () => {
    service = await startInstance({ worker: false, env: { SECRETS_KEY: 'k'.repeat(44) } })
    gateway = createServer((incoming, response) => {
      const { method, headers, url: path } = incoming
      if (method !== 'GET') written.push(`${method} ${path}`)
      if (method === 'PATCH') return void response.writeHead(409, { 'content-type': 'text/plain' }).end('Not now')
      const forwarded = request({ port: service.port, method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      incoming.pipe(forwarded)
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    throughGateway = { DRIPLINE_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` }
  })
  after(async () => {
    gateway.close()
    gateway.closeAllConnections()
    await service.stop()
  })
  // Each test has its own workspace.
  beforeEach(async () => void (folder = new WorkspaceFolder(service, await service.newKey())))
  afterEach(() => folder.delete())

  const changes = async () =>
    (await folder.plan()).map(({ action, path, differences, drift }) => ({
      ...{ action, path, drift },
      fields: differences.map(({ field }) => field),
    }))

  it('disables a webhook that was created, in the next apply', async () => {
    folder.write('webhooks/on.yaml', 'description: On\nevents: [contact.created]\n')
    folder.write('webhooks/paused.yaml', 'description: Paused\nevents: [contact.created]\nstatus: DISABLED\n')
    const { code, stdout } = await folder.run('apply', ['--yes'], throughGateway)
    assert.equal(code, 1)
    assert.match(stdout, /Applied 1 of 2 changes/)
    // A webhook that is enabled needs one request.
    assert.deepEqual(
      written.map((each) => each.replace(/[\da-f-]{36}/, 'ID')),
      ['POST /api/v1/webhooks', 'POST /api/v1/webhooks', 'PATCH /api/v1/webhooks/ID'],
    )
    assert.deepEqual(await changes(), [
      { action: 'update', path: 'webhooks/paused', drift: undefined, fields: ['status'] },
    ])
    await folder.apply()
    const webhooks = (await folder.api('GET', 'webhooks')) as { description: string; status: string }[]
    assert.deepEqual(webhooks.map(({ description, status }) => `${description} ${status}`).toSorted(), [
      ...['On ENABLED', 'Paused DISABLED'],
    ])
    assert.deepEqual(await changes(), [])
  })

  it('switches double opt-in on for a list that was created, in the next apply', async () => {
    folder.write('lists/news.yaml', 'name: News\ndoubleOptIn: true\n')
    assert.match(await folder.fails('apply', '--yes'), /automation/)
    assert.deepEqual(await changes(), [
      { action: 'update', path: 'lists/news', drift: undefined, fields: ['doubleOptIn'] },
    ])
    folder.write('automations/confirm.yaml', CONFIRMATION)
    await folder.apply()
    assert.equal(((await folder.api('GET', 'lists')) as { doubleOptIn: boolean }[])[0]!.doubleOptIn, true)
    assert.deepEqual(await changes(), [])
  })
})
