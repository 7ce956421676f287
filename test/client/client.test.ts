import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createDriplineClient, DriplineError } from '@dripline/client'
import { aContact } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('a client', () => {
  let service: Service
  let baseUrl: string
  before(async () => {
    service = await startService({ worker: false })
    baseUrl = `http://127.0.0.1:${service.port}/api/v1`
  })
  after(() => service.stop())

  it('of this package makes the round: contact, list, automation, enroll, event', async () => {
    const dripline = createDriplineClient({ baseUrl, apiKey: service.key })
    const contact = await dripline.POST('/contacts', {
      body: { email: 'typed@example.com', firstName: 'Typed', metadata: { plan: 'pro' }, tags: ['typed'] },
      params: { header: { 'Idempotency-Key': 'typed-1' } },
    })
    const contactId = contact.data.data.id
    const list = await dripline.POST('/lists', { body: { name: 'Typed' } })
    const listId = list.data.data.id
    const joined = await dripline.POST('/lists/{id}/contacts', {
      params: { path: { id: listId } },
      body: { contactId },
    })
    assert.equal(joined.data.data.added, 1)
    const automation = await dripline.POST('/automations', {
      body: {
        name: 'Typed',
        status: 'ACTIVE',
        trigger: 'EVENT',
        triggerConfig: { eventName: 'typed' },
        steps: [
          { type: 'WAIT', delayMinutes: 5 },
          { type: 'EMAIL', subject: 'Hello', text: 'Hi' },
        ],
      },
    })
    const { id, steps } = automation.data.data
    assert.deepEqual(
      steps.map((step) => [step.type, step.subject, step.delayMinutes]),
      [
        ['WAIT', null, 5],
        ['EMAIL', 'Hello', 0],
      ],
    )
    const enrolled = await dripline.POST('/automations/{id}/enroll', {
      params: { path: { id } },
      body: { contactId, merge: { source: 'client' } },
    })
    assert.deepEqual([enrolled.response.status, enrolled.data.data.enrolled], [202, true])
    const fired = await dripline.POST('/contacts/{id}/events', {
      params: { path: { id: contactId } },
      body: { name: 'TYPED', data: { amount: 1 } },
    })
    assert.equal(fired.data.data.matchingAutomations, 1)
    const found = await dripline.GET('/contacts', { params: { query: { tag: 'typed', limit: 1 } } })
    assert.deepEqual(found.data.data[0]?.metadata, { plan: 'pro', source: 'client' })
    await assert.rejects(dripline.GET('/contacts/{id}', { params: { path: { id: 'none' } } }), (error) => {
      assert.ok(error instanceof DriplineError)
      assert.deepEqual([error.status, error.code, error.message], [404, 'contact_not_found', 'Contact not found'])
      return error.requestId !== undefined
    })
  })

  it('of another generator compiles, and makes the round', async () => {
    const folder = mkdtempSync(join(ROOT, 'dist', 'other-client-'))
    try {
      const document = join(folder, 'openapi.json')
      const { body } = await service.call('GET', 'openapi.json')
      writeFileSync(document, JSON.stringify(body))
      const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name)
      await run(bin('openapi-ts'), ['--input', document, '--output', join(folder, 'src'), '--silent'], { cwd: folder })
      writeFileSync(join(folder, 'main.ts'), `export * from './src'\nexport { client } from './src/client.gen'\n`)
      const options = ['--strict', '--target', 'es2022', '--module', 'commonjs', '--moduleResolution', 'node10']
      const target = ['--lib', 'es2022,dom,dom.iterable', '--types', 'node', '--outDir', join(folder, 'compiled')]
      await run(bin('tsc'), [join(folder, 'main.ts'), ...options, ...target], { cwd: folder })
      // The package's own modules are ECMAScript's; what was compiled is CommonJS.
      writeFileSync(join(folder, 'compiled', 'package.json'), '{"type":"commonjs"}')

      const sdk = (await import(pathToFileURL(join(folder, 'compiled', 'main.js')).href)) as Record<
        string,
        (options: object) => Promise<Round>
      > & {
        client: { setConfig(config: object): void }
      }
      sdk.client.setConfig({ baseUrl, auth: service.key })
      const contact = await sdk['upsertContact']!({ body: { email: 'generated@example.com' } })
      const automation = await sdk['createAutomation']!({
        body: {
          name: 'G',
          status: 'ACTIVE',
          trigger: 'EVENT',
          triggerConfig: { eventName: 'g' },
          steps: [{ type: 'WAIT', delayMinutes: 5 }],
        },
      })
      const contactId = contact.data.data['id']
      const enrolled = await sdk['enrollContact']!({ path: { id: automation.data.data['id'] }, body: { contactId } })
      assert.equal(enrolled.data.data['enrolled'], true)
      const fired = await sdk['fireEvent']!({ path: { id: contactId }, body: { name: 'G' } })
      assert.equal(fired.data.data['matchingAutomations'], 1)
      assert.ok(await aContact(service))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

interface Round {
  data: { data: Record<string, unknown> }
}
