import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from '../../src/platform/db/sql.ts'
import { createDriplineClient, type DriplineClient, type DriplineError } from '@dripline/client'
import { aList, anAutomation } from '../support/factories.ts'
import { aKeyOverItsLimit, startGateway, type Gateway } from '../support/gateway.ts'
import { startInstance, type Instance } from '../support/instance.ts'

const run = promisify(execFile)
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))

/** A first integration. It prints one line of JSON. */
const PROGRAM = `
import { createDriplineClient, DriplineError, type Schemas } from '@dripline/client'

const [baseUrl = '', apiKey = '', listId = ''] = process.argv.slice(2)
const warnings: string[] = []
const dripline = createDriplineClient({ baseUrl, apiKey, timeoutMs: 10_000, onWarning: (warning) => warnings.push(warning) })

const signedUp = await dripline.POST('/contacts', { body: { email: 'ada@example.com', firstName: 'Ada', metadata: { plan: 'trial' } } })
const contact: Schemas['WrittenContact'] = signedUp.data.data
// @ts-expect-error -- contacts have none
void contact.color
// @ts-expect-error -- an email is a text
void (() => dripline.POST('/contacts', { body: { email: 5 } }))
// @ts-expect-error -- an email is a text
void (() => dripline.contacts.upsert({ email: 5 }))
const email: string = (await dripline.contacts.get(contact.id)).email
// @ts-expect-error -- an event has no such field
void (async () => { for await (const event of dripline.events.list()) event.color })
const fired = await dripline.POST('/contacts/{id}/events', { params: { path: { id: contact.id } }, body: { name: 'trial started' } })
const joined = await dripline.POST('/lists/{id}/contacts', { params: { path: { id: listId } }, body: { contactId: contact.id } })
const page = await dripline.GET('/contacts', { params: { query: { listId, limit: 10 } } })
const error = await dripline.GET('/contacts/{id}', { params: { path: { id: 'none' } } }).catch((error: unknown) => error)
if (!(error instanceof DriplineError)) throw error
const misspelt = await dripline.POST('/lists', { body: { name: '' } as Schemas['ListInput'] }).catch((error: DriplineError) => error.param)
await dripline.POST('/contacts', { body: { email: 'bob@example.com', metadata: { timezone: 'IST' } } })
console.log(JSON.stringify({
  status: signedUp.response.status, email, matching: fired.data.data.matchingAutomations, added: joined.data.data.added,
  total: page.data.pagination.total, code: error.code, about: error.message, misspelt, warnings,
}))
`

describe('@dripline/client, installed from an instance', () => {
  let service: Instance
  let folder: string
  let gateway: Gateway
  before(async () => {
    service = await startInstance({ worker: false })
    gateway = await startGateway(service.port)
    folder = mkdtempSync(join(tmpdir(), 'dripline-integration-'))
  })
  after(async () => {
    await gateway.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })
  /** Returns a client of a server that gives one of these responses after the other. */
  const clientOf = async (answers: ((response: ServerResponse) => unknown)[], retries = answers.length - 1) => {
    const asked: unknown[] = []
    const server = createServer((request, response) => {
      request.resume()
      answers[asked.push(request.headers['idempotency-key']) - 1]?.(response)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
    return { asked, dripline: createDriplineClient({ baseUrl, apiKey: service.key, retries }) }
  }

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const integrate = async (key: string) => {
    gateway.asked.length = 0
    const call = ['main.js', gateway.baseUrl, key, await aList(service)]
    const { stdout } = await run(process.execPath, call, { cwd: folder })
    return JSON.parse(stdout) as Record<string, unknown>
  }

  it('compiles in an empty folder with only its own dependencies', async () => {
    write('package.json', '{ "name": "integration", "private": true, "type": "module" }')
    await run('npm', ['install', '--no-audit', '--no-fund', `http://127.0.0.1:${service.port}/client.tgz`], {
      cwd: folder,
    })
    write('main.ts', PROGRAM)
    // As with @types/node installed.
    write('globals.d.ts', 'declare const process: { argv: string[] }')
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom,dom.iterable']
    await run(TSC, [...options, 'main.ts', 'globals.d.ts'], { cwd: folder }).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout)
    })
  })

  it('signs up, fires an event and joins a list exactly once, even if responses are lost', async () => {
    await anAutomation(service, { trigger: 'EVENT', triggerConfig: { eventName: 'trial started' } })
    gateway.loseAnswers(3)
    assert.deepEqual(await integrate(service.key), {
      status: 201,
      email: 'ada@example.com',
      matching: 1,
      added: 1,
      total: 1,
      code: 'contact_not_found',
      about: 'Contact not found',
      misspelt: '/name',
      warnings: [
        'POST /api/v1/contacts: metadata.timezone is not a time zone such as Europe/Berlin. The time zone of the workspace is used',
      ],
    })
    const posts = gateway.asked.filter((one) => one.startsWith('POST'))
    assert.deepEqual([posts.length, new Set(posts).size], [8, 5])
    const [events] = await sql<{ count: string }>(
      service.context.orm.em.fork(),
      `select count(*) from trigger_events where name = 'trial started'`,
    )
    assert.equal(events?.count, '1')
  })

  it('does not follow redirects', async () => {
    const { dripline } = await clientOf([(response) => response.writeHead(301, { location: '/elsewhere' }).end()])
    const creation = dripline.POST('/lists', { body: { name: 'x' } })
    await assert.rejects(creation, { name: 'DriplineError', code: 'http_301' })
  })

  it('rejects an HTML page of a proxy and an empty response', async () => {
    for (const page of ['<html>Log in</html>', '']) {
      const { dripline } = await clientOf([
        (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
      ])
      await assert.rejects(dripline.GET('/whoami'), { name: 'DriplineError', code: 'no_json', status: 200 })
    }
  })

  it('retries when a response breaks off', async () => {
    const { dripline, asked } = await clientOf([
      (response) => response.writeHead(201, { 'content-length': '100' }).write('{"data":', () => response.destroy()),
      (response) => response.writeHead(201, { 'content-type': 'application/json' }).end('{"data":{"id":"1"}}'),
    ])
    const { data } = await dripline.POST('/lists', { body: { name: 'x' } })
    assert.deepEqual([data.data.id, asked.length, new Set(asked).size], ['1', 2, 1])
  })

  it('treats a DELETE as done if a retry after a lost response returns 404, and only then', async () => {
    const notFound = (response: ServerResponse) =>
      void response.writeHead(404, { 'x-error-code': 'contact_not_found' }).end()
    const deletionBy = (dripline: DriplineClient, id = '01a2054d-13f8-7750-86db-dc043c022886') =>
      dripline.DELETE('/contacts/{id}', { params: { path: { id } } })
    const lost = await clientOf([(response) => response.destroy(), notFound])
    assert.equal((await deletionBy(lost.dripline)).response.status, 204)
    // Another contact with that address may have signed up in the meantime.
    const named = await clientOf([(response) => response.destroy(), notFound])
    await assert.rejects(deletionBy(named.dripline, 'email:ada@example.com'), { code: 'network_error' })
    assert.equal(named.asked.length, 1)
    // A proxy's response leaves the outcome unknown, and a contact is erased before `still_sending` is returned.
    for (const [status, code] of [
      [504, undefined],
      [503, 'still_sending'],
      [503, 'database_unavailable'],
    ] as const) {
      const answer = (response: ServerResponse) =>
        void response
          .writeHead(status, code === undefined ? {} : { 'x-error-code': code, 'retry-after': '0' })
          .end('{}')
      const passing = await clientOf([answer, notFound])
      await assert.rejects(deletionBy(passing.dripline, 'email:ada@example.com'), { status })
      assert.equal(passing.asked.length, 1)
      const byId = await clientOf([answer, notFound])
      await deletionBy(byId.dripline).catch((error: unknown) => assert.equal((error as DriplineError).status, 404))
      assert.equal(byId.asked.length, 2)
    }
    const limited = (response: ServerResponse) =>
      void response.writeHead(429, { 'x-error-code': 'rate_limited', 'retry-after': '0' }).end('{}')
    const refused = await clientOf([limited, notFound])
    await assert.rejects(deletionBy(refused.dripline, 'email:ada@example.com'), { code: 'contact_not_found' })
    const notLost = await clientOf([notFound])
    await assert.rejects(deletionBy(notLost.dripline), { code: 'contact_not_found' })
  })

  it('waits after a 429 without using up its retries', async () => {
    const limited = (response: ServerResponse) =>
      void response.writeHead(429, { 'x-error-code': 'rate_limited', 'retry-after': '0' }).end('{}')
    const done = (response: ServerResponse) =>
      void response.writeHead(201, { 'content-type': 'application/json' }).end('{"data":{"id":"1"}}')
    const { dripline, asked } = await clientOf([limited, limited, limited, limited, done], 1)
    await dripline.POST('/lists', { body: { name: 'x' } })
    assert.equal(asked.length, 5)
    const impatient = await clientOf([limited], 0)
    await assert.rejects(impatient.dripline.POST('/lists', { body: { name: 'x' } }), { code: 'rate_limited' })
  })

  it('waits for a concurrent attempt without using up its retries', async () => {
    const inProgress = (response: ServerResponse) =>
      void response
        .writeHead(409, { 'x-error-code': 'idempotency_key_in_progress', 'retry-after': '0' })
        .end('{"error":"in progress"}')
    const done = (response: ServerResponse) =>
      void response.writeHead(201, { 'content-type': 'application/json' }).end('{"data":{"id":"1"}}')
    const { dripline, asked } = await clientOf([...Array<typeof done>(10).fill(inProgress), done], 1)
    const { data } = await dripline.POST('/lists', { body: { name: 'x' } })
    assert.deepEqual([data.data.id, asked.length, new Set(asked).size], ['1', 11, 1])
    const impatient = await clientOf([inProgress], 0)
    const creation = impatient.dripline.POST('/lists', { body: { name: 'x' } })
    await assert.rejects(creation, { code: 'idempotency_key_in_progress', message: 'in progress' })
  })

  it('increases the pause without a Retry-After header, and names the unreachable host', async () => {
    const refused = (response: ServerResponse) => void response.destroy()
    const { dripline, asked } = await clientOf([refused, refused, refused])
    await assert.rejects(dripline.POST('/lists', { body: { name: 'x' } }), {
      code: 'network_error',
      message: /^http:\/\/127\.0\.0\.1:\d+ cannot be reached \(\w+\)$/,
    })
    assert.equal(asked.length, 3)
  })

  it('rejects an invalid URL or key without repeating the key', () => {
    const apiKey = service.key
    for (const baseUrl of ['localhost:3000/api/v1', '', '/api/v1', undefined as unknown as string])
      assert.throws(() => createDriplineClient({ baseUrl, apiKey }), {
        name: 'TypeError',
        message: /^baseUrl must look like/,
      })
    const baseUrl = 'http://127.0.0.1:1/api/v1'
    for (const wrong of [`${apiKey}\n${apiKey}`, '', ' ', undefined as unknown as string])
      assert.throws(() => createDriplineClient({ baseUrl, apiKey: wrong }), {
        name: 'TypeError',
        message: 'apiKey must look like svc_live_…, without spaces or line breaks',
      })
  })

  it('waits as long as a 429 requests', async () => {
    const key = await aKeyOverItsLimit(service, 20)
    assert.equal((await integrate(key))['added'], 1)
    assert.ok(gateway.asked.length > 7, 'it never had to wait')
  })
})
