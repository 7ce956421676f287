import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { sweepTriggers } from '../../src/automations/index.ts'
import { eventually } from '../support/eventually.ts'
import { aList } from '../support/factories.ts'
import { installPythonClient } from '../support/python.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { aWebhook, WEBHOOK_ENV } from '../support/webhook-events.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const MAX_LINES = 29
const run = promisify(execFile)

interface Language {
  name: string
  extension: string
  webhooks: string[]
  /** Installs the client of an instance in a new folder. Returns the command that runs a program. */
  install(folder: string, url: string): Promise<string>
}

const LANGUAGES: Language[] = [
  {
    name: 'TypeScript',
    extension: 'ts',
    webhooks: ['webhook.ts'],
    async install(folder, url) {
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      await run('npm', ['install', '--no-audit', '--no-fund', `${url}/client.tgz`], { cwd: folder })
      return process.execPath
    },
  },
  {
    name: 'Python',
    extension: 'py',
    webhooks: ['webhook.py', 'webhook-standardwebhooks.py'],
    install: (folder, url) => installPythonClient(join(folder, 'environment'), url, 'python-examples'),
  },
]

describe('the examples of integrations, in a new folder', () => {
  let service: Instance
  before(async () => void (service = await startInstance({ env: WEBHOOK_ENV })))
  after(() => service.stop())

  for (const language of LANGUAGES) {
    describe(`with ${language.name}`, () => {
      const { extension, webhooks } = language
      const setUp = `set-up.${extension}`
      const signUp = `sign-up.${extension}`
      const receipt = `receipt.${extension}`
      const newsletter = `newsletter.${extension}`
      const month = `month.${extension}`
      const rehearse = `rehearse.${extension}`
      const files = [setUp, signUp, receipt, newsletter, month, rehearse, ...webhooks]
      const email = `zoe@${extension}.example.com`
      let folder: string
      let command: string
      before(async () => {
        folder = mkdtempSync(join(tmpdir(), 'dripline-examples-'))
        for (const file of files) cpSync(join(EXAMPLES, file), join(folder, file))
        command = await language.install(folder, `http://127.0.0.1:${service.port}`)
      })
      after(() => rmSync(folder, { recursive: true, force: true }))

      const execute = async (file: string, args: string[], more: Record<string, string> = {}) => {
        const login = { DRIPLINE_URL: `http://127.0.0.1:${service.port}`, DRIPLINE_API_KEY: service.key }
        const { stdout } = await run(command, [file, ...args], {
          cwd: folder,
          env: { ...process.env, ...login, ...more },
        })
        return JSON.parse(stdout) as Record<string, string>
      }

      it('have fewer than 30 lines', () => {
        for (const file of files)
          assert.ok(readFileSync(join(EXAMPLES, file), 'utf8').trimEnd().split('\n').length <= MAX_LINES, file)
      })

      it('sign a person up in one call', async () => {
        const listId = await aList(service)
        const { contactId } = await execute(signUp, [email, 'Zoe'], { LIST_ID: listId })
        const { data } = (await service.call('GET', `contacts/${contactId}`)).body
        assert.deepEqual([data.email, data.firstName, data.listIds], [email, 'Zoe', [listId]])
      })

      it('set a welcome up, which a sign-up starts', async () => {
        const { listId, automationId } = await execute(setUp, [])
        const person = `welcome-${email}`
        const { contactId } = await execute(signUp, [person, 'Zoe'], { LIST_ID: listId! })
        const sent = await eventually('the welcome is sent', async () => {
          const { body } = await service.call('GET', `messages?contactId=${contactId}`)
          return (body.data as { subject: string; automationId: string }[])[0]
        })
        assert.deepEqual([sent.subject, sent.automationId], ['Welcome, Zoe', automationId])
        const rehearsed = await execute(rehearse, [automationId!, person])
        // No project is created within three days.
        const emails = '2027-03-01T09:00:00.000Z Welcome, Zoe, 2027-03-04T09:00:00.000Z How is it going?'
        assert.deepEqual(rehearsed, { outcome: 'COMPLETED', emails })
        await service.call('DELETE', `automations/${automationId}`)
      })

      it('sign a person up without a list', async () => {
        const { contactId } = await execute(signUp, [`no-list-${email}`, 'Zoe'])
        assert.deepEqual((await service.call('GET', `contacts/${contactId}`)).body.data.listIds, [])
      })

      it('send a receipt once', async () => {
        const { id } = await execute(receipt, [email, `${extension}-1`])
        assert.equal((await execute(receipt, [email, `${extension}-1`]))['id'], id)
        const { data } = (await service.call('GET', `emails/${id}`)).body
        assert.deepEqual([data.to, data.attachments[0].filename], [email, 'receipt.txt'])
      })

      /** Waits until emails with some subjects have been sent to a contact. */
      const untilSent = (contactId: string, wanted: string[], key = service.key) =>
        eventually(`${wanted.join(' and ')} are sent`, async () => {
          const { body } = await service.call('GET', `messages?contactId=${contactId}`, undefined, { key })
          const subjects = (body.data as { subject: string }[]).map(({ subject }) => subject)
          return wanted.every((subject) => subjects.includes(subject)) || undefined
        })

      it('import customers, and send a newsletter to some of them', async () => {
        const { campaignId } = await execute(newsletter, [])
        const ada = (await service.call('GET', 'contacts/email:ada@example.com')).body.data.id as string
        const bob = (await service.call('GET', 'contacts/email:bob@example.com')).body.data.id as string
        await untilSent(ada, ['News for Ada'])
        await eventually('the campaign is sent', async () =>
          (await service.call('GET', `campaigns/${campaignId}`)).body.data.status === 'SENT' ? true : undefined,
        )
        assert.deepEqual((await service.call('GET', `messages?contactId=${bob}`)).body.data, [])
      })

      it('try a month in a test workspace', async () => {
        const key = await service.newKey({ mode: 'test' })
        const { contactId } = await execute(month, [], { DRIPLINE_TEST_KEY: key })
        await sweepTriggers({ em: service.context.orm.em.fork() })
        await untilSent(contactId!, ['Welcome to Pro', 'Your plan renews in a week'], key)
      })

      for (const file of webhooks) {
        it(`accept a delivery, and reject one whose body was changed, with ${file}`, async () => {
          // Until the URL is known, the webhook only records events.
          const { id, secret } = await aWebhook(service, { url: null, events: ['contact.created'] })
          const env = { ...process.env, PORT: '0', DRIPLINE_WEBHOOK_SECRET: secret }
          const example = spawn(command, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
          const lines = createInterface({ input: example.stdout })[Symbol.asyncIterator]()
          const next = async () => (await lines.next()).value as string
          const port = /(\d+)\D*$/.exec(await next())![1]
          const send = async (body: string, headers: IncomingHttpHeaders) => {
            const signed = Object.entries(headers).filter(([name]) => /^(webhook|content-type)/.test(name))
            const request = { method: 'POST', headers: Object.fromEntries(signed) as Record<string, string>, body }
            return (await fetch(`http://127.0.0.1:${port}`, request)).status
          }
          // Keeps the request that it passes on.
          let delivered: [body: string, headers: IncomingHttpHeaders] | undefined
          const proxy = createServer((request, response) => {
            void text(request).then(async (body) => {
              delivered = [body, request.headers]
              response.writeHead(await send(body, request.headers)).end()
            })
          }).listen(0, '127.0.0.1')
          try {
            await once(proxy, 'listening')
            const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`
            await service.call('PATCH', `webhooks/${id}`, { url })
            const contact = { email: `${file}@example.com` }
            const { data } = (await service.call('POST', 'contacts', contact)).body
            const [type, ...event] = (await next()).split(' ')
            assert.deepEqual([type, (JSON.parse(event.join(' ')) as { id: string }).id], ['contact.created', data.id])
            const delivery = await eventually('the event is delivered', async () => {
              const { body } = await service.call('GET', `webhooks/${id}/deliveries`)
              const [first] = body.data as { status: string; lastAttempt?: { status: number } }[]
              return first?.status === 'PENDING' ? undefined : first
            })
            assert.deepEqual([delivery.status, delivery.lastAttempt?.status], ['DELIVERED', 204])
            const [body, headers] = delivered!
            assert.equal(await send(body.replace(contact.email, 'eve@example.com'), headers), 400)
            assert.equal(await send(body, headers), 204)
          } finally {
            example.kill()
            proxy.close().closeAllConnections()
            await service.call('DELETE', `webhooks/${id}`)
          }
        })
      }
    })
  }
})
