import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { subjectOf } from '../support/busy-folder/make.ts'
import { startProduct, type Product } from '../support/busy-folder/product.ts'
import { eventually } from '../support/eventually.ts'
import { leftOvers, nothingIsLeft, npmStart, signalGroup, startEnvironment } from '../support/npm-start.ts'

/** Runs `npm start` as a user does, with a process, its terminal output and a folder. */
describe('npm start', function () {
  this.timeout(180_000)
  let dataDir: string
  let sink: SmtpSink
  /** Output of the first start. */
  let printed: string
  let key: string
  let product: Product | undefined
  const start = async (): Promise<Product> => {
    product = await startProduct(dataDir, sink.url)
    product.use(key)
    return product
  }

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'dripline-start-'))
    sink = await startSmtpSink()
    printed = (await start()).run.text()
    key = /svc_live_\w+/.exec(printed)![0]
    product!.use(key)
  })
  after(async () => {
    await product?.stop()
    await sink.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('starts from an empty folder, and its three printed commands send exactly one email', async () => {
    assert.equal(printed.split(key).length, 2, 'the live key is shown once')
    const lines = /^export DRIPLINE_API_KEY=.*?(?=\n\n)/ms.exec(printed)?.[0].split('\n') ?? []
    const enroll = lines.slice(lines.findIndex((line) => /^curl .*enroll/.test(line)))
    assert.equal(enroll.length, 4)
    const { stdout } = await promisify(execFile)('bash', ['-c', [...lines, 'echo', ...enroll].join('\n')])
    const [answer, again] = stdout
      .split('\n')
      .map((line) => (line.startsWith('{') ? (JSON.parse(line) as { data: object }) : undefined))
    assert.partialDeepStrictEqual(answer?.data, { enrolled: true })
    assert.partialDeepStrictEqual(again?.data, { enrolled: false, matchingAutomations: 0 })
    await eventually('the email arrives', () => sink.mails[0])
    assert.deepEqual(
      sink.mails.map((mail) => [mail.to, subjectOf(mail)]),
      [[['ada@example.com'], 'Welcome, Ada!']],
    )
  })

  it('rejects a second start on the same folder', async () => {
    const second = npmStart(await startEnvironment(dataDir))
    assert.equal(await second.code, 1)
    assert.match(second.text(), /Another Dripline \(process \d+\) is running on .*DATA_DIR/)
  })

  it('lets the command line find everything in the data folder', async () => {
    const made = await product!.cli('workspace', 'create', '--name', 'CLI', '--mode', 'test', '--json')
    const { id } = JSON.parse(made) as { id: string }
    assert.ok((await product!.cli('workspace', 'list', '--json')).includes(id))
    assert.match(await product!.cli('migrate'), /Nothing to do/)
  })

  it('continues after kill -9 of its processes during a wait, without lost or repeated emails', async () => {
    const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' })
    const { data: automation } = await product!.call('POST', 'automations', {
      name: 'Killed',
      status: 'ACTIVE',
      trigger: 'EVENT',
      triggerConfig: { eventName: 'killed' },
      steps: [email('before the kill'), { type: 'WAIT', delayMinutes: 1 }, email('after the kill')],
    })
    const { data: contact } = await product!.call('POST', 'contacts', { email: 'killed@example.com' })
    await product!.call('POST', `automations/${automation.id}/enroll`, { contactId: contact.id })
    const subjects = () => sink.mails.map(subjectOf).filter((subject) => subject.endsWith('the kill'))
    await eventually('the first email is sent', async () => {
      const { data } = (await product!.call('GET', `contacts/${contact.id}/activity`)) as { data: { status: string }[] }
      return data[0]?.status === 'SENT' || undefined
    })
    const sentAt = Date.now()

    // Everything at once: npm and the service, the host, Postgres, Temporal.
    await product!.kill()
    await start()
    assert.doesNotMatch(product!.run.text(), /svc_live_/)

    // Only its own process.
    signalGroup(product!.run, 'SIGKILL')
    await start()

    // Only a server, which it restarts.
    const [line] = (await leftOvers(dataDir)).filter((text) => text.includes('start-dev'))
    process.kill(parseInt(line ?? '', 10), 'SIGKILL')
    await eventually('the service is ready again', async () => {
      const isReady = await product!.isReady()
      return (isReady && !(await leftOvers(dataDir)).includes(line ?? '')) || undefined
    })
    await eventually('the second email arrives', () => subjects()[1], 90_000)
    assert.ok(Date.now() - sentAt >= 58_000, 'the wait did not end early')
    assert.deepEqual(subjects(), ['before the kill', 'after the kill'])
  })

  it('stops everything on a signal, and keeps its data for the next start', async () => {
    const { data: contact } = await product!.call('POST', 'contacts', { email: 'kept@example.com' })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      assert.ok((await leftOvers(dataDir)).length > 2)
      signalGroup(product!.run, signal)
      await product!.run.code
      await nothingIsLeft(dataDir)
      await start()
      await product!.call('GET', `contacts/${contact.id}`)
    }
  })
})
